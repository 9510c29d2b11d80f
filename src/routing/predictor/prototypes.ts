import type { Features } from './features/features.js';
import { gramBuckets } from './features/grams.js';

/** Groups of similar prompts as they are kept. */
export interface PrototypeWeights {
  /** By bucket: how telling it is that a text has it, rare ones more; 0 for what nearly every text has. */
  readonly telling: Int8Array;
  /** By prototype, `gramsOfPrototype` each: its most telling buckets, and what each weighs, in parts of 127. */
  readonly prototypeBuckets: Uint16Array;
  readonly prototypeGrams: Int8Array;
  /** By prototype and model: what the model does better there than on its task as a whole, in parts of 127. */
  readonly prototypeShares: Int8Array;
  /** By prototype, and by task: the number of the family that it is of. */
  readonly prototypeFamilies: Uint8Array;
  readonly taskFamilies: Uint8Array;
}

/** The prototypes that a text is most like, and how much each counts; that adds up to less than 1. */
export interface Nearest {
  readonly places: Int32Array;
  readonly amounts: Float64Array;
  /** How like the text the nearest one is: the cosine of their telling n-grams, 0..1. */
  readonly likeness: number;
}

/** So many buckets tell what a prototype is. */
export const gramsOfPrototype = 40;
/** Whole numbers of so many to one. */
export const prototypeUnit = 127;
const neighbours = 4;
/** How much less a prototype counts that is less like the text than the nearest one (e-folds for each whole of cosine). */
const sharpness = 10;
/** Weighs for the task as a whole beside the similarities. */
const wholeTask = 0.02;
/** As many as a byte tells apart. */
const maxFamilies = 256;

/** Finds which groups of similar prompts a text belongs to, by the cosine of their telling n-grams. A text of a kilobyte takes some microseconds. */
export class Prototypes {
  /** Inverted: by bucket the prototypes that have it, each with what it weighs there in the lowest byte. */
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
   * The few prototypes that a text is most like, nearest first; none where it has no telling n-gram of any.
   * @param shares by task: how far the text is of it; likeness to a prototype of another family does not count
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

  /** Adds up what the text and each prototype have in common; returns the text's length. */
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

  /** By family: how far the text is of it, over what makes a cosine of a sum. */
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

  /** What a model does better on texts like these than on their task as a whole: a share between -1 and 1. */
  beyondTask({ places, amounts }: Nearest, model: number, models: number): number {
    let beyond = 0;
    for (let at = 0; at < places.length; at++)
      beyond += amounts[at]! * this.weights.prototypeShares[places[at]! * models + model]!;
    return beyond / prototypeUnit;
  }
}

/** How much each counts, nearest first. */
function amountsOf(cosines: Float64Array): Float64Array {
  const amounts = cosines.map((cosine) => cosine * Math.exp(sharpness * (cosine - cosines[0]!)));
  const whole = amounts.reduce((sum, amount) => sum + amount, wholeTask);
  return amounts.map((amount) => amount / whole);
}
