/** The number of columns summed in one pass: as many sums as stay in registers. */
const columnsAtOnce = 8;

/**
 * The weighted sum of some rows of an integer matrix. Most of the work of reading a text.
 * @param width numbers in each row
 * @param sums where to write them; what it held is lost. Default: a new array
 * @returns `width` sums
 */
export function sumOfRows(
  matrix: Int8Array,
  width: number,
  rows: Int32Array,
  amounts: Float32Array,
  sums: Float64Array = new Float64Array(width),
): Float64Array {
  let column = 0;
  for (; column + columnsAtOnce <= width; column += columnsAtOnce)
    sumEight(matrix, width, rows, amounts, sums, column);
  for (; column < width; column++) {
    let sum = 0;
    for (let at = 0; at < rows.length; at++)
      sum += amounts[at]! * matrix[rows[at]! * width + column]!;
    sums[column] = sum;
  }
  return sums;
}

/** Unrolled by hand: a loop would load and store each sum for every row, in twice the time. */
function sumEight(
  matrix: Int8Array,
  width: number,
  rows: Int32Array,
  amounts: Float32Array,
  sums: Float64Array,
  column: number,
): void {
  let a = 0,
    b = 0,
    c = 0,
    d = 0,
    e = 0,
    f = 0,
    g = 0,
    h = 0;
  for (let at = 0; at < rows.length; at++) {
    const amount = amounts[at]!,
      from = rows[at]! * width + column;
    a += amount * matrix[from]!;
    b += amount * matrix[from + 1]!;
    c += amount * matrix[from + 2]!;
    d += amount * matrix[from + 3]!;
    e += amount * matrix[from + 4]!;
    f += amount * matrix[from + 5]!;
    g += amount * matrix[from + 6]!;
    h += amount * matrix[from + 7]!;
  }
  sums[column] = a;
  sums[column + 1] = b;
  sums[column + 2] = c;
  sums[column + 3] = d;
  sums[column + 4] = e;
  sums[column + 5] = f;
  sums[column + 6] = g;
  sums[column + 7] = h;
}

/** Adds the weighted sum of all rows of a matrix to `sums`, in place; returns `sums`. */
export function addRows(
  matrix: Float32Array,
  amounts: Float64Array,
  sums: Float64Array,
): Float64Array {
  const width = sums.length;
  for (let row = 0; row < amounts.length; row++)
    for (let column = 0; column < width; column++)
      sums[column]! += amounts[row]! * matrix[row * width + column]!;
  return sums;
}

/** The weighted sum of the numbers at some places. */
export function sumOfNumbers(
  numbers: Int8Array,
  places: Int32Array,
  amounts: Float32Array,
): number {
  let sum = 0;
  for (let at = 0; at < places.length; at++) sum += amounts[at]! * numbers[places[at]!]!;
  return sum;
}

const maxDeviations = 4;

/**
 * Dense features in standard deviations from their mean; outliers are cut off.
 * @param scaled where to write them. Default: a new array
 */
export function scaledDense(
  dense: Float32Array,
  { mean, scale }: { readonly mean: Float32Array; readonly scale: Float32Array },
  scaled: Float64Array = new Float64Array(dense.length),
): Float64Array {
  for (let at = 0; at < dense.length; at++)
    scaled[at] = Math.max(
      -maxDeviations,
      Math.min(maxDeviations, (dense[at]! - mean[at]!) * scale[at]!),
    );
  return scaled;
}
