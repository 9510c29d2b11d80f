import { timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { anonymous, type Caller, signedInCaller } from '../accounts/caller.js';
import { hashToken } from '../accounts/tokens.js';
import { GatewayError } from '../errors.js';
import type { SignInRecord } from '../store/contracts/accounts.js';
import type { Scope } from '../store/contracts/keys.js';
import { bearerKey, checkScope, findCaller } from './authenticate.js';
import { identify } from '../pipeline/request.js';
import { contextOf, type HttpContext } from './context.js';
import { refuseForeignPage } from './foreign-page.js';
import type { Parts } from '../pipeline/parts.js';
import { signInToken } from './sign-in-cookie.js';
import { stage } from './stage.js';

export interface OwnerOptions {
  /** What a key has to be good for; a browser that has signed in may do everything that its account may. */
  scope?: Scope;
  /** `admin`: only administrators pass, by key or by browser; others are told so, with 403. */
  role?: 'admin';
}

/**
 * For an account's own things: lets a key of that scope pass, or a browser that has signed in. A browser's changes have to carry its sign-in's
 * `csrfToken` in `X-CSRF-Token`, and to come from the gateway's own pages. Where the configuration asks for no key, everybody passes for what is
 * not administration.
 */
export function authenticateOwner(
  parts: Parts,
  { scope, role }: OwnerOptions = {},
): RequestHandler {
  const ownersOnly = scope === 'admin' || role === 'admin';
  return stage(async (req, res) => {
    const context = contextOf(parts, res);
    const { request } = context;
    const { snapshot } = request;
    // a cache goes by the address alone, and a browser's cookie does not stop it
    res.setHeader('Cache-Control', 'no-store');
    const key = bearerKey(req.headers);
    const caller =
      key === null
        ? await findSignedIn(parts, req, context)
        : await findCaller(parts, snapshot, key);
    if (!caller && (snapshot.keysRequired || ownersOnly)) throw unauthorized(key);
    if (caller && scope) checkScope(caller, scope);
    if (role === 'admin' && caller?.role !== 'admin')
      throw new GatewayError('forbidden', 'this is for administrators');
    identify(request, caller ?? anonymous);
  });
}

const unauthorized = (key: string | null): GatewayError =>
  new GatewayError(
    'unauthorized',
    key === null
      ? 'authorization: sign in, or send an API key as "Authorization: Bearer sk_…"'
      : 'authorization: this API key is not valid',
  );

/** Whose browser it is; null where it has not signed in, or not lately enough. Never from memory: what ends a sign-in ends it here at once. */
async function findSignedIn(
  parts: Parts,
  req: Request,
  context: HttpContext,
): Promise<Caller | null> {
  const token = signInToken(req.headers);
  if (token === null) return null;
  const { store } = await parts.state.opened();
  const found = await store.signIns.find(hashToken(token), Date.now());
  if (!found || found.account.disabledAt !== null) return null;
  if (req.method !== 'GET' && req.method !== 'HEAD')
    checkChange(req, found.signIn, context.request.snapshot.accounts.publicUrl);
  context.signIn = found.signIn;
  return signedInCaller(found.account);
}

/** A browser sends its cookie along whichever page makes it ask; the token only our own pages know. */
function checkChange(req: Request, { csrfToken }: SignInRecord, publicUrl: string | null): void {
  refuseForeignPage(req, publicUrl);
  const given = Buffer.from(req.get('x-csrf-token') ?? '');
  const expected = Buffer.from(csrfToken);
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new GatewayError('forbidden', "x-csrf-token: must be the sign-in's csrfToken");
}
