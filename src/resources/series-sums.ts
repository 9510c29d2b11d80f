import type { SeriesRow } from '../store/contracts/periods.js';
import { LatencyCounts } from '../store/latency-buckets.js';

/** Figures of some requests. */
export interface PointFigures {
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of requests with a known price. */
  readonly costUsd: number;
  /** Of answered calls of models, in ms; null: there was none. */
  readonly latencyP50Ms: number | null;
  readonly latencyP95Ms: number | null;
  /** Time to first token, in ms. */
  readonly ttftP50Ms: number | null;
  readonly ttftP95Ms: number | null;
}

/** The figures of each point, by name: charts read columns. */
export type SeriesColumns = {
  readonly [Name in keyof PointFigures]: readonly PointFigures[Name][];
};

interface RowCounts {
  readonly latencies: LatencyCounts;
  readonly firstTokens: LatencyCounts;
}

/** What a row counts by class of latency. */
function countsOf({ measure, bucket, requests, ...packed }: SeriesRow): RowCounts {
  const [latencies, firstTokens] = [new LatencyCounts(), new LatencyCounts()];
  if (measure === 'latency') latencies.add(bucket, requests);
  if (measure === 'ttft') firstTokens.add(bucket, requests);
  latencies.addPacked(packed.latencies ?? '');
  firstTokens.addPacked(packed.firstTokens ?? '');
  return { latencies, firstTokens };
}

/** The rows of one point. */
class PointSums {
  private requests = 0;
  private errors = 0;
  private promptTokens = 0;
  private completionTokens = 0;
  private costUsd = 0;
  private readonly latencies = new LatencyCounts();
  private readonly firstTokens = new LatencyCounts();

  add({ measure, ...sums }: SeriesRow, { latencies, firstTokens }: RowCounts): void {
    this.latencies.addAll(latencies);
    this.firstTokens.addAll(firstTokens);
    if (measure === 'ttft') return;
    this.requests += sums.requests;
    this.errors += sums.errors;
    this.promptTokens += sums.promptTokens;
    this.completionTokens += sums.completionTokens;
    this.costUsd += sums.costUsd;
  }

  figures(): PointFigures {
    return {
      requests: this.requests,
      errors: this.errors,
      promptTokens: this.promptTokens,
      completionTokens: this.completionTokens,
      // sums of binary fractions have trailing digits
      costUsd: Math.round(this.costUsd * 1e9) / 1e9,
      latencyP50Ms: this.latencies.percentile(0.5),
      latencyP95Ms: this.latencies.percentile(0.95),
      ttftP50Ms: this.firstTokens.percentile(0.5),
      ttftP95Ms: this.firstTokens.percentile(0.95),
    };
  }
}

/** The sums of a series: of each point, and of all together. */
export class SeriesSums {
  private readonly points: PointSums[];
  private readonly whole = new PointSums();

  constructor(points: number) {
    this.points = Array.from({ length: points }, () => new PointSums());
  }

  add(rows: readonly SeriesRow[]): void {
    for (const row of rows) {
      const counts = countsOf(row);
      this.points[row.point]?.add(row, counts);
      this.whole.add(row, counts);
    }
  }

  totals(): PointFigures {
    return this.whole.figures();
  }

  columns(): SeriesColumns {
    const all = this.points.map((point) => point.figures());
    const column = <Name extends keyof PointFigures>(name: Name): PointFigures[Name][] =>
      all.map((figures) => figures[name]);
    return {
      requests: column('requests'),
      errors: column('errors'),
      promptTokens: column('promptTokens'),
      completionTokens: column('completionTokens'),
      costUsd: column('costUsd'),
      latencyP50Ms: column('latencyP50Ms'),
      latencyP95Ms: column('latencyP95Ms'),
      ttftP50Ms: column('ttftP50Ms'),
      ttftP95Ms: column('ttftP95Ms'),
    };
  }
}
