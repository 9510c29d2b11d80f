import { timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { type Caller, signedInCaller } from '../accounts/caller.js';
import { hashToken } from '../accounts/tokens.js';
import { GatewayError } from '../errors.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { SignInRecord } from '../store/contracts/accounts.js';
import type { HttpContext } from './context.js';
import { signInToken } from './sign-in-cookie.js';

/**
 * The caller of a signed-in browser, or null. Always asks the database, so that a sign-in that was
 * ended is refused at once. Callers check `Host` and `Origin` before.
 * @throws GatewayError `forbidden` for a change without the CSRF token of the sign-in
 */
export async function findSignedIn(
  parts: GatewayParts,
  req: Request,
  context: HttpContext,
): Promise<Caller | null> {
  const token = signInToken(req.headers);
  if (token === null || !context.request.snapshot.accounts.web) return null;
  const { store } = await parts.state.opened();
  const found = await store.signIns.find(hashToken(token), Date.now());
  if (!found || found.account.disabledAt !== null) return null;
  if (req.method !== 'GET' && req.method !== 'HEAD') checkChange(req, found.signIn);
  context.signIn = found.signIn;
  return signedInCaller(found.account);
}

/** Browsers send cookies for requests of any page, but only our own pages know the CSRF token. */
function checkChange(req: Request, { csrfToken }: SignInRecord): void {
  const given = Buffer.from(req.get('x-csrf-token') ?? '');
  const expected = Buffer.from(csrfToken);
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new GatewayError('forbidden', 'x-csrf-token: must be the csrfToken of the sign-in');
}
