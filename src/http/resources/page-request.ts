import type { Request } from 'express';
import { invalidField } from '../../errors.js';
import type { Page, PageRequest } from '../../store/contracts/page.js';

const defaultLimit = 20;
const largestLimit = 100;

/** `?limit=…&cursor=…` of a list. @throws GatewayError `validation_failed` for a limit that is not between 1 and 100 */
export function pageRequestOf({ query }: Request): PageRequest {
  const { limit = String(defaultLimit), cursor = null } = query;
  if (typeof limit !== 'string' || !/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > largestLimit)
    throw invalidField('limit', `must be a whole number between 1 and ${largestLimit}`);
  if (cursor !== null && typeof cursor !== 'string')
    throw invalidField('cursor', 'must be a string');
  return { limit: Number(limit), cursor: cursor === '' ? null : cursor };
}

/** A page as it is answered: `{object: 'list', items, next}`. */
export function listOf<T>(
  page: Page<T>,
  show: (item: T) => object,
): { object: 'list'; items: object[]; next: string | null } {
  return { object: 'list', items: page.items.map(show), next: page.next };
}

/** A named parameter of the path; what is no UUID is passed on and found nowhere. */
export function idOf({ params }: Request, name = 'id'): string {
  const id = params[name];
  return typeof id === 'string' ? id : '';
}

/** A time as it is answered. */
export const isoOrNull = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();
