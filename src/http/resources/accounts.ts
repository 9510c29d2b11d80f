import type { Request, RequestHandler } from 'express';
import {
  type AccountChanges,
  createAccount,
  type Invitation,
  resetLink,
} from '../../accounts/administration.js';
import { type ResetLink, resetUrl } from '../../accounts/reset-link.js';
import { accountContextOf } from '../account-context.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { modifyAccount, pageOfAccounts, shownAccount } from '../../api/accounts.js';
import { idOf, isoOrNull, pageRequestOf } from '../../api/page-request.js';
import { apiContextOf } from '../audit.js';
import { actOnAccount } from '../../accounts/write-act.js';

/** `GET /api/v1/accounts`. */
export function listAccounts(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    sendJson(res, 200, await pageOfAccounts(parts, pageRequestOf(req)));
  });
}

/** `POST /api/v1/accounts`: invites a person, even if sign-up is closed. */
export function inviteAccount(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { store, rules, record } = await accountContextOf(parts, res);
    const { account, link } = await createAccount(store, req.body as Invitation, rules);
    const { id, email, role } = account;
    await record(actOnAccount('account.create', id, { email, role }));
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 201, {
      account: shownAccount(account),
      ...shownLink(req, rules.publicUrl, link),
    });
  });
}

/** `POST /api/v1/accounts/{id}/reset-link`: for owners who cannot receive the link by mail. */
export function createResetLink(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { store, rules, record } = await accountContextOf(parts, res);
    const { account, link } = await resetLink(store, idOf(req), rules);
    await record(actOnAccount('account.reset-link', account.id));
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 201, shownLink(req, rules.publicUrl, link));
  });
}

/** `PATCH /api/v1/accounts/{id}`. */
export function updateAccount(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const changes = req.body as AccountChanges;
    sendJson(res, 200, await modifyAccount(apiContextOf(parts, req, res), idOf(req), changes));
  });
}

/** The caller forwards the link, so without `publicUrl` the host of the request is good enough. */
function shownLink(
  req: Request,
  publicUrl: string | null,
  { token, expiresAt }: ResetLink,
): object {
  const own = `${req.protocol}://${req.get('host') ?? 'localhost'}${req.baseUrl}`;
  return { url: resetUrl(publicUrl ?? own, token), token, expiresAt: isoOrNull(expiresAt) };
}
