import type { Request, RequestHandler, Response } from 'express';
import { type Caller, defaultScopes } from '../../accounts/caller.js';
import { keyFor } from '../../accounts/first-key.js';
import { rotateKey } from '../../accounts/rotate-key.js';
import { newKey } from '../../accounts/static-keys.js';
import { GatewayError, invalidField } from '../../errors.js';
import {
  type KeyChanges,
  type KeyLimits,
  type KeyRecord,
  noLimits,
  type Scope,
} from '../../store/contracts/keys.js';
import type { Act } from '../../store/contracts/audit.js';
import { type DoneAct, recordAct } from '../audit.js';
import { callerOf } from '../context.js';
import type { Parts } from '../../pipeline/parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { idOf, isoOrNull, listOf, pageRequestOf } from './page-request.js';

/** The body of `POST /api/v1/keys`; for `PATCH` every field is optional. */
interface KeyRequest {
  name: string;
  scopes?: Scope[] | null;
  models?: string[] | null;
  expiresAt?: string | null;
  limits?: Partial<KeyLimits> | null;
}

/** A key as the API returns it, without the key itself or its hash. */
function shownKey({
  id,
  accountId,
  name,
  prefix,
  scopes,
  models,
  limits,
  createdAt,
  expiresAt,
  previousValidUntil,
  revokedAt,
  lastUsedAt,
}: KeyRecord): object {
  return {
    object: 'key',
    id,
    accountId,
    name,
    prefix,
    scopes,
    models,
    limits,
    createdAt: isoOrNull(createdAt),
    expiresAt: isoOrNull(expiresAt),
    previousValidUntil: isoOrNull(previousValidUntil),
    revokedAt: isoOrNull(revokedAt),
    lastUsedAt: isoOrNull(lastUsedAt),
  };
}

/** `POST /api/v1/keys`: the only response that contains the key itself. */
export function createKey(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { name, scopes, models, expiresAt, limits } = req.body as KeyRequest;
    const { store } = await parts.state.opened();
    const key = newKey();
    const record = await store.keys.add(
      keyFor(callerOf(res).accountId, name, key, {
        scopes: scopes ?? defaultScopes,
        models: models ?? null,
        limits: { ...noLimits, ...limits },
        expiresAt: timeOf(expiresAt),
      }),
    );
    await parts.state.keys.changed(record);
    await recordAct(parts, req, res, { ...actOn('key.create', record), details: termsOf(record) });
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 201, { ...shownKey(record), key });
  });
}

/**
 * `GET /api/v1/keys`: the account's keys, including revoked ones. Administrators list another
 * account with `?account=<id>`, all with `?account=all`.
 */
export function listKeys(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req, ['account']);
    const { store } = await parts.state.opened();
    sendJson(res, 200, listOf(await store.keys.list(ownerOf(req, callerOf(res)), page), shownKey));
  });
}

/** `GET /api/v1/keys/{id}`. */
export function readKey(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { store } = await parts.state.opened();
    sendJson(res, 200, shownKey(found(await store.keys.find(reachOf(res), idOf(req)))));
  });
}

/** `PATCH /api/v1/keys/{id}`: takes effect on every replica within a second. */
export function changeKey(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { limits, expiresAt, scopes, ...rest } = req.body as Partial<KeyRequest>;
    const reach = reachOf(res);
    const { store } = await parts.state.opened();
    const { id } = found(await store.keys.find(reach, idOf(req)));
    const changes: KeyChanges = {
      ...rest,
      ...(scopes ? { scopes } : {}),
      ...(expiresAt === undefined ? {} : { expiresAt: timeOf(expiresAt) }),
      ...(limits === undefined ? {} : { limits: limits ?? noLimits }),
    };
    const record = await change(parts, reach, id, changes);
    await recordAct(parts, req, res, { ...actOn('key.change', record), details: changes });
    sendJson(res, 200, shownKey(record));
  });
}

/** `POST /api/v1/keys/{id}/rotate`: the only response that contains the new secret. */
export function replaceSecret(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { overlapSeconds } = req.body as { overlapSeconds?: number };
    const { store } = await parts.state.opened();
    const accountId = reachOf(res);
    const { record, key } = await rotateKey(store, { id: idOf(req), accountId, overlapSeconds });
    await parts.state.keys.changed(record);
    const details = { previousValidUntil: isoOrNull(record.previousValidUntil) };
    await recordAct(parts, req, res, { ...actOn('key.rotate', record), details });
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 200, { ...shownKey(record), key });
  });
}

/** `DELETE /api/v1/keys/{id}`: revokes the key permanently. */
export function revokeKey(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const reach = reachOf(res);
    const { store } = await parts.state.opened();
    const { id, revokedAt } = found(await store.keys.find(reach, idOf(req)));
    if (revokedAt === null) {
      const record = await change(parts, reach, id, { revokedAt: Date.now() });
      await recordAct(parts, req, res, actOn('key.revoke', record));
    }
    res.status(204).end();
  });
}

const actOn = (act: Act, { accountId, id }: KeyRecord): DoneAct => ({ act, accountId, target: id });

/** What a key may be used for, for the audit log. */
const termsOf = ({ name, scopes, models, limits, expiresAt }: KeyRecord): object => ({
  name,
  scopes,
  models,
  limits,
  expiresAt,
});

async function change(
  parts: Parts,
  reach: string | null,
  id: string,
  changes: KeyChanges,
): Promise<KeyRecord> {
  const { store } = await parts.state.opened();
  const record = found(await store.keys.update(reach, id, changes));
  await parts.state.keys.changed(record);
  return record;
}

/** The account whose keys the caller may access; null for administrators, who may access all. */
function reachOf(res: Response): string | null {
  const { role, accountId } = callerOf(res);
  return role === 'admin' ? null : accountId;
}

function ownerOf({ query }: Request, { role, accountId }: Caller): string | null {
  if (query['account'] === undefined) return accountId;
  if (role !== 'admin')
    throw new GatewayError(
      'forbidden',
      'account: only administrators may list the keys of other accounts',
    );
  return query['account'] === 'all' ? null : textOf(query['account']);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

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
