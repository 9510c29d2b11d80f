/**
 * Pseudo-random numbers in [0, 1), the same for the same seed on every machine (mulberry32). Our
 * own and not a library's: a stored training must be reproducible from its seed, whatever versions
 * of libraries are installed.
 */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Shuffles places in place (Fisher-Yates). */
export function shuffle(places: Int32Array, random: () => number): void {
  for (let at = places.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const held = places[at]!;
    places[at] = places[other]!;
    places[other] = held;
  }
}

/** A number from the normal distribution of mean 0 and variance 1. */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
