import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A stream of reproducible random numbers: the same seed gives the same numbers everywhere. */
export interface RandomStream {
  /** The next number, at least 0 and below 1. */
  next(): number;
  /** The places 0 to `count - 1` in random order. */
  order(count: number): Int32Array;
}

/**
 * The laboratory's random numbers. The fits in `fit/` use the generator of the product's training
 * instead, so that a fit still gives the bytes that the model card names.
 */
export function createRandomStream(seed: number): RandomStream {
  const generator = xoroshiro128plus(seed);
  return {
    next: () => uniformFloat64(generator),
    order(count) {
      const places = Int32Array.from({ length: count }, (_, place) => place);
      for (let last = count - 1; last > 0; last--) {
        const other = uniformInt(generator, 0, last);
        [places[last], places[other]] = [places[other]!, places[last]!];
      }
      return places;
    },
  };
}

/** A number from the normal distribution of mean 0 and variance 1. */
export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
