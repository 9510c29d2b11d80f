import { Counter, type Gauge, Histogram, type Registry } from 'prom-client';

interface Description {
  name: string;
  help: string;
  labelNames: readonly string[];
  registry: Registry;
}

/**
 * A prom-client histogram whose series are looked up once and then updated directly. prom-client
 * itself validates, copies and hashes the labels for every observation (2.2 µs each, and a request
 * makes eight of them). It still renders the page.
 */
export class SeriesHistogram extends Histogram {
  private readonly all = new Map<string, HistogramSeries>();

  constructor(
    private readonly description: Description,
    private readonly bounds: readonly number[],
  ) {
    const { name, help, labelNames, registry } = description;
    super({ name, help, labelNames: [...labelNames], buckets: [...bounds], registers: [registry] });
  }

  /** @param values the label values, in the order of the label names */
  series(...values: string[]): HistogramSeries {
    const key = values.join('\0');
    let series = this.all.get(key);
    if (!series) this.all.set(key, (series = new HistogramSeries(this.bounds, values)));
    return series;
  }

  /** Called by prom-client when it renders the page, and by its `get`. */
  getForPromString(): Promise<object> {
    const { name, help, labelNames } = this.description;
    const values = [...this.all.values()].flatMap((series) => series.lines(name, labelNames));
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
  }
}

/** One series of a histogram: the observations of one set of label values. */
export class HistogramSeries {
  private readonly counts: Float64Array;
  private sum = 0;

  constructor(
    private readonly bounds: readonly number[],
    private readonly values: readonly string[],
  ) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let index = 0;
    while (index < this.bounds.length && value > this.bounds[index]!) index++;
    this.counts[index]!++;
    this.sum += value;
  }

  /** As prom-client renders them. */
  lines(name: string, labelNames: readonly string[]): object[] {
    const sharedLabels = {};
    const labels = labelsOf(labelNames, this.values);
    let cumulated = 0;
    const buckets = Array.from(this.counts, (count, index) => {
      cumulated += count;
      return {
        metricName: `${name}_bucket`,
        labels: { le: this.bounds[index] ?? '+Inf', ...labels },
        sharedLabels,
        value: cumulated,
      };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, sharedLabels, value: this.sum },
      { metricName: `${name}_count`, labels, sharedLabels, value: cumulated },
    ];
  }
}

const labelsOf = (names: readonly string[], values: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));

/** One series of a counter. */
class CounterSeries {
  value = 0;

  constructor(readonly labels: Record<string, string>) {}

  inc(by = 1): void {
    this.value += by;
  }
}

/** A prom-client counter whose series are looked up once and then updated directly. */
export class SeriesCounter extends Counter {
  private readonly all = new Map<string, CounterSeries>();

  constructor(private readonly description: Description) {
    const { name, help, labelNames, registry } = description;
    super({ name, help, labelNames: [...labelNames], registers: [registry] });
  }

  /** @param values the label values, in the order of the label names */
  series(...values: string[]): CounterSeries {
    const key = values.join('\0');
    let series = this.all.get(key);
    if (!series) {
      series = new CounterSeries(labelsOf(this.description.labelNames, values));
      this.all.set(key, series);
    }
    return series;
  }

  /** Starts series at 0, because alerts need them from the start. Without values: the only one. */
  startingAtZero(...values: readonly string[]): this {
    if (values.length === 0) this.series();
    for (const value of values) this.series(value);
    return this;
  }

  override async get(): ReturnType<Counter['get']> {
    return {
      ...(await super.get()),
      values: [...this.all.values()].map(({ labels, value }) => ({ labels, value })),
    };
  }
}

/** Buckets for whole requests, in seconds. */
export const requestBuckets = [
  0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 40, 80, 160, 300, 600, 900,
];

/** Creates the instruments of one registry. */
export interface InstrumentMaker {
  histogram(
    name: string,
    help: string,
    labelNames: readonly string[],
    buckets: readonly number[],
  ): SeriesHistogram;
  counter(name: string, help: string, ...labelNames: string[]): SeriesCounter;
  /**
   * @param collect sets the gauge when it is scraped; absent: it is set when the value changes
   * @param aggregator what is shown of several workers: their sum, or, where it is read when it is
   * scraped, the worst
   */
  gauge(
    name: string,
    help: string,
    collect?: (gauge: Gauge) => void,
    labelNames?: readonly string[],
    aggregator?: 'max' | 'sum',
  ): Gauge;
}
