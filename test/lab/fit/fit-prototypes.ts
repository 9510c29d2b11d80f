import { gramBuckets } from '../../../src/routing/predictor/features/grams.js';
import {
  gramsOfPrototype,
  Prototypes,
  prototypeUnit,
  type PrototypeWeights,
} from '../../../src/routing/predictor/prototypes.js';
import type { Features } from '../../../src/routing/predictor/features/features.js';
import type { Evaluations } from './evaluations.js';
import type { Tables } from './fit-tables.js';
import { seeded, shuffle } from '../../../src/training/custom/seeded.js';

/** What makes groups of similar prompts, beside how models do in them. */
export type Groups = Pick<PrototypeWeights, 'prototypeBuckets' | 'prototypeGrams'>;

/** A prototype for so many prompts, and no more than this of a family. */
const rowsForOne = 10,
  mostOfFamily = 250;
/** A family's prompts that the groups are found from: more of the same change little. */
const mostRows = 4000;
const rounds = 4;
/** A group of fewer prompts is none: it would be about its prompts and not about their kind. */
const fewestMembers = 3;
/** Prompts that a model's score on its whole task is worth beside those of a group. */
const wholeTaskRows = 3;
const tellingUnit = 12,
  leastTelling = 0.3;
/** Rows of a family beside its own in which a bucket was not seen. */
const unseenRows = 10;

/** How telling each bucket is: by the logarithm of the texts for one that has it (inverse document frequency), in the family that has it most often. */
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
    return telling < leastTelling ? 0 : Math.min(127, Math.round(telling * tellingUnit));
  });
}

/** Finds groups of similar prompts among the rows of one family (spherical k-means). The same rows and seed give the same groups. */
export function fitGroups(
  { features }: Evaluations,
  rows: Int32Array,
  telling: Int8Array,
  seed: number,
): Groups {
  const order = rows.slice();
  shuffle(order, seeded(seed + 4));
  const drawn = Array.from(order.subarray(0, mostRows), (row) => features[row]!);
  const count = Math.min(mostOfFamily, Math.ceil(drawn.length / rowsForOne));
  let groups = groupsOf(
    drawn.slice(0, count).map((one) => addTo(new Float32Array(gramBuckets), one, telling)),
  );
  for (let round = 1; round <= rounds; round++) {
    const fewest = round === rounds ? fewestMembers : 1;
    groups = groupsOf(
      gather(drawn, groups, telling)
        .filter(({ size }) => size >= fewest)
        .map(({ sum }) => sum),
    );
  }
  return groups;
}

/** Groups as prototypes of one family, of which every text is that is asked for. */
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

/** The shares of a text that is of the one family there is. */
export const oneFamily: Float64Array = Float64Array.of(1);

/** Adds the telling n-grams of a text, of unit length together. */
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

/** The n-grams of the texts of each group, added up. */
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

/** The heaviest buckets of each sum, of unit length together. */
function groupsOf(sums: readonly Float32Array[]): Groups {
  const prototypeBuckets = new Uint16Array(sums.length * gramsOfPrototype),
    prototypeGrams = new Int8Array(prototypeBuckets.length);
  sums.forEach((sum, prototype) => {
    const least =
      sum
        .filter((value) => value > 0)
        .sort()
        .at(-gramsOfPrototype) ?? Number.MIN_VALUE;
    let squares = 0,
      found = 0;
    const heaviest = new Uint16Array(gramsOfPrototype);
    for (let bucket = 0; bucket < gramBuckets && found < gramsOfPrototype; bucket++) {
      if (sum[bucket]! < least) continue;
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

/** By prototype and model: the mean of what its rows scored beyond the share of their task, drawn to nothing where few rows tell; in parts of 127. */
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
