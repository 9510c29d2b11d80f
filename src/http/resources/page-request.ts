import type { Request } from 'express';
import { invalidField } from '../../errors.js';
import type { Page, PageRequest } from '../../store/contracts/page.js';

const defaultLimit = 20;
const maxLimit = 100;

/**
 * `?limit=…&cursor=…` of a list.
 * @throws GatewayError `validation_failed` unless `limit` is between 1 and 100
 */
export function pageRequestOf({ query }: Request): PageRequest {
  const { limit = String(defaultLimit), cursor = null } = query;
  if (typeof limit !== 'string' || !/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > maxLimit)
    throw invalidField('limit', `must be a whole number between 1 and ${maxLimit}`);
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
