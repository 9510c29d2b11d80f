import { timingSafeEqual } from 'node:crypto';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';
import { type Caller, signedInCaller } from '../accounts/caller.js';
import { hashToken } from '../accounts/tokens.js';
import type { CookieTerms } from '../api/endpoint.js';
import { GatewayError } from '../errors.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { SignInRecord } from '../store/contracts/accounts.js';
import type { HttpContext } from './context.js';

/** A cookie's name over HTTPS, and over plain HTTP. */
interface CookieNames {
  /**
   * Browsers accept the prefix `__Host-` only with `Secure`, `Path=/` and no `Domain`, so that
   * neither another subdomain nor plain HTTP can set it.
   */
  readonly secure: string;
  readonly plain: string;
}

const signInNames: CookieNames = { secure: '__Host-signalbox', plain: 'signalbox_session' };
/** The cookie by which a browser that signed in before is known. */
const knownNames: CookieNames = { secure: '__Host-signalbox-known', plain: 'signalbox_known' };
/** 32 random bytes in base64url. */
const tokenForm = /^[\w-]{43}$/;

/** The token in a browser's sign-in cookie; null: there is none, or it is malformed. */
export function signInToken(req: Request, publicUrl: string | null): string | null {
  const token = sentValue(req, publicUrl, signInNames);
  return token !== null && tokenForm.test(token) ? token : null;
}

/** The token by which a browser shows that it has signed in before, or null if it sends none. */
export const knownBrowserCookie = (req: Request, publicUrl: string | null): string | null =>
  sentValue(req, publicUrl, knownNames);

function sentValue(req: Request, publicUrl: string | null, names: CookieNames): string | null {
  const { cookie } = req.headers;
  if (cookie === undefined) return null;
  return parseCookie(cookie)[isSecure(req, publicUrl) ? names.secure : names.plain] ?? null;
}

/** Whether the browser reaches the gateway by HTTPS, perhaps through a trusted proxy. */
const isSecure = (req: Request, publicUrl: string | null): boolean =>
  req.secure || /^https:/i.test(publicUrl ?? '');

/** Scripts cannot read the cookie and forms of other sites do not send it. */
const attributes = (secure: boolean) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure }) as const;

/** Sets the sign-in cookie. */
export function setSignInCookie(req: Request, res: Response, kept: CookieTerms): void {
  if (isSecure(req, kept.publicUrl)) clearCookie(req, res, signInNames.plain, true);
  setCookie(req, res, signInNames, kept);
}

/** Sets the cookie by which the browser is known, which outlives the sign-in. */
export const setKnownBrowserCookie = (req: Request, res: Response, kept: CookieTerms): void =>
  setCookie(req, res, knownNames, kept);

function setCookie(
  req: Request,
  res: Response,
  names: CookieNames,
  { token, keepMs, publicUrl }: CookieTerms,
): void {
  const secure = isSecure(req, publicUrl);
  const name = secure ? names.secure : names.plain;
  res.cookie(name, token, { ...attributes(secure), maxAge: keepMs });
}

/** Deletes the sign-in cookie in the browser, under each of its names that the browser sent. */
export function clearSignInCookie(req: Request, res: Response, publicUrl: string | null): void {
  const secure = isSecure(req, publicUrl);
  clearCookie(req, res, signInNames.secure, true);
  clearCookie(req, res, signInNames.plain, secure);
}

function clearCookie(req: Request, res: Response, name: string, secure: boolean): void {
  if (parseCookie(req.headers.cookie ?? '')[name] !== undefined)
    res.clearCookie(name, attributes(secure));
}

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
  const { accounts } = context.request.snapshot;
  const token = signInToken(req, accounts.publicUrl);
  if (token === null || !accounts.web) return null;
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
