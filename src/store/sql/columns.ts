/** JSON for a column; null for nothing. */
export function toJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** What a JSON column holds; null for null. */
export function fromJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

/**
 * A text of a client's as both databases take it: U+FFFD stands for a NUL and for half a surrogate pair, which would fail the whole batch that
 * it comes in. What is looked for by such a text is not found.
 */
export function clean<T extends string | null>(text: T): T {
  return (text === null ? null : text.replace(/[\0\p{Surrogate}]/gu, '\ufffd')) as T;
}

/** A whole number for a column that takes no fraction; null where there is none that counts. */
export function whole(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Math.round(value);
}

const steps = [64, 16, 4, 1];

/**
 * Parts of a list in few different sizes, for inserts: a statement of the same shape is prepared once and for all, and preparing one of many
 * rows takes longer than running it.
 */
export function stepped<T>(items: readonly T[]): T[][] {
  const parts: T[][] = [];
  let from = 0;
  for (const step of steps)
    for (; items.length - from >= step; from += step) parts.push(items.slice(from, from + step));
  return parts;
}

/** Parts of a list, so that no statement binds more parameters than both databases take. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
