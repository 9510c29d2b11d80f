import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RequestHandler } from 'express';
import { confirmDeletion } from '../../accounts/delete-account.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { accountContextOf } from '../account-context.js';
import { apiContextOf } from '../audit.js';
import { clientAddress } from '../client-address.js';
import { callerOf } from '../context.js';
import { clearSignInCookie, signInToken } from '../sign-in-cookie.js';
import { answer } from '../stage.js';
import { accountLines, dropAccount } from '../../api/whole-account.js';
import { idOf } from '../../api/page-request.js';
import { accountNotFound } from '../../accounts/administration.js';

/** `DELETE /api/v1/accounts/{id}`: by an administrator, or by the account itself with its password. */
export function removeAccount(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const [id, { accountId, role }] = [idOf(req), callerOf(res)];
    if (role !== 'admin' && id !== accountId) throw accountNotFound();
    const context = await accountContextOf(parts, res);
    if (role !== 'admin') {
      const { password = null } = req.body as { password?: string | null };
      await confirmDeletion(context, { accountId, password, from: clientAddress(req) });
    }
    await dropAccount(apiContextOf(parts, req, res), id);
    if (id === accountId && signInToken(req.headers) !== null)
      clearSignInCookie(req, res, context.rules.publicUrl);
    res.status(204).end();
  });
}

/**
 * `GET /api/v1/accounts/{id}/export`: all data of an account, as a file of any length. An
 * administrator gets of another account what administrators can read.
 */
export function downloadAccount(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const [id, { accountId, role, scopes }] = [idOf(req), callerOf(res)];
    const isOwn = id === accountId;
    if (!isOwn && role !== 'admin') throw accountNotFound();
    const isComplete = isOwn && scopes.includes('completions');
    const lines = await accountLines(apiContextOf(parts, req, res), id, { isComplete });
    res.writeHead(200, {
      'Content-Type': 'application/jsonl; charset=utf-8',
      'Content-Disposition': 'attachment; filename="account.jsonl"',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    // the status is sent, so a failure can only cut the file off, which then lacks its last line
    await pipeline(Readable.from(lines), res).catch(() => res.destroy());
  });
}
