import { type Caller, defaultScopes, type HostCaller } from '../accounts/caller.js';
import { keyFields } from '../accounts/export-account.js';
import { keyFor, rotateKey } from '../accounts/first-key.js';
import { newKey } from '../accounts/static-keys.js';
import { type DoneAct, keyCreated } from '../accounts/write-act.js';
import { GatewayError, invalidField } from '../errors.js';
import type { Act } from '../store/contracts/audit.js';
import { type KeyLimits, noLimits } from '../store/contracts/accounts.js';
import type { KeyChanges, KeyRecord } from '../store/contracts/keys.js';
import { matchesGlob } from '../models/access-rules.js';
import { type Call, endpointsOf, type Endpoint } from './endpoint.js';
import { idOf, type List, listOf, pageRequestOf, searchOf } from './page-request.js';
import { queryParameter, shared } from './parameters.js';
import { isoOrNull, shownFieldsOf, type Shown } from './shown-fields.js';

/** What a new key allows. */
export interface KeyTerms extends Pick<HostCaller, 'scopes' | 'models' | 'toolkits' | 'economy'> {
  readonly name: string;
  /** ISO 8601. Default: never. */
  readonly expiresAt?: string | null;
  /** Default: none. */
  readonly limits?: Partial<KeyLimits> | null;
}

const shownFields = ['id', 'accountId', ...keyFields] as const;

/** A key as the API returns it, without the key itself or its hash. Times in ISO 8601. */
export interface Key extends Shown<KeyRecord, (typeof shownFields)[number]> {
  readonly object: 'key';
}

/** How a key gets a new secret. */
export interface RotationTerms {
  /** How long the old secret stays valid; 0: it ends at once. Default: a day. */
  readonly overlapSeconds?: number;
}

/** A key that was just issued: the only answer that contains the key itself. */
export interface IssuedKey extends Key {
  readonly key: string;
}

const shownKey = (record: KeyRecord): Key => ({
  object: 'key',
  ...shownFieldsOf(record, shownFields),
});

const endpoint = endpointsOf({ tag: 'API keys', scope: 'admin' });
const path = '/api/v1/keys';
const onePath = `${path}/{id}`;
const response = 'key.response';

/** Administrators list another account with `?account=<id>`, all with `?account=all`. */
export const listKeys = endpoint('get', path, 'listKeys', {
  summary: "List the account's API keys, newest first",
  response,
  isList: true,
  parameters: [
    shared.account,
    queryParameter('search', 'Only keys whose name or beginning has this text.'),
  ],
  async run(call: Call): Promise<List<Key>> {
    const [page, search] = [pageRequestOf(call), searchOf(call)];
    const accountId = listedAccount(call);
    const { store } = await call.parts.state.opened();
    return listOf(await store.keys.list(accountId, page, search), shownKey);
  },
});

/** Issues a key: the only answer that contains the key itself. */
export const createKey = endpoint('post', path, 'createKey', {
  summary: 'Create an API key',
  description: 'Only this answer contains the key itself.',
  request: 'key.request',
  example: {
    name: 'website',
    scopes: ['completions'],
    models: ['openai/*'],
    limits: { requestsPerMinute: 60, dayBudgetUsd: 5 },
  },
  response,
  status: 201,
  async run({ parts, record: recordAct, caller, body }: Call<KeyTerms>): Promise<IssuedKey> {
    refuseToolkits(caller, body);
    const { name, scopes, models, toolkits, economy, expiresAt, limits } = body;
    const { store } = await parts.state.opened();
    const key = newKey();
    const record = await store.keys.add(
      keyFor(caller.accountId, name, key, {
        scopes: scopes ?? defaultScopes,
        models: models ?? null,
        toolkits: toolkits ?? [],
        economy: economy ?? null,
        limits: { ...noLimits, ...limits },
        expiresAt: timeOf(expiresAt),
      }),
    );
    await parts.state.keys.changed(record);
    await recordAct(keyCreated(record));
    return { ...shownKey(record), key };
  },
});

/** Gives a key a new secret, which only this answer contains. Its id, limits and usage stay. */
export const replaceSecret = endpoint('post', `${onePath}/rotate`, 'rotateKey', {
  summary: 'Give an API key a new secret',
  description:
    'Only this answer contains the new secret. The old one works until the overlap ends; id, limits, budgets and usage stay.',
  request: 'key-rotation.request',
  isBodyOptional: true,
  example: { overlapSeconds: 3600 },
  response,
  errors: { 409: 'The key was revoked or has expired, or its account is disabled.' },
  async run(call: Call<RotationTerms>): Promise<IssuedKey> {
    const { parts, body } = call;
    const { store } = await parts.state.opened();
    const { record, key } = await rotateKey(store, {
      id: idOf(call),
      accountId: reachOf(call),
      overlapSeconds: body.overlapSeconds,
    });
    await parts.state.keys.changed(record);
    const details = { previousValidUntil: isoOrNull(record.previousValidUntil) };
    await call.record({ ...actOn('key.rotate', record), details });
    return { ...shownKey(record), key };
  },
});

/** One key. */
export const getKey = endpoint('get', onePath, 'getKey', {
  summary: 'One API key',
  response,
  run: async (call: Call): Promise<Key> => shownKey(await foundKey(call)),
});

/** Changes the given fields; takes effect on every replica within a second. */
export const updateKey = endpoint('patch', onePath, 'updateKey', {
  summary: 'Change an API key',
  request: 'key-change.request',
  example: { limits: { dayBudgetUsd: 10 } },
  response,
  async run(call: Call<Partial<KeyTerms>>): Promise<Key> {
    refuseToolkits(call.caller, call.body);
    await foundKey(call);
    const { limits, expiresAt, scopes, toolkits, ...rest } = call.body;
    const changes: KeyChanges = {
      ...rest,
      ...(scopes ? { scopes } : {}),
      ...(toolkits === undefined ? {} : { toolkits: toolkits ?? [] }),
      ...(expiresAt === undefined ? {} : { expiresAt: timeOf(expiresAt) }),
      ...(limits === undefined ? {} : { limits: limits ?? noLimits }),
    };
    const record = await change(call, changes);
    await call.record({ ...actOn('key.change', record), details: changes });
    return shownKey(record);
  },
});

/**
 * Revokes a key permanently. A revoked one stays as it is. It does not count as a request: a key
 * that leaked can be revoked while its thief uses up the account's requests.
 */
export const revokeKey = endpoint('delete', onePath, 'revokeKey', {
  summary: 'Revoke an API key permanently',
  isUncounted: true,
  async run(call: Call): Promise<void> {
    const { revokedAt } = await foundKey(call);
    if (revokedAt !== null) return;
    await call.record(actOn('key.revoke', await change(call, { revokedAt: Date.now() })));
  },
});

/** API keys. */
export const keyEndpoints: readonly Endpoint[] = [
  listKeys,
  createKey,
  replaceSecret,
  getKey,
  updateKey,
  revokeKey,
];

/**
 * Anyone may have created an account by sign-up, so it gives its keys no toolkit that it may not use.
 * @throws GatewayError `forbidden`
 */
function refuseToolkits({ role, toolkits }: Caller, wanted: Partial<KeyTerms>): void {
  // a glob that matches the text of another glob matches all that the other one matches
  const isOwn = (glob: string): boolean => toolkits.some((own) => matchesGlob(own, glob));
  if (role === 'admin' || (wanted.toolkits ?? []).every(isOwn)) return;
  throw new GatewayError(
    'forbidden',
    'toolkits: only administrators may name toolkits that they may not use themselves',
  );
}

/** The account whose keys the caller may access; null for administrators, who may access all. */
const reachOf = ({ caller: { role, accountId } }: Call): string | null =>
  role === 'admin' ? null : accountId;

function listedAccount({ query: { account }, caller: { role, accountId } }: Call): string | null {
  if (account === undefined) return accountId;
  if (role !== 'admin')
    throw new GatewayError(
      'forbidden',
      'account: only administrators may list the keys of other accounts',
    );
  if (account === 'all') return null;
  return typeof account === 'string' ? account : '';
}

const actOn = (act: Act, { accountId, id }: KeyRecord): DoneAct => ({ act, accountId, target: id });

async function change(call: Call, changes: KeyChanges): Promise<KeyRecord> {
  const { state } = call.parts;
  const { store } = await state.opened();
  const record = found(await store.keys.update(reachOf(call), idOf(call), changes));
  await state.keys.changed(record);
  return record;
}

async function foundKey(call: Call): Promise<KeyRecord> {
  const { store } = await call.parts.state.opened();
  return found(await store.keys.find(reachOf(call), idOf(call)));
}

function found(key: KeyRecord | null): KeyRecord {
  if (!key) throw new GatewayError('not_found', 'key: not found');
  return key;
}

function timeOf(text: string | null | undefined): number | null {
  const at = text ? Date.parse(text) : null;
  // a leap second is valid by RFC 3339, but not in JavaScript
  if (Number.isNaN(at)) throw invalidField('expiresAt', 'must be a valid date-time');
  return at;
}
