/** So that the first steps are finite. */
export const firstSum = 1e-2;

/** Moves one weight against its gradient by AdaGrad, and shrinks it. */
export function adaGradStep(
  target: Float32Array,
  sums: Float32Array,
  at: number,
  gradient: number,
  rate: number,
  decay: number,
): void {
  sums[at]! += gradient * gradient;
  target[at] =
    target[at]! * (1 - rate * decay) - (rate * gradient) / Math.sqrt(sums[at]! + firstSum);
}
