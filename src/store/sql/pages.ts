import { type Expression, type SelectQueryBuilder, sql, type SqlBool } from 'kysely';
import { invalidField } from '../../errors.js';
import type { Page, PageRequest } from '../contracts/page.js';
import { clean } from './columns.js';

/** A row's position in a list: the whole number by which the list is sorted, then the id. */
export type Position = readonly [sort: number, id: string];

/** The columns by which a list is sorted, such as `['api_keys.created_at', 'api_keys.id']`. */
export type Order = readonly [sort: string, id: string];

const written = /^(-?\d{1,16})\.([\x21-\x7e]{1,200})$/;

const cursorOf = ([sort, id]: Position): string =>
  Buffer.from(`${sort}.${id}`).toString('base64url');

function readCursor(cursor: string): Position {
  const [, sort, id] = written.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (sort === undefined || id === undefined || !Number.isSafeInteger(Number(sort)))
    throw notACursor();
  return [Number(sort), id];
}

/**
 * A `where` for the rows after a cursor; the query must be ordered by the same two columns.
 * `falling`: from the highest to the lowest.
 * @throws GatewayError `bad_request` for an invalid cursor
 */
export function after(
  [sort, id]: Order,
  cursor: string | null,
  direction: 'falling' | 'rising' = 'falling',
): Expression<SqlBool> {
  if (cursor === null) return sql<SqlBool>`1 = 1`;
  const position = readCursor(cursor);
  const beyond = sql.raw(direction === 'falling' ? '<' : '>');
  return sql<SqlBool>`(${sql.ref(sort)}, ${sql.ref(id)}) ${beyond} (${position[0]}, ${position[1]})`;
}

/**
 * A page of at most `limit` rows.
 * @param rows up to `limit + 1` of them, which shows whether another page follows
 */
export const pageOf = <Row, Item>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => Position,
  item: (row: Row) => Item,
): Page<Item> => pageBy(rows, limit, (row) => cursorOf(positionOf(row)), item);

function pageBy<Row, Item>(
  rows: readonly Row[],
  limit: number,
  cursor: (row: Row) => string,
  item: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? cursor(last) : null;
  return { items: shown.map(item), next };
}

/**
 * A page of what a query selects, from the highest of the column `sort` down, and rows that have the
 * same by id.
 * @throws GatewayError `bad_request` for an invalid cursor
 */
export async function readPage<DB, Table extends keyof DB, Row extends { id: string }, Item>(
  query: SelectQueryBuilder<DB, Table, Row>,
  sort: string & keyof Row,
  { limit, cursor }: PageRequest,
  item: (row: Row) => Item,
  table?: string,
): Promise<Page<Item>> {
  const order: Order = table === undefined ? [sort, 'id'] : [`${table}.${sort}`, `${table}.id`];
  const rows = await query
    .where(after(order, cursor))
    .orderBy(sql.ref(order[0]), 'desc')
    .orderBy(sql.ref(order[1]), 'desc')
    .limit(limit + 1)
    .execute();
  return pageOf(rows, limit, (row) => [Number(row[sort]), row.id], item);
}

/** As `pageOf`, where several values are a row's position. */
export const pageOfValues = <Row, Item>(
  rows: readonly Row[],
  limit: number,
  valuesOf: (row: Row) => readonly unknown[],
  item: (row: Row) => Item,
): Page<Item> =>
  pageBy(
    rows,
    limit,
    (row) => Buffer.from(JSON.stringify(valuesOf(row))).toString('base64url'),
    item,
  );

/** @throws GatewayError `bad_request` unless the cursor is one of `length` values */
export function readValues(cursor: string, length: number): (string | number)[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(values) && values.length === length)
      return values.map((value) => (typeof value === 'number' ? value : clean(String(value))));
  } catch {
    // answered below
  }
  throw notACursor();
}

const notACursor = () =>
  invalidField('cursor', 'must be the cursor of an earlier page', 'bad_request');
