/** One family of a metrics page. */
export interface Family {
  type: string;
  help: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const samplePattern =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? ([-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|Inf)|NaN)$/;
const suffixes: Record<string, readonly string[]> = {
  histogram: ['_bucket', '_sum', '_count'],
  gauge: [''],
  counter: [''],
};

function labelsOf(text: string | undefined): Record<string, string> {
  return Object.fromEntries(
    [...(text ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
}

function checkHistogram(name: string, { samples }: Family): void {
  const bySeries = new Map<string, Family['samples']>();
  for (const sample of samples) {
    const { le: _le, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    bySeries.set(key, [...(bySeries.get(key) ?? []), sample]);
  }
  for (const series of bySeries.values()) {
    const buckets = series.filter((sample) => sample.name === `${name}_bucket`);
    const counts = buckets.map(({ value }) => value);
    const bounds = buckets.map(({ labels }) => Number(labels['le']?.replace('+Inf', 'Infinity')));
    const count = series.find((sample) => sample.name === `${name}_count`)?.value;
    const isRising = (values: number[]): boolean =>
      values.every((value, index) => index === 0 || value >= values[index - 1]!);
    if (
      !isRising(counts) ||
      !isRising(bounds) ||
      bounds.at(-1) !== Infinity ||
      counts.at(-1) !== count ||
      !series.some((sample) => sample.name === `${name}_sum`)
    )
      throw new Error(`${name} is no histogram`);
  }
}

/**
 * Reads a metrics page strictly: Prometheus text format 0.0.4, or OpenMetrics 1.0.
 * @throws Error that says which line is wrong
 */
export function parseExposition(
  text: string,
  format: 'prometheus' | 'openmetrics',
): Map<string, Family> {
  const open = format === 'openmetrics';
  if (open && !text.endsWith('\n# EOF\n')) throw new Error('OpenMetrics ends in # EOF');
  const lines = (open ? text.slice(0, -'# EOF\n'.length) : text).split('\n').slice(0, -1);
  const families = new Map<string, Family>();
  let [name, family]: [string, Family] = ['', { type: '', help: '', samples: [] }];
  for (const line of lines) {
    if (line === '' && !open) continue;
    const [, kind, metric, rest] =
      /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      if (families.has(metric!)) throw new Error(`${metric} comes twice`);
      [name, family] = [metric!, { type: '', help: rest!, samples: [] }];
      families.set(name, family);
    } else if (kind === 'TYPE') {
      if (metric !== name || family.samples.length > 0 || family.type !== '')
        throw new Error(`out of place: ${line}`);
      family.type = rest!;
    } else {
      const [, sample, labels, value] = samplePattern.exec(line) ?? [];
      const allowed =
        open && family.type === 'counter' ? ['_total'] : (suffixes[family.type] ?? []);
      if (sample === undefined || !allowed.some((suffix) => sample === name + suffix))
        throw new Error(`no sample of ${name}: ${line}`);
      family.samples.push({
        name: sample,
        labels: labelsOf(labels),
        value: Number(value!.replace('Inf', 'Infinity')),
      });
    }
  }
  for (const [metric, found] of families) {
    if (found.type === 'histogram') checkHistogram(metric, found);
    if (found.type === 'counter' && metric.endsWith('_total') === open)
      throw new Error(`${metric} is no name of a counter here`);
    if (
      new Set(found.samples.map((sample) => sample.name + JSON.stringify(sample.labels))).size !==
      found.samples.length
    )
      throw new Error(`${metric} has a series twice`);
  }
  return families;
}
