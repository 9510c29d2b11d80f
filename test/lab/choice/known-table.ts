import { dot, inverseOf } from '../abilities/positive-definite.js';
import { rankCorrelation, ranksOf } from './judge-order.js';

/** Strengths of shrinking that are tried; the best one is taken in hindsight. */
const strengths = [0.03, 0.1, 0.3, 1, 3, 10];
/** The constant and the first feature are not shrunk. */
const free = 2;

/**
 * The most that linear estimators reach: ranks of models in a table, each estimated by a regression
 * that knows the table's own ranks of all other models. Nobody who has to predict the table knows
 * them. The first feature is one number for all kinds; of several strengths of shrinking, the one
 * that agrees best with the table is taken.
 * @param features by feature, then by model
 */
export function estimatesKnowingTheOthers(
  features: readonly ArrayLike<number>[],
  table: ArrayLike<number>,
): Float64Array {
  const wanted = standardized(ranksOf(table));
  const columns = features.map(standardized);
  const rows = Array.from(wanted, (_, at) => Float64Array.of(1, ...columns.map((one) => one[at]!)));
  const tried = strengths.map((strength) => eachWithoutItself(rows, wanted, strength));
  const orders = tried.map((one) => rankCorrelation(one, wanted));
  return tried[orders.indexOf(Math.max(...orders))]!;
}

/** Ridge regression; each row is estimated by all others, by the diagonal of the hat matrix. */
function eachWithoutItself(
  rows: readonly Float64Array[],
  wanted: Float64Array,
  strength: number,
): Float64Array {
  const width = rows[0]!.length;
  const squares = Array.from({ length: width }, (_, a) =>
    Float64Array.from({ length: width }, (_, b) => {
      const sum = rows.reduce((so, row) => so + row[a]! * row[b]!, 0);
      return a === b ? sum + (a < free ? 1e-9 : strength * rows.length) : sum;
    }),
  );
  const products = Float64Array.from({ length: width }, (_, a) =>
    rows.reduce((so, row, at) => so + row[a]! * wanted[at]!, 0),
  );
  const inverse = inverseOf(squares);
  return Float64Array.from(rows, (row, at) => {
    const projected = Float64Array.from(inverse, (one) => dot(one, row));
    const own = dot(projected, row);
    return (dot(projected, products) - own * wanted[at]!) / (1 - own);
  });
}

function standardized(values: ArrayLike<number>): Float64Array {
  const all = Float64Array.from(values);
  const mean = all.reduce((sum, one) => sum + one / all.length, 0);
  const spread = Math.sqrt(all.reduce((sum, one) => sum + (one - mean) ** 2 / all.length, 0)) || 1;
  return all.map((one) => (one - mean) / spread);
}
