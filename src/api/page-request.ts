import { invalidField } from '../errors.js';
import type { Page, PageRequest } from '../store/contracts/page.js';
import { type WithQuery, refuseUnknown } from './query.js';

const defaultLimit = 20;
const maxLimit = 100;

/** The size of a list's pages. */
interface PageSizes {
  readonly normal: number;
  readonly max: number;
}

/**
 * `?limit=…&cursor=…` of a list.
 * @param filters the list's other parameters
 * @throws GatewayError `bad_request` for an unknown parameter, `validation_failed` for a `limit`
 *   below 1 or above the largest
 */
export function pageRequestOf(
  req: WithQuery,
  filters: readonly string[] = [],
  sizes: PageSizes = { normal: defaultLimit, max: maxLimit },
): PageRequest {
  refuseUnknown(req, ['limit', 'cursor', ...filters]);
  const { limit = String(sizes.normal), cursor = null } = req.query;
  if (typeof limit !== 'string' || !/^[1-9]\d{0,5}$/.test(limit) || Number(limit) > sizes.max)
    throw invalidField('limit', `must be a whole number between 1 and ${sizes.max}`);
  if (cursor !== null && typeof cursor !== 'string')
    throw invalidField('cursor', 'must be a string');
  return { limit: Number(limit), cursor: cursor === '' ? null : cursor };
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

/** A path parameter. It is not checked to be a UUID: anything else is not found in the store. */
export function idOf(
  { params }: { readonly params: Readonly<Record<string, unknown>> },
  name = 'id',
): string {
  const id = params[name];
  return typeof id === 'string' ? id : '';
}

/** A time as the API returns it: ISO 8601. */
export const isoOf = (at: number): string => new Date(at).toISOString();

/** The same for a time that may be absent. */
export const isoOrNull = (at: number | null): string | null => (at === null ? null : isoOf(at));
