import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { anonymous, type Caller, checkScope } from '../accounts/caller.js';
import { hashKey, keyPrefix } from '../accounts/static-keys.js';
import { GatewayError } from '../errors.js';
import type { Scope } from '../store/contracts/keys.js';
import { identify } from '../pipeline/request.js';
import { sdkKeyHeaders } from '../providers/passthrough-headers.js';
import { clientAddress } from './client-address.js';
import { contextOf } from './context.js';
import { checkKeyless, isOwnHost, misdirected, refuseForeignPage } from './keyless.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { GatewaySnapshot } from '../pipeline/engine/snapshot.js';
import { findSignedIn } from './sign-in-cookie.js';
import { stage } from './stage.js';

const bearer = /^bearer +(\S+) *$/i;

/** The key of `Authorization: Bearer …`, or null. */
const bearerKey = (headers: IncomingHttpHeaders): string | null =>
  bearer.exec(headers.authorization ?? '')?.[1] ?? null;

/**
 * The API key of a request: `Authorization: Bearer …`, else a header in which the SDK of some
 * provider sends its key: `x-api-key`, `api-key`, `x-goog-api-key`.
 */
export function keyOf(headers: IncomingHttpHeaders): string | null {
  const bearer = bearerKey(headers);
  if (bearer !== null) return bearer;
  const others = sdkKeyHeaders.map((name) => headers[name]);
  return others.find((key): key is string => typeof key === 'string' && key !== '') ?? null;
}

/** How `authenticate` finds and checks the API key. */
export interface AuthenticateOptions {
  /** The scope that the key needs. Default: none. */
  scope?: Scope | undefined;
  /** `admin`: only keys and browsers of administrators pass; others are answered 403. */
  role?: 'admin';
  /** Reads the key from the request. Default: `keyOf`. */
  readKey?: (headers: IncomingHttpHeaders, url: string) => string | null;
  /** Requires a key even of the host's users, and if the configuration does not. */
  always?: boolean;
  /**
   * Accepts a signed-in browser too, with all scopes of its account; its changes carry the CSRF
   * token. Its cookie is looked at only if the request has no key.
   */
  browsers?: boolean;
  /**
   * Guards an account's resource: no cache keeps the answer, and the scope `admin` needs a caller
   * even if the configuration requires no keys.
   */
  ownsResource?: boolean;
}

/**
 * Accepts requests with a valid API key before the body is read, and sets the request's caller.
 * Keys that this process has seen lately are not looked up in the database again.
 */
export function authenticate(
  parts: GatewayParts,
  {
    scope,
    role,
    readKey = keyOf,
    always = false,
    browsers = false,
    ownsResource = false,
  }: AuthenticateOptions = {},
): RequestHandler {
  const isRequired = always || (ownsResource && scope === 'admin');
  return stage(async (req, res) => {
    const context = contextOf(parts, res);
    const { request } = context;
    const { snapshot } = request;
    if (ownsResource) keepPrivate(res);
    const key = readKey(req.headers, req.url);
    let caller = key === null ? null : await findCaller(parts, snapshot, req, key);
    if (!caller) checkKeyless(req, snapshot);
    if (browsers && key === null && req.headers.cookie !== undefined) {
      caller = await findSignedIn(parts, req, context);
      if (caller) keepPrivate(res);
    }
    if (!caller && !always) caller = await findHostUser(parts, req);
    if (!caller && (isCallerRequired(parts, snapshot) || isRequired))
      throw key === null
        ? keyMissing(ownsResource && snapshot.accounts.web)
        : await keyRefused(parts, req, key);
    if (caller && scope) checkScope(caller, scope);
    if (role === 'admin' && caller?.role !== 'admin')
      throw new GatewayError('forbidden', 'this route needs an administrator');
    identify(request, caller ?? anonymous);
  });
}

/** Shared caches look at the URL alone, not at the cookie. */
const keepPrivate = (res: Response): unknown => res.setHeader('Cache-Control', 'no-store');

/**
 * The access stage of a host's own route. Authenticates the caller if the host identifies its users
 * and no earlier stage has. Otherwise it leaves access to the host, except that a caller who is
 * known already needs the scope.
 */
export function admitHostCall(parts: GatewayParts, scope: Scope): RequestHandler {
  const authenticated = authenticate(parts, { scope });
  return (req, res, next) => {
    try {
      const { request } = contextOf(parts, res);
      if (request.isIdentified) checkScope(request.caller, scope);
      else if (parts.hostUsers) {
        void authenticated(req, res, next);
        return;
      }
    } catch (error) {
      next(error);
      return;
    }
    next();
  };
}

/** Whether a request without a known caller is refused. A host with users admits only them. */
export const isCallerRequired = (
  { hostUsers }: Pick<GatewayParts, 'hostUsers'>,
  { keysRequired }: GatewaySnapshot,
): boolean => keysRequired || hostUsers !== null;

/** The host's user who sends a request; null if the host knows none. @throws whatever the host throws */
export const findHostUser = async (
  { hostUsers }: GatewayParts,
  req: IncomingMessage,
): Promise<Caller | null> => (hostUsers === null ? null : hostUsers.find(req));

/**
 * The caller of an API key, null if the key is unknown or may not be used. A key of the
 * configuration that is an issued key too stays the key of its account.
 * @throws GatewayError `unavailable` if the database cannot be reached, `too_many_requests` while
 * the client's address sends many unknown keys
 */
export async function findCaller(
  { state, hostUsers }: GatewayParts,
  snapshot: GatewaySnapshot,
  req: Pick<Request, 'ip'>,
  key: string,
): Promise<Caller | null> {
  const keyHash = hashKey(key);
  const fixed = snapshot.keys.find(keyHash);
  const find = (): Promise<Caller | null> => state.keys.find(keyHash, () => clientAddress(req));
  if (fixed === null) return isHostToken(hostUsers, key) ? null : find();
  const isIssued = state.keys.isIssued(keyHash);
  return isIssued === false || !(await isIssued) ? fixed : find();
}

/** A host's own bearer tokens are not looked up in the database. */
const isHostToken = (hostUsers: GatewayParts['hostUsers'], key: string): boolean =>
  hostUsers !== null && !key.startsWith(keyPrefix);

/**
 * The error for a request whose API key was not accepted: only the holder of an issued key learns
 * why.
 * @throws GatewayError as `findCaller` does
 */
async function keyRefused(
  { state, hostUsers }: GatewayParts,
  req: Pick<Request, 'ip'>,
  key: string,
): Promise<GatewayError> {
  const reason = isHostToken(hostUsers, key)
    ? null
    : await state.keys.refusal(hashKey(key), () => clientAddress(req));
  return new GatewayError('unauthorized', `authorization: ${reason ?? unknownKey}`);
}

const unknownKey =
  'this API key is not known; check that it is complete and belongs to this gateway';

const keyMissing = (maySignIn: boolean): GatewayError =>
  new GatewayError(
    'unauthorized',
    `authorization: ${maySignIn ? 'sign in, or send an API key' : 'an API key is required,'} as "Authorization: Bearer sk_…"`,
  );

/**
 * The access stage of resources that need neither key nor sign-in. It still refuses changes sent by
 * pages of other sites, so that they cannot sign a browser in to an account of theirs.
 */
export const allowAnonymous = (parts: GatewayParts): RequestHandler =>
  stage(async (req, res) => {
    const { snapshot } = contextOf(parts, res).request;
    if (req.method !== 'GET' && req.method !== 'HEAD')
      refuseForeignPage(req, snapshot.accounts.publicUrl);
    await checkHost(parts, req, res);
  });

/** The access stage of pages for everyone: refuses only foreign names in `Host`. */
export const allowReaders = (parts: GatewayParts): RequestHandler =>
  stage((req, res) => checkHost(parts, req, res));

/** @throws GatewayError `misdirected_request` for a foreign name in `Host` without a valid key */
async function checkHost(parts: GatewayParts, req: Request, res: Response): Promise<void> {
  const { snapshot } = contextOf(parts, res).request;
  if (isOwnHost(req, snapshot.browser.hosts)) return;
  const key = keyOf(req.headers);
  if (key === null || !(await findCaller(parts, snapshot, req, key))) throw misdirected();
}
