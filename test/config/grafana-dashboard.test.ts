import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { idleMetrics } from '../helpers/metrics.js';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { uid: string };
  targets?: { expr: string; datasource: { uid: string } }[];
}
interface Dashboard {
  panels: Panel[];
  templating: { list: { name: string; type: string; definition?: string }[] };
}

const dashboard = JSON.parse(read('config/grafana-dashboard.json')) as Dashboard;
const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);
const queries = [
  ...targets.map(({ expr }) => expr),
  ...dashboard.templating.list.flatMap(({ definition }) => definition ?? []),
];

/** `name{` in expressions, `label_values(name,` in variables. */
const metricsIn = (query: string): string[] =>
  [...query.matchAll(/\b([a-z_]+)\{|label_values\((\w+),/g)].map(
    ([, inQuery, inVariable]) => inQuery ?? inVariable ?? '',
  );
const labelsIn = (query: string): string[] => [
  ...[...query.matchAll(/(\w+)[=!]~?"/g)].map(([, label]) => label ?? ''),
  ...[...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels]) => labels?.split(', ') ?? []),
  ...[...query.matchAll(/label_values\(\w+, (\w+)\)/g)].map(([, label]) => label ?? ''),
];

it('asks only for metrics that there are, and for all that matter', async () => {
  const { text } = await idleMetrics().page(undefined);
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name ?? '', type]),
  );
  const asked = new Set(queries.flatMap(metricsIn));
  expect(asked.size).toBeGreaterThan(15);
  for (const name of asked) {
    const histogram = name.replace(/_(bucket|sum|count)$/, '');
    expect(
      types.get(name) ?? (types.get(histogram) === 'histogram' ? 'histogram' : undefined),
      name,
    ).toBeDefined();
  }
  const shown = new Set([...asked].map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  expect([...types.keys()].filter((name) => !shown.has(name))).toEqual([]);
});

it('asks only for labels that they have', () => {
  const source =
    read('src/telemetry/metrics/instruments.ts') +
    read('src/telemetry/metrics/scraped-instruments.ts') +
    read('src/telemetry/metrics/grounding-metrics.ts');
  // Prometheus adds the instance, histograms the bucket's bound
  for (const label of new Set(queries.flatMap(labelsIn)))
    if (label !== 'instance' && label !== 'le') expect(source, label).toContain(`'${label}'`);
});

it('takes its data source from a variable, so that it can be imported anywhere', () => {
  expect(dashboard.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
  for (const { datasource } of [
    ...targets,
    ...dashboard.panels.filter(({ type }) => type !== 'row'),
  ])
    expect(datasource?.uid).toBe('${datasource}');
});

it('has panels that do not overlap, each with a number of its own', () => {
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

it('comes with a scrape example that names the page where metrics are', () => {
  expect(parse(read('config/prometheus.yml'))).toMatchObject({
    scrape_configs: [
      { metrics_path: '/metrics', static_configs: [{ targets: ['127.0.0.1:8080'] }] },
    ],
  });
});
