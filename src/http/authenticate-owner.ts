import type { RequestHandler } from 'express';
import { anonymous, checkScope } from '../accounts/caller.js';
import { GatewayError } from '../errors.js';
import type { Scope } from '../store/contracts/keys.js';
import { findCaller, findHostUser, isCallerRequired, keyOf, keyRefused } from './authenticate.js';
import { identify } from '../pipeline/request.js';
import { contextOf } from './context.js';
import { checkKeyless } from './keyless.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { findSignedIn } from './signed-in.js';
import { stage } from './stage.js';

/** What a route demands of its caller. */
export interface OwnerOptions {
  /** The scope that an API key needs. A signed-in browser has all scopes of its account. */
  scope?: Scope | undefined;
  /** `admin`: only keys and browsers of administrators pass; others are answered 403. */
  role?: 'admin';
}

/**
 * The access stage of an account's resources: accepts an API key with the scope, or a signed-in
 * browser. A browser's changes must carry the sign-in's `csrfToken` in `X-CSRF-Token` and come from
 * the gateway's own pages. If the configuration requires no keys, anonymous callers pass too,
 * except where `scope` or `role` is `admin`.
 */
export function authenticateOwner(
  parts: GatewayParts,
  { scope, role }: OwnerOptions = {},
): RequestHandler {
  const ownersOnly = scope === 'admin' || role === 'admin';
  return stage(async (req, res) => {
    const context = contextOf(parts, res);
    const { request } = context;
    const { snapshot } = request;
    // shared caches look at the URL alone, not at the cookie
    res.setHeader('Cache-Control', 'no-store');
    const key = keyOf(req.headers);
    const keyed = key === null ? null : await findCaller(parts, snapshot, req, key);
    if (!keyed) checkKeyless(req, snapshot);
    const known = key === null ? await findSignedIn(parts, req, context) : keyed;
    const caller = known ?? (await findHostUser(parts, req));
    if (!caller && (isCallerRequired(parts, snapshot) || ownersOnly))
      throw key === null ? signInMissing(snapshot.accounts.web) : await keyRefused(parts, req, key);
    if (caller && scope) checkScope(caller, scope);
    if (role === 'admin' && caller?.role !== 'admin')
      throw new GatewayError('forbidden', 'this route needs an administrator');
    identify(request, caller ?? anonymous);
  });
}

const signInMissing = (hasSignIn: boolean): GatewayError =>
  new GatewayError(
    'unauthorized',
    `authorization: ${hasSignIn ? 'sign in, or send an API key' : 'an API key is required,'} as "Authorization: Bearer sk_…"`,
  );
