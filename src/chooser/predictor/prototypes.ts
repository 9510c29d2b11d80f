import type { Features } from './features/features.js';
import { gramBuckets } from './features/grams.js';
import { gramsOfPrototype, type PredictorWeights } from './predictor-file.js';

/** Groups of similar prompts ("prototypes") as stored. */
export type PrototypeWeights = Pick<
  PredictorWeights,
  | 'telling'
  | 'prototypeBuckets'
  | 'prototypeGrams'
  | 'prototypeShares'
  | 'prototypeFamilies'
  | 'taskFamilies'
>;

/** The prototypes nearest to a text and how much each counts; the amounts add up to less than 1. */
export interface Nearest {
  readonly places: Int32Array;
  readonly amounts: Float64Array;
  /** The likeness of the nearest prototype: the cosine of the characteristic n-grams, 0..1. */
  readonly likeness: number;
}

/** The integer that stands for 1. */
export const prototypeUnit = 127;
const neighbours = 4;
/**
 * How fast a prototype's amount falls with its distance to the nearest one (e-folds for each whole
 * of cosine).
 */
const sharpness = 10;
/** The weight of the task as a whole, compared to the similarities. */
const wholeTask = 0.02;
/** The number of values of a byte. */
const maxFamilies = 256;

/** Finds a text's groups of similar prompts by the cosine of their n-grams, in microseconds. */
export class Prototypes {
  /** An inverted index: by bucket its prototypes, with their weight in the lowest byte. */
  private readonly starts = new Uint32Array(gramBuckets + 1);
  private readonly holders: Uint32Array;
  private readonly sums: Float64Array;
  private readonly familyShares: Float64Array;

  constructor(private readonly weights: PrototypeWeights) {
    const { prototypeBuckets: buckets, prototypeGrams: grams } = weights;
    this.sums = new Float64Array(buckets.length / gramsOfPrototype);
    this.familyShares = new Float64Array(maxFamilies);
    this.holders = new Uint32Array(buckets.length);
    for (const bucket of buckets) this.starts[bucket + 1]!++;
    for (let bucket = 0; bucket < gramBuckets; bucket++)
      this.starts[bucket + 1]! += this.starts[bucket]!;
    const next = this.starts.slice();
    buckets.forEach(
      (bucket, at) =>
        (this.holders[next[bucket]!++] =
          Math.floor(at / gramsOfPrototype) * 256 + Math.max(0, grams[at]!)),
    );
  }

  /**
   * The few prototypes nearest to a text, nearest first; none if they share no characteristic
   * n-gram.
   * @param shares by task: the text's share of it; a prototype of another family does not count
   */
  nearTo(features: Features, shares: Float64Array): Nearest {
    const length = this.compare(features),
      familyShares = this.familySharesOf(shares, length);
    const {
      sums,
      weights: { prototypeFamilies },
    } = this;
    const places = new Int32Array(neighbours),
      cosines = new Float64Array(neighbours);
    let last = 0;
    for (let place = 0; place < sums.length; place++) {
      const cosine = sums[place]! * familyShares[prototypeFamilies[place]!]!;
      if (cosine <= last) continue;
      let at = neighbours - 1;
      for (; at > 0 && cosines[at - 1]! < cosine; at--) {
        places[at] = places[at - 1]!;
        cosines[at] = cosines[at - 1]!;
      }
      places[at] = place;
      cosines[at] = cosine;
      last = cosines[neighbours - 1]!;
    }
    const found = cosines.filter((cosine) => cosine > 0);
    return {
      places: places.subarray(0, found.length),
      amounts: amountsOf(found),
      likeness: cosines[0]!,
    };
  }

  /** Sums up what text and prototypes have in common. @returns the text's length as a vector */
  private compare({ buckets, weights: amounts }: Features): number {
    const {
      sums,
      starts,
      holders,
      weights: { telling },
    } = this;
    sums.fill(0);
    let squares = 0;
    for (let at = 0; at < buckets.length; at++) {
      const bucket = buckets[at]!,
        value = amounts[at]! * telling[bucket]!;
      if (value === 0) continue;
      squares += value * value;
      for (let place = starts[bucket]!, end = starts[bucket + 1]!; place < end; place++)
        sums[holders[place]! >>> 8]! += value * (holders[place]! & 255);
    }
    return Math.sqrt(squares);
  }

  /** By family: the text's share of it, divided by what turns a sum into a cosine. */
  private familySharesOf(shares: Float64Array, length: number): Float64Array {
    const {
      familyShares,
      weights: { taskFamilies },
    } = this;
    familyShares.fill(0);
    if (length > 0)
      for (let task = 0; task < shares.length; task++)
        familyShares[taskFamilies[task]!]! += shares[task]! / (prototypeUnit * length);
    return familyShares;
  }

  /** How much better a model does on such texts than on their task as a whole: -1 to 1. */
  beyondTask({ places, amounts }: Nearest, model: number, models: number): number {
    let beyond = 0;
    for (let at = 0; at < places.length; at++)
      beyond += amounts[at]! * this.weights.prototypeShares[places[at]! * models + model]!;
    return beyond / prototypeUnit;
  }
}

/** How much each prototype counts, nearest first. */
function amountsOf(cosines: Float64Array): Float64Array {
  const amounts = cosines.map((cosine) => cosine * Math.exp(sharpness * (cosine - cosines[0]!)));
  const whole = amounts.reduce((sum, amount) => sum + amount, wholeTask);
  return amounts.map((amount) => amount / whole);
}
