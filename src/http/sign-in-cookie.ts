import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';

/**
 * The cookie's name over HTTPS. Browsers accept this prefix only with `Secure`, `Path=/` and no
 * `Domain`, so that neither another subdomain nor plain HTTP can set it.
 */
const secureName = '__Host-signalbox';
/** Its name over plain HTTP, and in earlier versions everywhere. */
const plainName = 'signalbox_session';
/** The cookie by which a browser that signed in before is known; over HTTPS and over plain HTTP. */
const secureKnownName = '__Host-signalbox-known';
const plainKnownName = 'signalbox_known';
/** 32 random bytes in base64url. */
const tokenForm = /^[\w-]{43}$/;

/**
 * The token in a browser's sign-in cookie, or null if there is none or it has not the form of a
 * token.
 */
export function signInToken({ cookie }: IncomingHttpHeaders): string | null {
  if (cookie === undefined) return null;
  const cookies = parseCookie(cookie);
  const token = cookies[secureName] ?? cookies[plainName];
  return token !== undefined && tokenForm.test(token) ? token : null;
}

/** The token by which a browser shows that it has signed in before, or null if it sends none. */
export function knownBrowserCookie({ cookie }: IncomingHttpHeaders): string | null {
  if (cookie === undefined) return null;
  const cookies = parseCookie(cookie);
  return cookies[secureKnownName] ?? cookies[plainKnownName] ?? null;
}

/** Whether the browser reaches the gateway by HTTPS, perhaps through a trusted proxy. */
const isSecure = (req: Request, publicUrl: string | null): boolean =>
  req.secure || /^https:/i.test(publicUrl ?? '');

/** Scripts cannot read the cookie and forms of other sites do not send it. */
const attributes = (secure: boolean) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure }) as const;

/** A cookie that the browser keeps for `keepMs`. */
interface KeptCookie {
  readonly token: string;
  readonly keepMs: number;
  readonly publicUrl: string | null;
}

/** Sets the sign-in cookie. */
export function setSignInCookie(
  req: Request,
  res: Response,
  { token, keepMs, publicUrl }: KeptCookie,
): void {
  const secure = isSecure(req, publicUrl);
  if (secure) clearCookie(req, res, plainName, secure);
  res.cookie(secure ? secureName : plainName, token, { ...attributes(secure), maxAge: keepMs });
}

/** Sets the cookie by which the browser is known, which outlives the sign-in. */
export function setKnownBrowserCookie(
  req: Request,
  res: Response,
  { token, keepMs, publicUrl }: KeptCookie,
): void {
  const secure = isSecure(req, publicUrl);
  const name = secure ? secureKnownName : plainKnownName;
  res.cookie(name, token, { ...attributes(secure), maxAge: keepMs });
}

/** Deletes the sign-in cookie in the browser, under each of its names that the browser sent. */
export function clearSignInCookie(req: Request, res: Response, publicUrl: string | null): void {
  const secure = isSecure(req, publicUrl);
  clearCookie(req, res, secureName, true);
  clearCookie(req, res, plainName, secure);
}

function clearCookie(req: Request, res: Response, name: string, secure: boolean): void {
  if (parseCookie(req.headers.cookie ?? '')[name] !== undefined)
    res.clearCookie(name, attributes(secure));
}
