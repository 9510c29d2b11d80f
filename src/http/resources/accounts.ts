import type { Request, RequestHandler } from 'express';
import {
  type AccountChanges,
  changeAccount,
  createAccount,
  type Invitation,
  resetLink,
} from '../../accounts/administration.js';
import { type ResetLink, resetUrl } from '../../accounts/reset-link.js';
import type { AccountRecord } from '../../store/contracts/accounts.js';
import { accountContextOf } from '../account-context.js';
import type { Parts } from '../../pipeline/parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { idOf, isoOrNull, listOf, pageRequestOf } from './page-request.js';

/**
 * An account as the API returns it, without its password hash. The account of a key in the
 * configuration has no creation date.
 */
export function shownAccount({
  id,
  email,
  role,
  createdAt,
  disabledAt,
  limits,
}: Omit<AccountRecord, 'passwordHash' | 'createdAt'> & { createdAt: number | null }): object {
  return {
    id,
    email,
    role,
    createdAt: isoOrNull(createdAt),
    disabledAt: isoOrNull(disabledAt),
    limits,
  };
}

/** `GET /api/v1/accounts`. */
export function listAccounts(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req);
    const { store } = await parts.state.opened();
    sendJson(res, 200, listOf(await store.accounts.list(page), shownAccount));
  });
}

/** `POST /api/v1/accounts`: invites a person, even if sign-up is closed. */
export function inviteAccount(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { store, rules } = await accountContextOf(parts, res);
    const { account, link } = await createAccount(store, req.body as Invitation, rules);
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 201, {
      account: shownAccount(account),
      ...shownLink(req, rules.publicUrl, link),
    });
  });
}

/** `POST /api/v1/accounts/{id}/reset-link`: for owners who cannot receive the link by mail. */
export function createResetLink(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { store, rules } = await accountContextOf(parts, res);
    const { link } = await resetLink(store, idOf(req), rules);
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 201, shownLink(req, rules.publicUrl, link));
  });
}

/** `PATCH /api/v1/accounts/{id}`. */
export function updateAccount(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const { store } = await parts.state.opened();
    const account = await changeAccount(store, idOf(req), req.body as AccountChanges);
    await parts.state.keys.accountChanged();
    sendJson(res, 200, shownAccount(account));
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
