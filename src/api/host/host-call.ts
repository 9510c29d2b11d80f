import { anonymous, type Caller, isRowless } from '../../accounts/caller.js';
import { compileSchema } from '../../config/schema/compile-schema.js';
import { invalidField } from '../../errors.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { scopes } from '../../store/contracts/keys.js';
import type { ApiContext, Call, Described, Endpoint } from '../endpoint.js';
import { checkQuery } from '../parameters.js';
import { refuseUnknown } from '../query.js';

/** How a method names the account that it acts for: it must, it may, or it acts for none. */
type AccountField = 'required' | 'optional' | 'none';

/**
 * Makes a method for the code of a host app of an endpoint: its fields are the account, the
 * parameters of the path, and those of the body or of the query, which are checked as by HTTP.
 */
export function hostMethod<Body, Answer>(
  host: ApiContext,
  one: Endpoint<Call<Body>, Answer>,
  accountField: AccountField,
): (fields?: object) => Promise<Answer> {
  const named = [...one.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const schema = one.request === undefined ? null : compileSchema<Body>(one.request);
  const own = accountField === 'none' ? named : [...named, 'account'];
  const hasQuery = one.isList === true || one.parameters !== undefined;
  const isSelected = selectsAccount(one);
  return async (fields = {}) => {
    const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !own.includes(name)));
    const failure = schema?.firstFailure(rest);
    if (failure) throw invalidField(failure.field, failure.reason);
    if (!schema && !hasQuery) refuseOthers(fields, own);
    // a field that is there and empty is refused: it would otherwise mean all accounts
    const isOfAccount =
      accountField !== 'none' && (accountField === 'required' || 'account' in fields);
    const account = isOfAccount ? await requiredAccount(host.parts, fields) : null;
    const call = {
      ...host,
      caller: callerFor(account, account === null || isSelected),
      snapshot: host.parts.current(),
      params: Object.fromEntries(named.map((name) => [name, requiredText(fields, name)])),
      query: schema
        ? {}
        : { ...queryOf(rest), ...(isSelected ? { account: account ?? 'all' } : {}) },
      body: rest as Body,
      prefersCsv: () => false,
    };
    checkQuery(one, call);
    return one.run(call);
  };
}

/** Whether a parameter `account` selects among all accounts, as for administrators. */
const selectsAccount = ({ parameters = [] }: Described): boolean =>
  parameters.some(({ name }) => name === 'account');

/** A host's code may do all that an account may, and with all accounts what administrators may. */
const callerFor = (account: string | null, isAdministrator: boolean): Caller => ({
  ...anonymous,
  name: 'host',
  accountId: account ?? 'host',
  role: isAdministrator ? 'admin' : 'member',
  scopes,
  toolkits: ['*'],
});

/** A host's fields as the parameters of a request: null is absent, a list is joined with commas. */
const queryOf = (fields: object): Record<string, unknown> =>
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
async function requiredAccount({ state }: GatewayParts, fields: object): Promise<string> {
  const account = requiredText(fields, 'account');
  if (isRowless(account)) return account;
  const { store } = await state.opened();
  if (await store.accounts.find(account)) return account;
  throw invalidField('account', 'not found; one of your users is host:<your id>', 'not_found');
}

/** @throws GatewayError `bad_request` for a field that the method does not know */
export const refuseOthers = (fields: object, known: readonly string[]): void =>
  refuseUnknown({ query: { ...fields } }, known);
