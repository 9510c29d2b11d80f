import { elsewhere, folded } from './online-evidence.js';
import { type Belief, type Evidence, priors } from './online-state.js';

/** What is held of a model's quality beside that of others, in log odds, and the variance before anything was rated. */
export interface Move extends Belief {
  readonly before: number;
}

/** Parts of a request by kind of task. */
type Shares = readonly (readonly [kind: number, share: number])[];

/** One model's evidence, by place of the kind: its weight and sum when what is peculiar to the model on that kind may be anything. */
interface Held {
  readonly weights: Float64Array;
  readonly sums: Float64Array;
  /** All weights, and the prior's. */
  readonly precision: number;
  mean: number;
  /** What is not certain of the shared numbers, as it is felt here: by place, and as a whole. */
  felt: Float64Array;
  doubt: number;
}

/** More than any router tells apart; the work grows with their cube. */
const maxKinds = 64;

/**
 * The exact posterior of what ratings say, each rating being the sum of four numbers: how strictly all models are rated (nobody's choice), the
 * same on this kind of task, how the model does beside the others, and the same on this kind. What all models share explains what all are rated:
 * only what sets models apart moves one of them.
 */
export class Beliefs {
  private readonly places: ReadonlyMap<number, number>;
  /** By place: how strictly all are rated there, and how (un)certain each two of these are together. */
  private readonly shared: Float64Array;
  private readonly covariance: Float64Array;
  private readonly models: ReadonlyMap<string, Held>;

  constructor(evidence: ReadonlyMap<string, ReadonlyMap<number, Evidence>>) {
    const kinds = placesOf(evidence);
    this.places = kinds;
    this.models = new Map(
      [...evidence].map(([name, one]) => [
        name,
        heldOf(
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

  /** How a model does beside others on such a request, as it is believed and how far that is from certain. */
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
        variance + (left * left) / held.precision + this.doubtOf(held, left, own),
      ),
      before,
    };
  }

  /** What a model's ratings on a kind of task are held to lie above what was predicted: what is its own, and what all share. */
  totalOf(name: string, kind: number): number {
    const place = this.places.get(kind) ?? 0;
    return this.shared[place]! + this.moveOf(name, kind === elsewhere ? [] : [[kind, 1]]).mean;
  }

  /** The part of a move's variance that comes from the shared numbers. */
  private doubtOf(
    { felt, doubt }: Held,
    left: number,
    own: readonly (readonly [place: number, weight: number])[],
  ): number {
    let sum = left * left * doubt;
    for (const [place, weight] of own) {
      sum += 2 * left * weight * felt[place]!;
      for (const [other, by] of own)
        sum += weight * by * this.covariance[place * this.shared.length + other]!;
    }
    return sum;
  }
}

/** A place for each kind of which most is known; the first is elsewhere. */
function placesOf(
  evidence: ReadonlyMap<string, ReadonlyMap<number, Evidence>>,
): Map<number, number> {
  const weights = new Map<number, number>();
  for (const one of evidence.values())
    for (const [kind, { weight }] of one)
      if (kind !== elsewhere) weights.set(kind, (weights.get(kind) ?? 0) + weight);
  const kinds = [...weights.keys()]
    .sort((a, b) => weights.get(b)! - weights.get(a)! || a - b)
    .slice(0, maxKinds);
  return new Map([elsewhere, ...kinds].map((kind, place) => [kind, place]));
}

function heldOf(
  evidence: ReadonlyMap<number, Evidence>,
  places: ReadonlyMap<number, number>,
): Held {
  const weights = new Float64Array(places.size),
    sums = new Float64Array(places.size);
  let precision = 1 / priors.model;
  for (const [kind, { weight, sum }] of evidence) {
    const place = places.get(kind)!,
      less = kind === elsewhere ? 1 : 1 + weight * priors.kind;
    precision += weights[place] = weight / less;
    sums[place] = sum / less;
  }
  return { weights, sums, precision, mean: 0, felt: sums, doubt: 0 };
}

/** What is held of the shared numbers beforehand: those of kinds lie about the first. */
function sharedPrior(width: number): Float64Array {
  const precision = new Float64Array(width * width);
  precision[0] = 1 / priors.strictness + (width - 1) / priors.kindStrictness;
  for (let kind = 1; kind < width; kind++) {
    precision[kind * width + kind] = 1 / priors.kindStrictness;
    precision[kind] = precision[kind * width] = -1 / priors.kindStrictness;
  }
  return precision;
}

/** What one model's evidence says of the shared numbers, when the model itself may be anything. */
function addTo(precision: Float64Array, sums: Float64Array, held: Held): void {
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

/** What is left for the model itself, once the shared numbers are known. */
function settle(held: Held, shared: Float64Array, covariance: Float64Array): void {
  held.mean = (total(held.sums) - dot(held.weights, shared)) / held.precision;
  held.felt = times(covariance, held.weights).map((value) => value / held.precision);
  held.doubt = dot(held.weights, held.felt) / held.precision;
}

const dot = (a: Float64Array, b: Float64Array): number =>
  a.reduce((sum, value, at) => sum + value * b[at]!, 0);
const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
const times = (matrix: Float64Array, by: Float64Array): Float64Array =>
  by.map((_, row) => dot(matrix.subarray(row * by.length, (row + 1) * by.length), by));

/** The inverse of a positive definite matrix, by Gauss and Jordan. */
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
