import { type Expression, sql, type SqlBool } from 'kysely';
import { GatewayError } from '../../errors.js';
import type { Page } from '../contracts/store.js';

/** Where a row stands in a list: the number that the list is sorted by, then the id. */
export type Place = readonly [sort: number, id: string];

/** The columns of a list's order, as `['keys.created_at', 'keys.id']`. */
export type Order = readonly [sort: string, id: string];

const written = /^(-?\d{1,16})\.([\x21-\x7e]{1,200})$/;

/** An opaque cursor of a place. */
const cursorOf = ([sort, id]: Place): string => Buffer.from(`${sort}.${id}`).toString('base64url');

function placeOf(cursor: string): Place {
  const [, sort, id] = written.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (sort === undefined || id === undefined || !Number.isSafeInteger(Number(sort))) {
    throw new GatewayError('bad_request', 'cursor: must be one that a page before has given', {
      field: 'cursor',
    });
  }
  return [Number(sort), id];
}

/**
 * A `where` for what comes after a cursor; the query must be ordered by the same two columns. `falling`: from the highest to the lowest.
 * @throws GatewayError `bad_request` for a cursor that no page has given
 */
export function after(
  [sort, id]: Order,
  cursor: string | null,
  direction: 'falling' | 'rising' = 'falling',
): Expression<SqlBool> {
  if (cursor === null) return sql<SqlBool>`1 = 1`;
  const place = placeOf(cursor);
  const beyond = sql.raw(direction === 'falling' ? '<' : '>');
  return sql<SqlBool>`(${sql.ref(sort)}, ${sql.ref(id)}) ${beyond} (${place[0]}, ${place[1]})`;
}

/** The page of `limit` rows; ask the database for one row more, by which it is known whether another page follows. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  place: (row: Row) => Place,
  item: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(item),
    next: rows.length > limit && last !== undefined ? cursorOf(place(last)) : null,
  };
}
