/** A normal distribution of one number, in log odds. */
export interface Belief {
  readonly mean: number;
  readonly variance: number;
}

/**
 * What ratings of one model on one kind of task said beyond the predictions, as a normal
 * distribution in log odds.
 */
export interface Evidence {
  /** The inverse of its variance. */
  readonly weight: number;
  /**
   * Its mean times its weight. An answer that was almost certain has next to no weight, but a
   * surprise still has a sum.
   */
  readonly sum: number;
}

/**
 * Prior variances, in log odds, of what ratings will teach beyond the predictions: of how strictly
 * all models are rated, of the same on one kind of task, of one model compared to the others, and
 * of the same on one kind. The last is four times the one before it, so that ratings on one kind
 * move a model there first, and elsewhere once several kinds agree. A smaller `strictness` learns
 * sooner where the predictor errs, but harms where all models are rated low.
 */
const priors = { strictness: 0.5, kindStrictness: 0.25, model: 0.1, kind: 0.4 } as const;

/** The kind that stands for all kinds without evidence of their own. */
export const otherKinds = -1;

const maxMean = 6;

/** The prior variance of one model's ratings on one kind of task around the prediction. */
const maxVariance = Object.values(priors).reduce((sum, variance) => sum + variance, 0);

type ByKind = ReadonlyMap<number, Evidence>;

/** Evidence with more evidence added to it. */
export function added(held: Evidence | undefined, weight: number, sum: number): Evidence {
  const whole = (held?.weight ?? 0) + weight,
    most = maxMean * (whole + 1 / maxVariance);
  return { weight: whole, sum: Math.max(-most, Math.min(most, (held?.sum ?? 0) + sum)) };
}

/** Evidence on the kept kinds; what the others say of the model is added to `otherKinds`. */
function folded(evidence: ByKind, isKept: (kind: number) => boolean): ByKind {
  const kept = new Map<number, Evidence>();
  let rest: Evidence | undefined = evidence.get(otherKinds);
  for (const [kind, one] of evidence) {
    if (kind === otherKinds) continue;
    if (isKept(kind)) kept.set(kind, one);
    else rest = added(rest, ...asWhole(one));
  }
  return rest ? kept.set(otherKinds, rest) : kept;
}

/** Evidence on one kind as evidence on others: less certain, by the effects of the kind alone. */
function asWhole({ weight, sum }: Evidence): [weight: number, sum: number] {
  const less = 1 + weight * (priors.kind + priors.kindStrictness);
  return [weight / less, sum / less];
}

/** A model's difference in quality from the others, in log odds; the variance before any rating. */
export interface Move extends Belief {
  readonly before: number;
}

/** The shares of a request by kind of task. */
type Shares = readonly (readonly [kind: number, share: number])[];

/** One model's evidence by place of the kind, with its own effect on that kind integrated out. */
interface ModelPosterior {
  readonly weights: Float64Array;
  readonly sums: Float64Array;
  /** The sum of all weights and of the prior's precision. */
  readonly precision: number;
  mean: number;
  /**
   * The covariance of this model's mean with the shared effects, by place; and the variance that
   * those effects add.
   */
  sharedCovariance: Float64Array;
  sharedVariance: number;
}

/** More kinds than any predictor distinguishes; the work grows with the cube of this number. */
const maxKinds = 64;

/**
 * The exact posterior of ratings, where each rating is the sum of four effects: how strictly all
 * models are rated, the same on this kind of task, how the model differs from the others, and the
 * same on this kind. The shared effects explain what affects all models, so that a rating moves a
 * model only by what sets it apart.
 */
export class Beliefs {
  private readonly places: ReadonlyMap<number, number>;
  /** By place: how strictly all models are rated there, and the covariance of these effects. */
  private readonly shared: Float64Array;
  private readonly covariance: Float64Array;
  private readonly models: ReadonlyMap<string, ModelPosterior>;

  /** @param evidence by model's name and kind of task */
  constructor(evidence: ReadonlyMap<string, ReadonlyMap<number, Evidence>>) {
    const kinds = placesOf(evidence);
    this.places = kinds;
    this.models = new Map(
      [...evidence].map(([name, one]) => [
        name,
        posteriorOf(
          folded(one, (kind) => kinds.has(kind)),
          kinds,
        ),
      ]),
    );
    const width = kinds.size;
    const precision = sharedPrior(width),
      sums = new Float64Array(width);
    for (const held of this.models.values()) addTo(precision, sums, held);
    this.covariance = inverted(precision, width);
    this.shared = times(this.covariance, sums);
    for (const held of this.models.values()) settle(held, this.shared, this.covariance);
  }

  /** The kinds that have ratings of their own, without `otherKinds`. */
  get kinds(): readonly number[] {
    return [...this.places.keys()].slice(1);
  }

  /** How a model differs from the others on such a request: mean and variance. */
  moveOf(name: string, shares: Shares): Move {
    const held = this.models.get(name);
    let left = 1,
      mean = 0,
      variance = 0,
      before: number = priors.model;
    const own: [place: number, weight: number][] = [];
    for (const [kind, share] of shares) {
      before += share * share * priors.kind;
      const place = this.places.get(kind),
        weight = held && place !== undefined ? held.weights[place]! : 0;
      variance += share * share * priors.kind * (1 - priors.kind * weight);
      if (!held || place === undefined) continue;
      const by = share * priors.kind;
      left -= by * weight;
      mean += by * (held.sums[place]! - weight * this.shared[place]!);
      own.push([place, by * weight]);
    }
    if (!held) return { mean: 0, variance: before, before };
    return {
      mean: mean + left * held.mean,
      variance: Math.max(
        0,
        variance + (left * left) / held.precision + this.sharedVarianceOf(held, left, own),
      ),
      before,
    };
  }

  /** How far ratings of a kind are expected to exceed the predictions, shared effects included. */
  totalOf(name: string, kind: number): number {
    const place = this.places.get(kind) ?? 0;
    return this.shared[place]! + this.moveOf(name, kind === otherKinds ? [] : [[kind, 1]]).mean;
  }

  /** The part of a move's variance that comes from the shared effects. */
  private sharedVarianceOf(
    { sharedCovariance, sharedVariance }: ModelPosterior,
    left: number,
    own: readonly (readonly [place: number, weight: number])[],
  ): number {
    let sum = left * left * sharedVariance;
    for (const [place, weight] of own) {
      sum += 2 * left * weight * sharedCovariance[place]!;
      for (const [other, by] of own)
        sum += weight * by * this.covariance[place * this.shared.length + other]!;
    }
    return sum;
  }
}

/** A place for each of the kinds with the most evidence; the first place is for all other kinds. */
function placesOf(
  evidence: ReadonlyMap<string, ReadonlyMap<number, Evidence>>,
): Map<number, number> {
  const weights = new Map<number, number>();
  for (const one of evidence.values())
    for (const [kind, { weight }] of one)
      if (kind !== otherKinds) weights.set(kind, (weights.get(kind) ?? 0) + weight);
  const kinds = [...weights.keys()]
    .sort((a, b) => weights.get(b)! - weights.get(a)! || a - b)
    .slice(0, maxKinds);
  return new Map([otherKinds, ...kinds].map((kind, place) => [kind, place]));
}

function posteriorOf(
  evidence: ReadonlyMap<number, Evidence>,
  places: ReadonlyMap<number, number>,
): ModelPosterior {
  const weights = new Float64Array(places.size),
    sums = new Float64Array(places.size);
  let precision = 1 / priors.model;
  for (const [kind, { weight, sum }] of evidence) {
    const place = places.get(kind)!,
      less = kind === otherKinds ? 1 : 1 + weight * priors.kind;
    precision += weights[place] = weight / less;
    sums[place] = sum / less;
  }
  return { weights, sums, precision, mean: 0, sharedCovariance: sums, sharedVariance: 0 };
}

/** The prior precision of the shared effects: those of the kinds are centred on the first. */
function sharedPrior(width: number): Float64Array {
  const precision = new Float64Array(width * width);
  precision[0] = 1 / priors.strictness + (width - 1) / priors.kindStrictness;
  for (let kind = 1; kind < width; kind++) {
    precision[kind * width + kind] = 1 / priors.kindStrictness;
    precision[kind] = precision[kind * width] = -1 / priors.kindStrictness;
  }
  return precision;
}

/** Adds what one model's evidence says about the shared effects. */
function addTo(precision: Float64Array, sums: Float64Array, held: ModelPosterior): void {
  const { weights } = held,
    width = weights.length,
    mean = total(held.sums) / held.precision;
  for (let row = 0; row < width; row++) {
    if (held.sums[row] === 0 && weights[row] === 0) continue;
    sums[row]! += held.sums[row]! - weights[row]! * mean;
    precision[row * width + row]! += weights[row]!;
    for (let column = 0; column < width; column++)
      precision[row * width + column]! -= (weights[row]! * weights[column]!) / held.precision;
  }
}

/** Computes the model's own effect from what the shared effects do not explain. */
function settle(held: ModelPosterior, shared: Float64Array, covariance: Float64Array): void {
  held.mean = (total(held.sums) - dot(held.weights, shared)) / held.precision;
  held.sharedCovariance = times(covariance, held.weights).map((value) => value / held.precision);
  held.sharedVariance = dot(held.weights, held.sharedCovariance) / held.precision;
}

const dot = (a: Float64Array, b: Float64Array): number =>
  a.reduce((sum, value, at) => sum + value * b[at]!, 0);
const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
const times = (matrix: Float64Array, by: Float64Array): Float64Array =>
  by.map((_, row) => dot(matrix.subarray(row * by.length, (row + 1) * by.length), by));

/** The inverse of a positive definite matrix, by Gauss-Jordan elimination. */
function inverted(matrix: Float64Array, width: number): Float64Array {
  const result = Float64Array.from(matrix);
  for (let pivot = 0; pivot < width; pivot++) {
    const by = 1 / result[pivot * width + pivot]!;
    for (let column = 0; column < width; column++)
      result[pivot * width + column]! *= column === pivot ? by * by : by;
    for (let row = 0; row < width; row++) {
      const factor = row === pivot ? 0 : result[row * width + pivot]!;
      if (factor === 0) continue;
      for (let column = 0; column < width; column++) {
        result[row * width + column] =
          column === pivot
            ? -factor * by
            : result[row * width + column]! - factor * result[pivot * width + column]!;
      }
    }
  }
  return result;
}
