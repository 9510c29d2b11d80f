/** Hashed n-grams fall into so many buckets. */
export const gramBits = 14;
export const gramBuckets = 1 << gramBits;

/** What a word's hash begins with. */
export const emptyHash = 0x811c9dc5 | 0;

/** Takes one more UTF-16 unit into a hash. */
export function hashNext(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

/** The hash that the scanner gives a word in small letters. */
export function hashWord(word: string): number {
  let hash = emptyHash;
  for (let at = 0; at < word.length; at++) hash = hashNext(hash, word.charCodeAt(at));
  return hash;
}

/** The bucket of a hash; `salt` keeps kinds of n-grams apart. Every bit counts: neighbours in value are far apart. */
export function bucketOf(hash: number, salt: number): number {
  let mixed = hash ^ Math.imul(salt, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> (32 - gramBits);
}
