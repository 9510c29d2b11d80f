import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../accounts/caller.js';
import { GatewayError } from '../../errors.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import {
  endKey,
  issueKey,
  oneKey,
  type KeyTerms,
  pageOfKeys,
  renewKey,
  type RotationTerms,
  updateKey,
} from '../../resources/keys.js';
import { idOf, pageRequestOf } from '../../resources/page-request.js';
import { matchesGlob } from '../../models/access-rules.js';
import { actingOf } from '../audit.js';
import { callerOf } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';

/** `POST /api/v1/keys`: the only response that contains the key itself. */
export function createKey(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const terms = req.body as KeyTerms;
    refuseToolkits(callerOf(res), terms);
    const key = await issueKey(actingOf(parts, req, res), callerOf(res).accountId, terms);
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 201, key);
  });
}

/**
 * `GET /api/v1/keys`: the account's keys, including revoked ones. Administrators list another
 * account with `?account=<id>`, all with `?account=all`.
 */
export function listKeys(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req, ['account']);
    sendJson(res, 200, await pageOfKeys(parts, ownerOf(req, callerOf(res)), page));
  });
}

/** `GET /api/v1/keys/{id}`. */
export function readKey(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    sendJson(res, 200, await oneKey(parts, reachOf(res), idOf(req)));
  });
}

/** `PATCH /api/v1/keys/{id}`: takes effect on every replica within a second. */
export function changeKey(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const changes = req.body as Partial<KeyTerms>;
    refuseToolkits(callerOf(res), changes);
    const acting = actingOf(parts, req, res);
    sendJson(res, 200, await updateKey(acting, reachOf(res), idOf(req), changes));
  });
}

/** `POST /api/v1/keys/{id}/rotate`: the only response that contains the new secret. */
export function replaceSecret(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const terms = req.body as RotationTerms;
    const key = await renewKey(actingOf(parts, req, res), reachOf(res), idOf(req), terms);
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 200, key);
  });
}

/** `DELETE /api/v1/keys/{id}`: revokes the key permanently. */
export function revokeKey(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    await endKey(actingOf(parts, req, res), reachOf(res), idOf(req));
    res.status(204).end();
  });
}

/**
 * An account may have been created by a stranger: it gives its keys no toolkit that it may not use.
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
