import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHandler } from 'express';
import { confirmDeletion, deleteAccount } from '../../accounts/delete-account.js';
import { exportAccount } from '../../accounts/export-account.js';
import { invalidField } from '../../errors.js';
import type { Parts } from '../../pipeline/parts.js';
import { settledStore } from '../../pipeline/settled-store.js';
import { accountContextOf } from '../account-context.js';
import { actingOf } from '../audit.js';
import { clientAddress } from '../client-address.js';
import { callerOf } from '../context.js';
import { clearSignInCookie, signInToken } from '../sign-in-cookie.js';
import { answer } from '../stage.js';
import { idOf } from '../../resources/page-request.js';

/** `DELETE /api/v1/accounts/{id}`: by an administrator, or by the account itself with its password. */
export function removeAccount(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const [id, { accountId, role }] = [idOf(req), callerOf(res)];
    if (role !== 'admin' && id !== accountId) throw notFound();
    const context = await accountContextOf(parts, res);
    if (role !== 'admin') {
      const { password = null } = req.body as { password?: string | null };
      await confirmDeletion(context, { accountId, password, from: clientAddress(req) });
    }
    const { store } = await parts.state.opened();
    await deleteAccount(store, id, async () => {
      await parts.state.keys.accountChanged();
      await settledStore(parts);
    });
    await actingOf(parts, req, res).record({ act: 'account.delete', accountId: id, target: id });
    if (id === accountId && signInToken(req.headers) !== null)
      clearSignInCookie(req, res, context.rules.publicUrl);
    res.status(204).end();
  });
}

/**
 * `GET /api/v1/accounts/{id}/export`: all data of an account, as a file of any length. An
 * administrator gets another account's without its conversations, which administrators cannot read.
 */
export function downloadAccount(parts: Parts): RequestHandler {
  return answer(async (req, res) => {
    const [id, { accountId, role, scopes }] = [idOf(req), callerOf(res)];
    const isOwn = id === accountId;
    const store = await settledStore(parts);
    const isKnown = isOwn || hasNoRow(id) || (await store.accounts.find(id)) !== null;
    if (!isKnown || (!isOwn && role !== 'admin')) throw notFound();
    await actingOf(parts, req, res).record({ act: 'account.export', accountId: id, target: id });
    res.writeHead(200, {
      'Content-Type': 'application/jsonl; charset=utf-8',
      'Content-Disposition': 'attachment; filename="account.jsonl"',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    const hasConversations = isOwn && scopes.includes('completions');
    // the status is sent, so a failure can only cut the file off, which then lacks its last line
    await pipeline(Readable.from(exportAccount(store, id, { hasConversations })), res).catch(() =>
      res.destroy(),
    );
  });
}

/** The accounts of fixed keys and of a host's users. */
const hasNoRow = (id: string): boolean => /^(fixed|host):/.test(id);

const notFound = (): Error => invalidField('id', 'not found', 'not_found');
