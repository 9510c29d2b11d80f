import type { SeriesRow } from '../../store/contracts/periods.js';
import { addPackedToAll, LatencyCounts } from '../../store/latency-buckets.js';

/** Figures of some requests. */
type PointFigures = ReturnType<PointSums['figures']>;

/** The figures of each point, by name: charts read columns. */
type SeriesColumns = Readonly<Record<string, readonly (number | null)[]>>;

/** The rows of one point. */
class PointSums {
  private requests = 0;
  private errors = 0;
  private promptTokens = 0;
  private completionTokens = 0;
  private costUsd = 0;
  readonly latencies = new LatencyCounts();
  readonly firstTokens = new LatencyCounts();

  /** Adds a row without its packed counts. */
  add(row: SeriesRow): void {
    const { measure, bucket, requests } = row;
    if (measure === 'ttft') {
      this.firstTokens.add(bucket, requests);
      return;
    }
    if (measure === 'latency') this.latencies.add(bucket, requests);
    this.requests += requests;
    this.errors += row.errors;
    this.promptTokens += row.promptTokens;
    this.completionTokens += row.completionTokens;
    this.costUsd += row.costUsd;
  }

  figures() {
    return {
      requests: this.requests,
      errors: this.errors,
      promptTokens: this.promptTokens,
      completionTokens: this.completionTokens,
      // of requests with a known price; sums of binary fractions have trailing digits
      costUsd: Math.round(this.costUsd * 1e9) / 1e9,
      // of answered calls of models; null: there was none
      latencyP50Ms: this.latencies.percentile(0.5),
      latencyP95Ms: this.latencies.percentile(0.95),
      // time to first token
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

  /** All that a row is added to. */
  of({ point }: SeriesRow): PointSums[] {
    const one = this.points[point];
    return one ? [one, this.whole] : [this.whole];
  }

  totals(): PointFigures {
    return this.whole.figures();
  }

  columns(): SeriesColumns {
    const all = this.points.map((point) => point.figures());
    const names = Object.keys(this.totals()) as (keyof PointFigures)[];
    return Object.fromEntries(names.map((name) => [name, all.map((figures) => figures[name])]));
  }
}

/**
 * Adds rows to sums; what a row packs is read once for all of them.
 * @param sumsOf which sums a row belongs to
 */
export function addSeriesRows(
  rows: readonly SeriesRow[],
  sumsOf: (row: SeriesRow) => readonly SeriesSums[],
): void {
  for (const row of rows) {
    const all = sumsOf(row).flatMap((sums) => sums.of(row));
    for (const sums of all) sums.add(row);
    addPackedToAll(
      row.latencies ?? '',
      all.map(({ latencies }) => latencies),
    );
    addPackedToAll(
      row.firstTokens ?? '',
      all.map(({ firstTokens }) => firstTokens),
    );
  }
}
