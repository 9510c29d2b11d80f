import type { Features } from './features.js';
import type { Reading } from './quality-predictor.js';

const clip = 4;

/** How many coordinates a prompt has: its place in the router's space, then the dense features. */
export function coordinateCount(rank: number, denseCount: number): number {
  return rank + denseCount;
}

/** Writes a prompt's coordinates as they are, from a place on. */
export function writeCoordinates(
  { place }: Reading,
  { dense }: Features,
  into: Float32Array,
  from: number,
): void {
  into.set(place, from);
  into.set(dense, from + place.length);
}

/** Centres, scales and cuts coordinates in place: `mean.length` of them from a place on. */
export function standardise(
  values: Float32Array,
  from: number,
  mean: Float32Array,
  scale: Float32Array,
): void {
  for (let at = 0; at < mean.length; at++)
    values[from + at] = Math.max(
      -clip,
      Math.min(clip, (values[from + at]! - mean[at]!) * scale[at]!),
    );
}
