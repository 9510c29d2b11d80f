/** Believed before anything was observed: a mean and a standard deviation. */
export interface Prior {
  readonly mean: number;
  readonly spread: number;
}

/** One term of a weighted sum: the place of a quantity, and its weight. */
export type Term = readonly [place: number, weight: number];

/** Quantities beyond these stay independent: the sums over pairs of them would take too long. */
const maxCorrelated = 100;

/**
 * What is believed of several quantities together, in a normal distribution. They are independent
 * until a weighted sum of some of them is observed.
 */
export class JointBelief {
  private readonly means: Float64Array;
  private readonly spreads: Float64Array;
  /** The places that observations have touched, in the order of rows of `covariance`. */
  private readonly correlated: number[] = [];
  private readonly rows = new Map<number, number>();
  private readonly covariance: number[][] = [];

  constructor(priors: readonly Prior[]) {
    this.means = Float64Array.from(priors, ({ mean }) => mean);
    this.spreads = Float64Array.from(priors, ({ spread }) => spread);
  }

  /** Takes in that the sum of the terms was found to be `value`, with this variance. */
  observe(terms: readonly Term[], value: number, variance: number): void {
    const rows: number[] = [];
    let expected = 0;
    for (const [place, weight] of terms) {
      const row = this.rowOf(place);
      if (row === null) return;
      rows.push(row);
      expected += this.means[place]! * weight;
    }
    const { covariance, correlated, means } = this;
    const shared = new Float64Array(correlated.length);
    let total = variance;
    for (const [at, row] of rows.entries()) {
      const line = covariance[row]!;
      for (let other = 0; other < shared.length; other++)
        shared[other]! += line[other]! * terms[at]![1];
    }
    for (const [at, row] of rows.entries()) total += shared[row]! * terms[at]![1];
    if (!(total > 0)) return;
    for (let row = 0; row < shared.length; row++) {
      const part = shared[row]! / total;
      means[correlated[row]!]! += part * (value - expected);
      const line = covariance[row]!;
      for (let other = 0; other < shared.length; other++) line[other]! -= part * shared[other]!;
    }
  }

  /** What is expected of a quantity. */
  meanOf(place: number): number {
    return this.means[place]!;
  }

  /** The variance of a weighted sum of all quantities. @param weights by place */
  varianceOf(weights: Float64Array): number {
    const { spreads, correlated, rows, covariance } = this;
    let sum = 0;
    weights.forEach((weight, place) => {
      if (!rows.has(place)) sum += (weight * spreads[place]!) ** 2;
    });
    covariance.forEach((line, row) => {
      const weight = weights[correlated[row]!]!;
      if (weight === 0) return;
      for (let other = 0; other < line.length; other++)
        sum += weight * line[other]! * weights[correlated[other]!]!;
    });
    return Math.max(0, sum);
  }

  /** The row of a quantity; null: there are too many. */
  private rowOf(place: number): number | null {
    const known = this.rows.get(place);
    if (known !== undefined) return known;
    const row = this.correlated.length;
    if (row >= maxCorrelated) return null;
    this.correlated.push(place);
    this.rows.set(place, row);
    for (const line of this.covariance) line.push(0);
    this.covariance.push([...new Array<number>(row).fill(0), this.spreads[place]! ** 2]);
    return row;
  }
}
