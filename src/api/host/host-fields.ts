import { isRowless } from '../../accounts/caller.js';
import type { Validator } from '../../config/schema/compile-schema.js';
import { invalidField } from '../../errors.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { refuseUnknown } from '../query.js';

/** Which part of a list is wanted. */
export interface PageOptions {
  /** From 1 to 100. Default: 20. */
  readonly limit?: number | null;
  /** `next` of the page before. Default: the first page. */
  readonly cursor?: string | null;
}

/**
 * Fields that a host's code gives, as the parameters of an HTTP request would be: null is absent, a
 * list is joined with commas.
 */
export const queryOf = (fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
      value === null || value === undefined ? [] : [[name, textOf(value)]],
    ),
  );

function textOf(value: unknown): unknown {
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'number' ? String(value) : value;
}

/** The text that a required field holds. @throws GatewayError `validation_failed` */
export function requiredText(fields: object, name: string): string {
  const value: unknown = Object.hasOwn(fields, name)
    ? fields[name as keyof typeof fields]
    : undefined;
  if (typeof value !== 'string' || value === '') throw invalidField(name, 'must be a text');
  return value;
}

/**
 * The account that a method acts for.
 * @throws GatewayError `validation_failed` without one, `not_found` if there is none with this id
 */
export async function requiredAccount({ state }: GatewayParts, fields: object): Promise<string> {
  const account = requiredText(fields, 'account');
  if (isRowless(account)) return account;
  const { store } = await state.opened();
  if (await store.accounts.find(account)) return account;
  throw invalidField('account', 'not found; one of your users is host:<your id>', 'not_found');
}

/**
 * The account to which a method is limited; null: none. A field that is there and empty is refused,
 * because it would otherwise mean all accounts.
 * @throws GatewayError as `requiredAccount`
 */
export async function namedAccount(parts: GatewayParts, fields: object): Promise<string | null> {
  return 'account' in fields ? requiredAccount(parts, fields) : null;
}

/** @throws GatewayError `bad_request` for a field that the method does not know */
export const refuseOthers = (fields: object, known: readonly string[]): void =>
  refuseUnknown({ query: { ...fields } }, known);

/**
 * Checks fields against the schema of the HTTP route's body.
 * @throws GatewayError `validation_failed` that names the field
 */
export function checkFields<T>(schema: Validator<T>, fields: unknown): asserts fields is T {
  const failure = schema.firstFailure(fields);
  if (failure) throw invalidField(failure.field, failure.reason);
}
