import type { Features } from './features/features.js';
import { logOdds, sigmoid } from '../numbers.js';
import { Prototypes, type Nearest } from './prototypes.js';
import type { PredictorWeights } from './predictor-weights.js';
import { addRows, columnsOf, sumOfNumbers, sumOfRows } from './columns.js';

/** What was understood of one request, whoever is to answer it. */
export interface Reading {
  /** 0..1: how far the request is like what the router was fitted to. */
  readonly gate: number;
  /** By task; adding up to 1. */
  readonly shares: Float64Array;
  /** The tasks whose share counts: a few. */
  readonly tasks: readonly number[];
  /** The request's place in the learned space. */
  readonly place: Float64Array;
  /** Log odds that a model of usual slope loses on it, beside what its tasks tell: one without a head, and one that has a head. */
  readonly difficulty: number;
  readonly headDifficulty: number;
  /** Log odds that the model of a head wins on it, beside. Worked out when it is first asked for: few candidates have a head. */
  readonly leaning: (head: number) => number;
  /** How much prompts like it count beside all this, 0..1; and which they are, null where they do not count. */
  readonly trustInNearest: number;
  readonly nearest: Nearest | null;
  readonly generalDifficulty: number;
  /** Natural logarithm of the output tokens of a model of average verbosity. */
  readonly length: number;
}

/** What is expected of one model. */
export interface Expectation {
  /** Chance of a good answer, between 0 and 1. */
  readonly quality: number;
  /** Standard deviation of that chance: how little is known of it. */
  readonly uncertainty: number;
  readonly outputTokens: number;
}

const clip = 4;
const minShare = 0.004;
/** Where less is believed of prompts like it, it is not worth the time to find them. */
const minTrust = 0.02;
/** So like a prototype are prompts of kinds that were not measured, and most of those of its own kind. */
const strangeLikeness = 0.15,
  familiarLikeness = 0.3;
/** Spread of a model's quality on kinds of tasks that were not measured. */
const generalSpread = 0.1,
  guessedSpread = 0.15;
const priorRows = 6;
const minOutputTokens = 1,
  maxOutputTokens = 64_000;

const kept = (share: number): number => Math.min(0.995, Math.max(0.005, share));

/** Predicts from learned weights. Reading a request of a kilobyte takes some tens of microseconds, a model less than one. */
export class QualityPredictor {
  private readonly placesOfModels: ReadonlyMap<string, number>;

  /** By model: the place of its head, -1 where it has none. */
  private readonly heads: Int16Array;

  private readonly prototypes: Prototypes;

  /** By head and bucket: one head is asked at a time, and its numbers stand near each other. */
  private readonly gramsOfHeads: readonly Int8Array[];

  constructor(readonly weights: PredictorWeights) {
    this.placesOfModels = new Map(weights.models.map((model, at) => [model, at]));
    this.prototypes = new Prototypes(weights);
    this.gramsOfHeads = columnsOf(weights.headGrams, weights.headModels.length);
    this.heads = new Int16Array(weights.models.length).fill(-1);
    weights.headModels.forEach((model, head) => (this.heads[model] = head));
  }

  /** The place of a model that was measured, by the name that the weights have for it; -1 for others. */
  placeOf(model: string): number {
    return this.placesOfModels.get(model) ?? -1;
  }

  /** Reads one request. */
  read(features: Features): Reading {
    const dense = this.scaleDense(features.dense);
    const place = this.locate(features, dense);
    const shares = this.tasksAt(place);
    const { entropy, distance } = this.standing(place, shares);
    const { gate, taskLengths, denseLengths, generalDifficulty } = this.weights;
    const tasks: number[] = [];
    for (let task = 0; task < shares.length; task++)
      if (shares[task]! >= minShare) tasks.push(task);
    const familiar = sigmoid(gate[0]! + gate[1]! * entropy + gate[2]! * distance);
    const { hard, headDifficulty, leaning } = this.beside(features, dense, shares, tasks);
    return {
      gate: familiar,
      shares,
      tasks,
      place,
      difficulty: hard,
      headDifficulty,
      leaning,
      ...this.alikeTo(features, shares, tasks, familiar),
      generalDifficulty: dot(dense, generalDifficulty),
      length: dot(shares, taskLengths) + dot(dense, denseLengths),
    };
  }

  /** What to expect of a measured model, by its place. */
  expect(reading: Reading, model: number): Expectation {
    const { shares: table, counts, models, ability, slopes, general, modelLengths } = this.weights;
    let share = 0,
      variance = 0;
    for (const task of reading.tasks) {
      const weight = reading.shares[task]!;
      const at = task * models.length + model;
      const one = table[at]!;
      share += weight * one;
      variance += (weight * one * (1 - one)) / (priorRows + counts[at]!);
    }
    const head = this.heads[model]!;
    const beside =
      head < 0
        ? -slopes[model]! * reading.difficulty
        : reading.leaning(head) - slopes[model]! * reading.headDifficulty;
    const alike =
      reading.nearest === null
        ? 0
        : share + this.prototypes.beyondTask(reading.nearest, model, models.length);
    return mix(
      reading,
      oddsOf(share) + beside,
      variance,
      ability[model]! - general[0]!,
      generalSpread,
      modelLengths[model]!,
      reading.trustInNearest,
      alike,
    );
  }

  /**
   * What to expect of a model that was not measured.
   * @param known its ability, 0..1, as it is publicly known or guessed
   * @param verbosity natural logarithm of its output tokens over the average model's
   */
  guess(reading: Reading, known: number, verbosity = 0): Expectation {
    const { discrimination, hardness, general } = this.weights;
    const ability = general[1]! * oddsOf(known) + general[2]!;
    let share = 0;
    for (const task of reading.tasks)
      share += reading.shares[task]! * sigmoid(discrimination[task]! * ability - hardness[task]!);
    return mix(
      reading,
      oddsOf(share) - reading.difficulty,
      guessedSpread ** 2,
      ability - general[0]!,
      guessedSpread,
      verbosity,
    );
  }

  /** Which prompts it is like, and how far what is known of them is believed: as far as its kind is familiar, or they are really alike. */
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

  private scaleDense(dense: Float32Array): Float64Array {
    const { mean, scale } = this.weights;
    const scaled = new Float64Array(dense.length);
    for (let at = 0; at < dense.length; at++)
      scaled[at] = Math.max(-clip, Math.min(clip, (dense[at]! - mean[at]!) * scale[at]!));
    return scaled;
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

  /** How undecided the task is, and how far the nearest known texts are. */
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

  /** What the text itself tells beside its tasks, as far as that is believed for them. */
  private beside(
    features: Features,
    dense: Float64Array,
    shares: Float64Array,
    tasks: readonly number[],
  ): { hard: number; headDifficulty: number; leaning: (head: number) => number } {
    const { trust, headScale } = this.weights;
    const difficulty = this.difficultyOf(features, dense, shares);
    let inHeads = 0,
      besideHeads = 0,
      alone = 0;
    for (const task of tasks) {
      const share = shares[task]!;
      inHeads += share * trust[task * 3]!;
      besideHeads += share * trust[task * 3 + 1]!;
      alone += share * trust[task * 3 + 2]!;
    }
    const known = new Float64Array(headScale.length).fill(NaN);
    const leaning = (head: number): number => {
      if (Number.isNaN(known[head]!))
        known[head] = inHeads * this.headOf(head, features, dense, shares, tasks);
      return known[head]!;
    };
    return { hard: alone * difficulty, headDifficulty: besideHeads * difficulty, leaning };
  }

  /** What a head says of a text beyond the mean of its tasks. */
  private headOf(
    head: number,
    { buckets, weights: amounts }: Features,
    dense: Float64Array,
    shares: Float64Array,
    tasks: readonly number[],
  ): number {
    const { headScale, headDense, headMeans } = this.weights;
    const { length: width } = headScale;
    let said = sumOfNumbers(this.gramsOfHeads[head]!, buckets, amounts) * headScale[head]!;
    for (let at = 0; at < dense.length; at++) said += dense[at]! * headDense[at * width + head]!;
    for (const task of tasks) said -= shares[task]! * headMeans[task * width + head]!;
    return said;
  }

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

/** What is known of the kind of task and what is known in general, by how familiar the request is; and as far as `trust` goes, what holds on prompts like it. */
function mix(
  reading: Reading,
  special: number,
  variance: number,
  generalOdds: number,
  spread: number,
  verbosity: number,
  trust = 0,
  alike = 0,
): Expectation {
  const { gate } = reading;
  const mixed =
    gate * sigmoid(special) + (1 - gate) * sigmoid(generalOdds - reading.generalDifficulty);
  return {
    quality: kept((1 - trust) * mixed + trust * alike),
    uncertainty: Math.sqrt(gate * variance + (1 - gate) * spread ** 2),
    outputTokens: Math.min(
      maxOutputTokens,
      Math.max(minOutputTokens, Math.exp(reading.length + verbosity)),
    ),
  };
}

function oddsOf(share: number): number {
  return logOdds(kept(share));
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>, from = 0): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[from + at]!;
  return sum;
}
