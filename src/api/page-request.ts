import { invalidField } from '../errors.js';
import type { Page, PageRequest } from '../store/contracts/page.js';
import type { WithQuery } from './query.js';
import type { Json } from '../text/is-object.js';

/**
 * `?limit=…&cursor=…` of a list.
 * @throws GatewayError `validation_failed`, or `code`: `limit` out of range
 */
export function pageRequestOf(
  { query }: WithQuery,
  { normal = 20, max = 100, code }: { normal?: number; max?: number; code?: 'bad_request' } = {},
): PageRequest {
  const { limit = String(normal), cursor = null } = query;
  if (typeof limit !== 'string' || !/^[1-9]\d{0,5}$/.test(limit) || Number(limit) > max)
    throw invalidField('limit', `must be a whole number between 1 and ${max}`, code);
  if (cursor !== null && typeof cursor !== 'string')
    throw invalidField('cursor', 'must be a string');
  return { limit: Number(limit), cursor: cursor === '' ? null : cursor };
}

const maxSearchLength = 200;

/** `?search=…` of a list; null: all. @throws GatewayError `validation_failed`: it is too long */
export function searchOf({ query: { search } }: WithQuery): string | null {
  if (search === undefined) return null;
  if (typeof search !== 'string' || search.length > maxSearchLength)
    throw invalidField('search', `must be a text of at most ${maxSearchLength} characters`);
  return search.trim() === '' ? null : search.trim();
}

/** A page as the API returns it. */
export interface List<Item> {
  readonly object: 'list';
  readonly items: readonly Item[];
  /** The `cursor` of the next page; null: this is the last. */
  readonly next: string | null;
}

/** A page as the API returns it: `{object: 'list', items, next}`. */
export function listOf<T, Item>(page: Page<T>, show: (item: T) => Item): List<Item> {
  return { object: 'list', items: page.items.map(show), next: page.next };
}

/** What a path or a field names. @throws GatewayError `not_found` with the field: there is none */
export function found<T>(named: T | false | null | undefined, field: string): T {
  if (!named) throw invalidField(field, 'not found', 'not_found');
  return named;
}

/** A path parameter. It is not checked to be a UUID: anything else is not found in the store. */
export function idOf({ params }: { readonly params: Json }, name = 'id'): string {
  const id = params[name];
  return typeof id === 'string' ? id : '';
}
