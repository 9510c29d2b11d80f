import type { SeriesRow } from '../../store/contracts/periods.js';
import type { SummedFigures } from '../../store/contracts/requests.js';
import { addPackedToAll, LatencyCounts } from '../../store/latency-buckets.js';

/** Figures of some requests. */
type PointFigures = ReturnType<PointSums['figures']>;

/** The figures of each point, by name: charts read columns. */
type SeriesColumns = Readonly<Record<string, readonly (number | null)[]>>;

/** Figures with all USD rounded: sums of binary fractions have trailing digits. */
export const roundedUsd = <Figures extends object>(figures: Figures): Figures =>
  Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [
      name,
      name.endsWith('Usd') ? Math.round(Number(figure) * 1e9) / 1e9 : (figure as unknown),
    ]),
  ) as Figures;

const none = {
  requests: 0,
  errors: 0,
  refused: 0,
  clientClosed: 0,
  promptTokens: 0,
  completionTokens: 0,
  costUsd: 0,
  estimatedUsd: 0,
  heldUsd: 0,
} satisfies SummedFigures;
const names = Object.keys(none) as (keyof SummedFigures)[];

/** The rows of one point. */
class PointSums {
  private readonly sums = { ...none };
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
    for (const name of names) this.sums[name] += row[name];
  }

  figures() {
    return {
      ...roundedUsd(this.sums),
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

/** Adds rows to sums; what a row packs is read once. @param sumsOf which sums a row belongs to */
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
