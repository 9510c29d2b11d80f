/**
 * Solves a symmetric, positive definite system, given the lower half of its matrix, which is
 * overwritten.
 */
export function solve(matrix: Float64Array[], target: Float64Array): Float64Array {
  return solveFactored(cholesky(matrix), target);
}

/** Solves such a system, given the lower triangular root of its matrix (see `cholesky`). */
export function solveFactored(lower: readonly Float64Array[], target: Float64Array): Float64Array {
  const size = target.length;
  const solution = target.slice();
  for (let row = 0; row < size; row++) {
    for (let j = 0; j < row; j++) solution[row]! -= lower[row]![j]! * solution[j]!;
    solution[row]! /= lower[row]![row]!;
  }
  for (let row = size - 1; row >= 0; row--) {
    for (let j = row + 1; j < size; j++) solution[row]! -= lower[j]![row]! * solution[j]!;
    solution[row]! /= lower[row]![row]!;
  }
  return solution;
}

/**
 * The lower triangular root of a symmetric, positive definite matrix (Cholesky), computed in place.
 */
export function cholesky(matrix: Float64Array[]): Float64Array[] {
  for (let row = 0; row < matrix.length; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = matrix[row]![column]!;
      for (let j = 0; j < column; j++) sum -= matrix[row]![j]! * matrix[column]![j]!;
      matrix[row]![column] =
        row === column ? Math.sqrt(Math.max(1e-9, sum)) : sum / matrix[column]![column]!;
    }
  }
  return matrix;
}
