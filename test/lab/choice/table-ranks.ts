import type { PublishedResults, ResultColumn } from '../abilities/published-results.js';
import type { RandomStream } from '../random.js';
import { ranksOf } from './judge-order.js';

/** A model's value in a column, and its stated standard error; 0: none is stated. */
interface Stated {
  readonly value: number;
  readonly error: number;
}

/** Columns of results, each by model. */
export type TableColumns = readonly ReadonlyMap<string, Stated>[];

/** The wanted columns, with the results of models at their usual effort. */
export function columnsWhere(
  { columns, results }: PublishedResults,
  isWanted: (column: ResultColumn) => boolean,
): TableColumns {
  const byColumn = new Map<number, Map<string, Stated>>();
  for (const { column, model, effort, value, error } of results) {
    if (effort !== '' || !isWanted(columns[column]!)) continue;
    const known = byColumn.get(column) ?? new Map<string, Stated>();
    byColumn.set(column, known.set(model, { value, error }));
  }
  return [...byColumn].sort(([a], [b]) => a - b).map(([, values]) => values);
}

/** The mean over columns by model, each column by its ranks as parts of 1. */
export function meanRanks(columns: TableColumns): ReadonlyMap<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const stated of columns) {
    const models = [...stated.keys()];
    ranksOf([...stated.values()].map(({ value }) => value)).forEach((rank, at) => {
      const known = sums.get(models[at]!) ?? { sum: 0, count: 0 };
      sums.set(models[at]!, { sum: known.sum + rank / models.length, count: known.count + 1 });
    });
  }
  return new Map([...sums].map(([model, { sum, count }]) => [model, sum / count]));
}

/** The columns as another measurement could have found them: moved by their stated errors. */
export function measuredAgain(columns: TableColumns, stream: RandomStream): TableColumns {
  return columns.map(
    (stated) =>
      new Map(
        [...stated].map(([model, { value, error }]) => [
          model,
          { value: value + error * normal(stream), error },
        ]),
      ),
  );
}

/** Box and Muller's. */
const normal = (stream: RandomStream): number =>
  Math.sqrt(-2 * Math.log(1 - stream.next())) * Math.cos(2 * Math.PI * stream.next());

/** What is particular to one order beside another: the differences of ranks. */
export function rankDifferences(one: ArrayLike<number>, other: ArrayLike<number>): Float64Array {
  const [a, b] = [ranksOf(one), ranksOf(other)];
  return a.map((rank, at) => rank - b[at]!);
}
