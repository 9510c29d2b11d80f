import { gramBuckets } from '../../../src/chooser/predictor/features/grams.js';
import { gramsOfPrototype } from '../../../src/chooser/predictor/predictor-file.js';
import {
  Prototypes,
  prototypeUnit,
  type PrototypeWeights,
} from '../../../src/chooser/predictor/prototypes.js';
import type { Features } from '../../../src/chooser/predictor/features/features.js';
import type { Evaluations } from './evaluations.js';
import type { Tables } from './tables.js';
import { seeded, shuffle } from '../../../src/chooser/training/custom/bootstrap.js';

/** Groups of similar prompts: their n-grams, without the scores of the models. */
export type Groups = Pick<PrototypeWeights, 'prototypeBuckets' | 'prototypeGrams'>;

/** A family gets one prototype for so many prompts. */
const rowsPerPrototype = 10;
const maxPrototypes = 250;
/** Prompts of a family that groups are found from. More of the same change little. */
const maxRows = 4000;
const rounds = 4;
/** A smaller group would describe its prompts and not their kind. */
const minMembers = 3;
/** How many prompts of a group a model's score on the whole task counts as. */
const wholeTaskRows = 3;
const tellingUnit = 12,
  minTelling = 0.3;
/** Added to the rows of a family, so that small families do not make buckets look common. */
const unseenRows = 10;

/**
 * How telling each bucket is: its inverse document frequency (logarithm) in the family that has it
 * most often.
 */
export function fitTelling(
  { features, families, tasks }: Evaluations,
  rows: Int32Array,
): Int8Array {
  const most = new Float32Array(gramBuckets);
  for (const family of new Set(families)) {
    const counts = new Float32Array(gramBuckets).fill(1),
      members = rows.filter((row) => families[tasks[row]!] === family);
    for (const row of members) for (const bucket of features[row]!.buckets) counts[bucket]!++;
    for (let bucket = 0; bucket < gramBuckets; bucket++)
      most[bucket] = Math.max(most[bucket]!, counts[bucket]! / (unseenRows + members.length));
  }
  return Int8Array.from(most, (share) => {
    const telling = -Math.log(share);
    return telling < minTelling ? 0 : Math.min(127, Math.round(telling * tellingUnit));
  });
}

/**
 * Finds groups of similar prompts among the rows of one family (spherical k-means). The same rows
 * and seed give the same groups.
 */
export function fitGroups(
  { features }: Evaluations,
  rows: Int32Array,
  telling: Int8Array,
  seed: number,
): Groups {
  const order = rows.slice();
  shuffle(order, seeded(seed + 4));
  const drawn = Array.from(order.subarray(0, maxRows), (row) => features[row]!);
  const count = Math.min(maxPrototypes, Math.ceil(drawn.length / rowsPerPrototype));
  let groups = groupsOf(
    drawn.slice(0, count).map((one) => addTo(new Float32Array(gramBuckets), one, telling)),
  );
  for (let round = 1; round <= rounds; round++) {
    const minSize = round === rounds ? minMembers : 1;
    groups = groupsOf(
      gather(drawn, groups, telling)
        .filter(({ size }) => size >= minSize)
        .map(({ sum }) => sum),
    );
  }
  return groups;
}

/** Groups as the prototypes of a single family, which every text belongs to. */
export function prototypesOf(
  groups: Groups,
  telling: Int8Array,
  prototypeShares: Int8Array = new Int8Array(),
): Prototypes {
  return new Prototypes({
    ...groups,
    telling,
    prototypeShares,
    prototypeFamilies: new Uint8Array(groups.prototypeBuckets.length / gramsOfPrototype),
    taskFamilies: new Uint8Array(1),
  });
}

/** The family shares of a text if there is only one family. */
export const oneFamily: Float64Array = Float64Array.of(1);

/** Adds the telling n-grams of a text, scaled to unit length. */
function addTo(
  sum: Float32Array,
  { buckets, weights }: Features,
  telling: Int8Array,
): Float32Array {
  let squares = 0;
  for (let at = 0; at < buckets.length; at++)
    squares += (weights[at]! * telling[buckets[at]!]!) ** 2;
  const length = Math.sqrt(squares) || 1;
  for (let at = 0; at < buckets.length; at++)
    sum[buckets[at]!]! += (weights[at]! * telling[buckets[at]!]!) / length;
  return sum;
}

/** The sums of the n-grams of each group's texts. */
function gather(
  texts: readonly Features[],
  groups: Groups,
  telling: Int8Array,
): { readonly sum: Float32Array; size: number }[] {
  const prototypes = prototypesOf(groups, telling);
  const gathered = Array.from(
    { length: groups.prototypeBuckets.length / gramsOfPrototype },
    () => ({ sum: new Float32Array(gramBuckets), size: 0 }),
  );
  for (const text of texts) {
    const group = gathered[prototypes.nearTo(text, oneFamily).places[0] ?? -1];
    if (group === undefined) continue;
    group.size++;
    addTo(group.sum, text, telling);
  }
  return gathered;
}

/** The heaviest buckets of each sum, scaled to unit length. */
function groupsOf(sums: readonly Float32Array[]): Groups {
  const prototypeBuckets = new Uint16Array(sums.length * gramsOfPrototype),
    prototypeGrams = new Int8Array(prototypeBuckets.length);
  sums.forEach((sum, prototype) => {
    const minKept =
      sum
        .filter((value) => value > 0)
        .sort()
        .at(-gramsOfPrototype) ?? Number.MIN_VALUE;
    let squares = 0,
      found = 0;
    const heaviest = new Uint16Array(gramsOfPrototype);
    for (let bucket = 0; bucket < gramBuckets && found < gramsOfPrototype; bucket++) {
      if (sum[bucket]! < minKept) continue;
      heaviest[found++] = bucket;
      squares += sum[bucket]! ** 2;
    }
    for (let at = 0; at < found; at++) {
      prototypeBuckets[prototype * gramsOfPrototype + at] = heaviest[at]!;
      prototypeGrams[prototype * gramsOfPrototype + at] = Math.round(
        (prototypeUnit * sum[heaviest[at]!]!) / Math.sqrt(squares),
      );
    }
  });
  return { prototypeBuckets, prototypeGrams };
}

/**
 * By prototype and model: the mean score of its rows beyond the share of their task, shrunk towards
 * 0 if there are few rows; in parts of 127.
 */
export function sharesAt(
  { features, scores, tasks, models: { length: width } }: Evaluations,
  rows: Int32Array,
  { shares }: Tables,
  groups: Groups,
  telling: Int8Array,
): Int8Array {
  const prototypes = prototypesOf(groups, telling);
  const sums = new Float64Array((groups.prototypeBuckets.length / gramsOfPrototype) * width),
    counts = new Float64Array(sums.length).fill(wholeTaskRows);
  for (const row of rows) {
    const near = prototypes.nearTo(features[row]!, oneFamily);
    near.places.forEach((place, at) => {
      const amount = near.amounts[at]!;
      for (let model = 0; model < width; model++) {
        const beyond = scores[row * width + model]! - shares[tasks[row]! * width + model]!;
        if (Number.isNaN(beyond)) continue;
        sums[place * width + model]! += amount * beyond;
        counts[place * width + model]! += amount;
      }
    });
  }
  return Int8Array.from(sums, (sum, at) => Math.round((prototypeUnit * sum) / counts[at]!));
}
