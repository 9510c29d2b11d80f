import { anonymous, type Caller } from '../../accounts/caller.js';
import { compileSchema } from '../../config/schema/compile-schema.js';
import { scopes } from '../../store/contracts/keys.js';
import type { ApiContext } from '../api-context.js';
import type { Call, Described, Endpoint } from '../endpoint.js';
import {
  checkFields,
  namedAccount,
  queryOf,
  refuseOthers,
  requiredAccount,
  requiredText,
} from './host-fields.js';

/** How a method names the account that it acts for: it must, it may, or it acts for none. */
export type AccountField = 'required' | 'optional' | 'none';

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
    if (schema) checkFields(schema, rest);
    else if (!hasQuery) refuseOthers(fields, own);
    const account = await accountOf(host, fields, accountField);
    return one.run({
      ...host,
      caller: callerFor(account, account === null || isSelected),
      snapshot: host.parts.current(),
      params: Object.fromEntries(named.map((name) => [name, requiredText(fields, name)])),
      query: schema
        ? {}
        : { ...queryOf(rest), ...(isSelected ? { account: account ?? 'all' } : {}) },
      body: rest as Body,
      prefersCsv: () => false,
    });
  };
}

async function accountOf(
  { parts }: ApiContext,
  fields: object,
  accountField: AccountField,
): Promise<string | null> {
  if (accountField === 'none') return null;
  return accountField === 'required' ? requiredAccount(parts, fields) : namedAccount(parts, fields);
}

/** Whether a parameter `account` selects among all accounts, as for administrators. */
const selectsAccount = ({ parameters = [] }: Described): boolean =>
  parameters.some((one) => 'name' in one && one.name === 'account');

/** A host's code may do all that an account may, and with all accounts what administrators may. */
const callerFor = (account: string | null, isAdministrator: boolean): Caller => ({
  ...anonymous,
  name: 'host',
  accountId: account ?? 'host',
  role: isAdministrator ? 'admin' : 'member',
  scopes,
  toolkits: ['*'],
});
