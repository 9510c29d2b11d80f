/** Solves a symmetric, positive system of which the lower half is given (Cholesky). The matrix is used up. */
export function solve(matrix: Float64Array[], target: Float64Array): Float64Array {
  return solveFactored(cholesky(matrix), target);
}

/** The same for a matrix of which the lower triangular root is given. */
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

/** The lower triangular root of a symmetric, positive matrix, in its place. */
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
