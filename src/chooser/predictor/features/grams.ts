/** Hashed n-grams are counted in this many buckets, as a power of two. */
const gramBits = 14;
/** The number of buckets of hashed n-grams. */
export const gramBuckets = 1 << gramBits;

/** The initial value of a word's hash. */
export const emptyHash = 0x811c9dc5 | 0;

/** Adds one UTF-16 unit to a hash. */
export const hashNext = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);

/** The hash that the text scanner gives a word in lower case. */
export function hashWord(word: string): number {
  let hash = emptyHash;
  for (let at = 0; at < word.length; at++) hash = hashNext(hash, word.charCodeAt(at));
  return hash;
}

/** The bucket of a hash; `salt` separates kinds of n-grams. Similar hashes fall far apart. */
export function bucketOf(hash: number, salt: number): number {
  let mixed = hash ^ Math.imul(salt, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> (32 - gramBits);
}

/** The buckets of a text's n-grams and their weights, which form a vector of length 1. */
export interface Grams {
  readonly buckets: Int32Array;
  readonly weights: Float32Array;
}

/** Counts n-grams by bucket. One bag is used for many texts in turn: `take` empties it. */
export class GramBag {
  private readonly counts = new Uint16Array(gramBuckets);
  private readonly touched = new Int32Array(gramBuckets);
  private size = 0;

  /** Counts one n-gram; returns true if it is the first in its bucket. */
  add(bucket: number): boolean {
    const count = this.counts[bucket]!;
    if (count === 0) this.touched[this.size++] = bucket;
    if (count < 0xffff) this.counts[bucket] = count + 1;
    return count === 0;
  }

  /** What was counted since the last call, in an order that depends on the text only. */
  take(): Grams {
    const buckets = this.touched.slice(0, this.size);
    const weights = new Float32Array(this.size);
    let squares = 0;
    for (let at = 0; at < this.size; at++) {
      const weight = logarithms[Math.min(this.counts[buckets[at]!]!, logarithms.length - 1)]!;
      this.counts[buckets[at]!] = 0;
      weights[at] = weight;
      squares += weight * weight;
    }
    this.size = 0;
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let at = 0; at < weights.length; at++) weights[at]! *= scale;
    return { buckets, weights };
  }
}

/** Logarithms, because ten repetitions say less than ten times as much. */
const logarithms = Float32Array.from({ length: 256 }, (_, count) => Math.log1p(count));
