import type { Caller } from '../accounts/caller.js';
import { closestName } from '../config/closest.js';
import { GatewayError, invalidField } from '../errors.js';
import type { ModelName, RequestFilter } from '../store/contracts/requests.js';
import type { Store } from '../store/contracts/store.js';

/** The parameters of a list: those of a request, or what the code of a host app gives. */
export interface WithQuery {
  readonly query: Readonly<Record<string, unknown>>;
}

/** In a filter. */
const maxModels = 50;
const iso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Refuses a parameter that the route does not know: a filter with a typing error would otherwise
 * select everything.
 * @throws GatewayError `bad_request`
 */
export function refuseUnknown({ query }: WithQuery, known: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = closestName(unknown, known);
  const reason =
    meant === null
      ? `is not a known parameter; the known ones are: ${known.join(', ')}`
      : `is not a known parameter; did you mean ${meant}?`;
  // the client chose the name: only one like ours is repeated
  throw invalidField(/^[A-Za-z]\w{0,31}$/.test(unknown) ? unknown : 'query', reason, 'bad_request');
}

/**
 * A query parameter; null if it is absent or empty.
 * @throws GatewayError `validation_failed` if it is given more than once
 */
export function textParameter({ query }: WithQuery, name: string): string | null {
  const value = query[name];
  if (value === undefined || value === '') return null;
  if (typeof value !== 'string') throw invalidField(name, 'must be given once');
  return value;
}

/** A time in ms since 1970 or ISO 8601. @throws GatewayError `validation_failed` otherwise */
export function timeParameter(req: WithQuery, name: string): number | null {
  // a plus that the client did not encode arrives as a space
  const text = textParameter(req, name)?.replace(' ', '+') ?? null;
  if (text === null) return null;
  const at = /^\d{1,15}$/.test(text) ? Number(text) : iso.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(at))
    throw invalidField(
      name,
      'must be a time, such as 2026-01-31, 2026-01-31T12:00:00Z or ms since 1970',
    );
  return at;
}

/** A time range: `from` inclusive, `to` exclusive. @throws GatewayError `validation_failed` */
export function spanParameters(req: WithQuery): Record<'from' | 'to', number | null> {
  const [from, to] = [timeParameter(req, 'from'), timeParameter(req, 'to')];
  if (from !== null && to !== null && from >= to) throw invalidField('from', 'must be before to');
  return { from, to };
}

/**
 * The account that `?account=` selects, by default the caller's own; null for `all`.
 * @throws GatewayError `forbidden` for another account, unless the caller is an administrator
 */
export function accountParameter(asked: WithQuery & { readonly caller: Caller }): string | null {
  const { accountId, role } = asked.caller;
  const account = textParameter(asked, 'account') ?? accountId;
  if (account !== accountId && role !== 'admin')
    throw new GatewayError('forbidden', 'account: only administrators may see other accounts');
  return account === 'all' ? null : account;
}

/** `model=<provider>/<model>`, or `provider` and `model` separately. */
export function modelParameters(req: WithQuery): Pick<RequestFilter, 'provider' | 'model'> {
  const [provider, model] = [textParameter(req, 'provider'), textParameter(req, 'model')];
  return model === null ? { provider, model } : modelNamed(model, provider);
}

/** The same; `model` may name several, by commas. @throws GatewayError `validation_failed` */
export function modelsParameter(
  req: WithQuery,
): Pick<RequestFilter, 'provider' | 'model' | 'models'> {
  const named = textParameter(req, 'model')?.split(',') ?? [];
  const names = [...new Set(named.map((name) => name.trim()))].filter((name) => name !== '');
  if (names.length > maxModels) throw invalidField('model', `must be at most ${maxModels} models`);
  const provider = textParameter(req, 'provider');
  const models = names.map((name) => modelNamed(name, provider));
  return models.length > 1 ? { provider, models } : { provider, model: null, ...models[0] };
}

function modelNamed(name: string, provider: string | null): ModelName {
  const slash = provider === null ? name.indexOf('/') : -1;
  return slash === -1
    ? { provider, model: name }
    : { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

/** `status=429`, or `status=4xx` for a class. @throws GatewayError `validation_failed` */
export function statusParameter(req: WithQuery): Pick<RequestFilter, 'status' | 'statusClass'> {
  const status = textParameter(req, 'status');
  if (status === null) return {};
  if (/^[1-5]\d\d$/.test(status)) return { status: Number(status) };
  if (/^[1-5]xx$/i.test(status)) return { statusClass: Number(status[0]) };
  throw invalidField('status', 'must be a status such as 429, or a class such as 4xx');
}

/** A number of at least 0. @throws GatewayError `validation_failed` */
function numberParameter(req: WithQuery, name: string, unit: string): number | null {
  const text = textParameter(req, name);
  if (text === null) return null;
  const value = Number(text);
  if (!/^\d/.test(text) || !Number.isFinite(value))
    throw invalidField(name, `must be a number of ${unit}, at least 0`);
  return value;
}

/**
 * `minLatency` and `maxLatency` in ms, `minCost` and `maxCost` in USD, all inclusive.
 * @throws GatewayError `validation_failed`
 */
export const boundParameters = (
  req: WithQuery,
): Pick<RequestFilter, 'minLatencyMs' | 'maxLatencyMs' | 'minCostUsd' | 'maxCostUsd'> => ({
  minLatencyMs: numberParameter(req, 'minLatency', 'ms'),
  maxLatencyMs: numberParameter(req, 'maxLatency', 'ms'),
  minCostUsd: numberParameter(req, 'minCost', 'USD'),
  maxCostUsd: numberParameter(req, 'maxCost', 'USD'),
});

/** One of a few names; null if it is absent. @throws GatewayError `validation_failed` */
export function choiceParameter<Name extends string>(
  req: WithQuery,
  name: string,
  choices: readonly Name[],
): Name | null {
  const text = textParameter(req, name);
  const found = choices.find((one) => one === text);
  if (text !== null && found === undefined)
    throw invalidField(name, `must be one of: ${choices.join(', ')}`);
  return found ?? null;
}

/** `true` or `false`. @throws GatewayError `validation_failed` */
export function flagParameter(req: WithQuery, name: string): boolean | null {
  const flag = textParameter(req, name);
  if (flag !== null && flag !== 'true' && flag !== 'false')
    throw invalidField(name, 'must be true or false');
  return flag === null ? null : flag === 'true';
}

/**
 * The ids of the keys that `key=<id or name>` selects; null: no such parameter.
 * @param accountId whose keys; null: of all accounts
 * @throws GatewayError `validation_failed` if there is no such key
 */
export async function keyParameter(
  req: WithQuery,
  { keys }: Pick<Store, 'keys'>,
  accountId: string | null,
): Promise<string[] | null> {
  const named = textParameter(req, 'key');
  if (named === null) return null;
  // keys of the configuration are accounts of their own
  if (named.startsWith('fixed:')) return [named];
  if (accountId === `fixed:${named}`) return [accountId];
  const ids = await keys.idsOf(accountId, named);
  if (ids.length === 0) throw invalidField('key', 'no key of this account has this id or name');
  return [...ids];
}
