import type { Request } from 'express';
import { invalidField } from '../../errors.js';
import { refuseUnknown } from './query.js';
import type { Page, PageRequest } from '../../store/contracts/page.js';

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
  req: Pick<Request, 'query'>,
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

/** A page as the API returns it: `{object: 'list', items, next}`. */
export function listOf<T>(
  page: Page<T>,
  show: (item: T) => object,
): { object: 'list'; items: object[]; next: string | null } {
  return { object: 'list', items: page.items.map(show), next: page.next };
}

/** A path parameter. It is not checked to be a UUID: anything else is not found in the store. */
export function idOf({ params }: Request, name = 'id'): string {
  const id = params[name];
  return typeof id === 'string' ? id : '';
}

/** A time as the API returns it: ISO 8601. */
export const isoOrNull = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();
