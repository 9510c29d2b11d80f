/** A row of a stored state, which may hold anything. */
export type Row = readonly unknown[];

/** Those elements of a stored value that are rows. */
export const rowsOf = (value: unknown): Row[] =>
  Array.isArray(value) ? value.filter((row): row is Row => Array.isArray(row)) : [];

/** Whether a stored value can be a time, ms since 1970. */
export const isTime = (value: unknown): value is number => Number.isSafeInteger(value);

/** Whether a stored value can be a count, whole or faded. */
export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value < Infinity;
