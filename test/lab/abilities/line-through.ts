/** `y = constant + factor * x`. */
export interface Line {
  readonly constant: number;
  readonly factor: number;
}

/** The line through points by least squares. */
export function lineThrough(points: readonly { readonly x: number; readonly y: number }[]): Line {
  const mean = (of: (one: { readonly x: number; readonly y: number }) => number): number =>
    points.reduce((sum, one) => sum + of(one), 0) / points.length;
  const x = mean((one) => one.x),
    y = mean((one) => one.y);
  const factor = mean((one) => (one.x - x) * (one.y - y)) / mean((one) => (one.x - x) ** 2);
  return { constant: y - factor * x, factor };
}
