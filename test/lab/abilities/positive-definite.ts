/** The product of two vectors. */
export const dot = (a: Float64Array, b: Float64Array): number =>
  a.reduce((sum, value, at) => sum + value * b[at]!, 0);

/** The inverse of a small positive definite matrix, by Gauss and Jordan. */
export function inverseOf(matrix: readonly Float64Array[]): Float64Array[] {
  const size = matrix.length;
  const left = matrix.map((row) => Float64Array.from(row));
  const inverse = left.map((_, at) => {
    const row = new Float64Array(size);
    row[at] = 1;
    return row;
  });
  for (let pivot = 0; pivot < size; pivot++) {
    const factor = 1 / left[pivot]![pivot]!;
    for (const side of [left, inverse])
      for (let at = 0; at < size; at++) side[pivot]![at]! *= factor;
    for (let row = 0; row < size; row++) {
      const times = left[row]![pivot]!;
      if (row === pivot || times === 0) continue;
      for (const side of [left, inverse])
        for (let at = 0; at < size; at++) side[row]![at]! -= times * side[pivot]![at]!;
    }
  }
  return inverse;
}
