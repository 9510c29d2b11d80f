import { sigmoid } from '../../models/numbers.js';
import { addRows, scaledDense, sumOfNumbers, sumOfRows } from './columns.js';
import type { Features } from './features/features.js';
import type { Nearest, Prototypes } from './prototypes.js';
import type { PredictorWeights } from './predictor-file.js';

/** What was understood of one request, independent of the model. */
export interface Reading {
  /** 0..1: how much the request resembles those that the predictor was fitted to. */
  readonly gate: number;
  /** By task; they add up to 1. */
  readonly shares: Float64Array;
  /** The few tasks whose share counts. */
  readonly tasks: readonly number[];
  /** The request's coordinates in the learned space. */
  readonly place: Float64Array;
  /** Log odds to lose for a model of average slope, in addition to what the tasks say. */
  readonly difficulty: number;
  /** How much similar prompts count, 0..1, and which they are; null if they do not count. */
  readonly trustInNearest: number;
  readonly nearest: Nearest | null;
  readonly generalDifficulty: number;
  /** Natural logarithm of the output tokens of a model of average verbosity. */
  readonly length: number;
}

/** Tasks with a smaller share of the request are ignored. */
const minShare = 0.004;
/** If similar prompts count less than this, finding them is not worth the time. */
const minTrust = 0.02;
/** Below this likeness to a prototype a prompt is of an unknown kind, above of a known one. */
const strangeLikeness = 0.15,
  familiarLikeness = 0.3;

/** Reads requests with the weights. A request of a kilobyte takes some tens of microseconds. */
export class RequestReader {
  constructor(
    private readonly weights: PredictorWeights,
    private readonly prototypes: Prototypes,
  ) {}

  read(features: Features): Reading {
    const dense = scaledDense(features.dense, this.weights);
    const place = this.locate(features, dense);
    const shares = this.tasksAt(place);
    const { entropy, distance } = this.standing(place, shares);
    const { gate, trust, taskLengths, denseLengths, generalDifficulty } = this.weights;
    const tasks: number[] = [];
    let trusted = 0;
    for (let task = 0; task < shares.length; task++) {
      if (shares[task]! < minShare) continue;
      tasks.push(task);
      trusted += shares[task]! * trust[task]!;
    }
    const familiar = sigmoid(gate[0]! + gate[1]! * entropy + gate[2]! * distance);
    return {
      gate: familiar,
      shares,
      tasks,
      place,
      difficulty: trusted * this.difficultyOf(features, dense, shares),
      ...this.alikeTo(features, shares, tasks, familiar),
      generalDifficulty: dot(dense, generalDifficulty),
      length: dot(shares, taskLengths) + dot(dense, denseLengths),
    };
  }

  /**
   * The prompts that the request resembles, and how much they count: as much as its kind is
   * familiar, or the prompts are really similar.
   */
  private alikeTo(
    features: Features,
    shares: Float64Array,
    tasks: readonly number[],
    familiar: number,
  ): Pick<Reading, 'nearest' | 'trustInNearest'> {
    let trust = 0;
    for (const task of tasks) trust += shares[task]! * this.weights.prototypeTrust[task]!;
    if (trust < minTrust) return { nearest: null, trustInNearest: 0 };
    const nearest = this.prototypes.nearTo(features, shares);
    const alike = Math.min(
      1,
      Math.max(0, (nearest.likeness - strangeLikeness) / (familiarLikeness - strangeLikeness)),
    );
    return { nearest, trustInNearest: trust * (familiar + (1 - familiar) * alike) };
  }

  private locate({ buckets, weights: amounts }: Features, dense: Float64Array): Float64Array {
    const { rank, grams, gramScale, dense: matrix, bias } = this.weights;
    const place = sumOfRows(grams, rank, buckets, amounts);
    for (let j = 0; j < rank; j++) place[j] = place[j]! * gramScale[j]! + bias[j]!;
    return addRows(matrix, dense, place);
  }

  private tasksAt(place: Float64Array): Float64Array {
    const { tasks, taskBias } = this.weights;
    const shares = new Float64Array(taskBias.length);
    let highest = -Infinity;
    for (let task = 0; task < shares.length; task++) {
      shares[task] = dot(place, tasks, task * place.length) + taskBias[task]!;
      highest = Math.max(highest, shares[task]!);
    }
    let whole = 0;
    for (let task = 0; task < shares.length; task++)
      whole += shares[task] = Math.exp(shares[task]! - highest);
    for (let task = 0; task < shares.length; task++) shares[task]! /= whole;
    return shares;
  }

  /** How undecided the task is, and the distance to the nearest known texts. */
  standing(place: Float64Array, shares: Float64Array): { entropy: number; distance: number } {
    const { whitening, centres } = this.weights;
    const rank = place.length;
    const white = new Float64Array(rank);
    for (let row = 0; row < rank; row++)
      for (let j = 0; j <= row; j++) white[row]! += whitening[row * rank + j]! * place[j]!;
    let entropy = 0,
      nearest = Infinity;
    for (let task = 0; task < shares.length; task++) {
      const share = shares[task]!;
      if (share > 1e-9) entropy -= share * Math.log(share);
      let square = 0;
      for (let j = 0, from = task * rank; j < rank; j++)
        square += (white[j]! - centres[from + j]!) ** 2;
      if (square < nearest) nearest = square;
    }
    return { entropy, distance: Math.sqrt(nearest) };
  }

  /** How hard a text is among those of its tasks. */
  private difficultyOf(
    { buckets, weights: amounts }: Features,
    dense: Float64Array,
    shares: Float64Array,
  ): number {
    const { difficultyGrams, difficultyDense, difficultyMeans, difficultyScale } = this.weights;
    return (
      sumOfNumbers(difficultyGrams, buckets, amounts) * difficultyScale[0]! +
      dot(dense, difficultyDense) -
      dot(shares, difficultyMeans)
    );
  }
}

/** The dot product of `a` and as many numbers of `b`, beginning at `from`. */
function dot(a: ArrayLike<number>, b: ArrayLike<number>, from = 0): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[from + at]!;
  return sum;
}
