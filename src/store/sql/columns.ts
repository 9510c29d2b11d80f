import { exactJson, parseExactJson } from '../../text/exact-json.js';

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

/** The columns of fields that are stored as they are: `created_at` of `createdAt`. */
export type ColumnsOf<Fields> = {
  -readonly [Name in keyof Fields as Snake<Name & string>]: Fields[Name];
};

function remembered(rename: (name: string) => string): (name: string) => string {
  const names = new Map<string, string>();
  return (name) => {
    const known = names.get(name) ?? rename(name);
    names.set(name, known);
    return known;
  };
}

const fieldName = remembered((column) =>
  column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
);
const columnName = remembered((field) =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

/** A row as fields: `createdAt` of `created_at`. All columns become fields, with their values. */
export function fieldsOf<Fields extends object>(row: ColumnsOf<Fields>): Fields {
  const fields: Record<string, unknown> = {};
  for (const [column, value] of Object.entries<unknown>(row)) fields[fieldName(column)] = value;
  return fields as Fields;
}

/** The columns of fields that are stored as they are; texts as `clean` leaves them. */
export function columnsOf<Fields extends object>(fields: Fields): ColumnsOf<Fields> {
  const columns: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields) as [string, unknown][])
    columns[columnName(name)] = typeof value === 'string' ? clean(value) : value;
  return columns as ColumnsOf<Fields>;
}

/** JSON for a column; null for null and undefined. */
export const toJson = (value: unknown): string | null =>
  value === null || value === undefined ? null : exactJson(value);

/** The value of a JSON column; null for null. */
export const fromJson = (text: string | null): unknown =>
  text === null ? null : parseExactJson(text);

/**
 * A client's text as both databases accept it: NUL and unpaired surrogates, which would fail the
 * whole batch, become U+FFFD. A search for such a text finds nothing.
 */
export const clean = <T extends string | null>(text: T): T =>
  (text === null ? null : text.replace(/[\0\p{Surrogate}]/gu, '\ufffd')) as T;

/** A number rounded for a column that accepts no fraction; null for null, NaN and infinity. */
export const wholeOrNull = (value: number | null): number | null =>
  value === null || !Number.isFinite(value) ? null : Math.round(value);

const steps = [64, 16, 4, 1];

/**
 * Splits a list into parts of few different sizes, for inserts: a statement of the same shape is
 * prepared once, and preparing one of many rows takes longer than running it.
 */
export function stepped<T>(items: readonly T[]): T[][] {
  const parts: T[][] = [];
  let from = 0;
  for (const step of steps)
    for (; items.length - from >= step; from += step) parts.push(items.slice(from, from + step));
  return parts;
}

/** Parts of `size`, so that no statement binds more parameters than both databases accept. */
export const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
