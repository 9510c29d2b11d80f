import { Counter, type Gauge, Histogram, type Registry } from 'prom-client';

interface Description {
  name: string;
  help: string;
  labelNames: readonly string[];
  registry: Registry;
}

/** One series of a histogram: the observations of one set of label values. */
export interface HistogramSeries {
  observe(value: number): void;
}

/**
 * A prom-client histogram whose series are looked up once and then updated directly. prom-client
 * itself validates, copies and hashes the labels for every observation (2.2 µs each, and a request
 * makes eight of them). It still renders the page.
 */
export class SeriesHistogram extends Histogram {
  private readonly all = new Map<string, Bins>();
  private readonly names: readonly string[];
  private readonly bounds: readonly number[];
  private readonly metricName: string;
  private readonly description: string;

  constructor({ name, help, labelNames, registry }: Description, buckets: readonly number[]) {
    super({
      name,
      help,
      labelNames: [...labelNames],
      buckets: [...buckets],
      registers: [registry],
    });
    this.names = labelNames;
    this.bounds = buckets;
    this.metricName = name;
    this.description = help;
  }

  /** @param values the label values, in the order of the label names */
  series(...values: string[]): HistogramSeries {
    const key = values.join('\0');
    let bins = this.all.get(key);
    if (!bins) this.all.set(key, (bins = new Bins(this.bounds, values)));
    return bins;
  }

  /** Called by prom-client when it renders the page, and by its `get`. */
  getForPromString(): Promise<object> {
    const values = [...this.all.values()].flatMap((bins) =>
      bins.lines(this.metricName, this.names),
    );
    return Promise.resolve({
      name: this.metricName,
      help: this.description,
      type: 'histogram',
      aggregator: 'sum',
      values,
    });
  }
}

class Bins implements HistogramSeries {
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

  lines(
    name: string,
    names: readonly string[],
  ): {
    metricName: string;
    labels: Record<string, string | number>;
    sharedLabels: object;
    value: number;
  }[] {
    const sharedLabels = {};
    const labels = Object.fromEntries(
      names.map((label, index) => [label, this.values[index] ?? '']),
    );
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

/** One series of a counter. */
export interface CounterSeries {
  inc(by?: number): void;
}

/** A prom-client counter whose series are looked up once and then updated directly. */
export class SeriesCounter extends Counter {
  private readonly all = new Map<
    string,
    { labels: Record<string, string>; value: number; inc(by?: number): void }
  >();
  private readonly names: readonly string[];

  constructor({ name, help, labelNames, registry }: Description) {
    super({ name, help, labelNames: [...labelNames], registers: [registry] });
    this.names = labelNames;
  }

  /** @param values the label values, in the order of the label names */
  series(...values: string[]): CounterSeries {
    const key = values.join('\0');
    let line = this.all.get(key);
    if (!line) {
      const labels = Object.fromEntries(
        this.names.map((label, index) => [label, values[index] ?? '']),
      );
      line = {
        labels,
        value: 0,
        inc(by = 1) {
          this.value += by;
        },
      };
      this.all.set(key, line);
    }
    return line;
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
