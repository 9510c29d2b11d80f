import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';

const cookieName = 'signalbox_session';
/** 32 random bytes in base64url. */
const tokenForm = /^[\w-]{43}$/;

/**
 * The token in a browser's sign-in cookie, or null if there is none or it has not the form of a
 * token.
 */
export function signInToken({ cookie }: IncomingHttpHeaders): string | null {
  const token = cookie === undefined ? undefined : parseCookie(cookie)[cookieName];
  return token !== undefined && tokenForm.test(token) ? token : null;
}

/**
 * Scripts cannot read the cookie and forms of other sites do not send it. It is `secure` if the
 * browser reaches the gateway by HTTPS.
 */
const attributes = (req: Request, publicUrl: string | null) =>
  ({
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: req.secure || /^https:/i.test(publicUrl ?? ''),
  }) as const;

/** Sets the sign-in cookie, which the browser keeps for `keepMs`. */
export function setSignInCookie(
  req: Request,
  res: Response,
  { token, keepMs, publicUrl }: { token: string; keepMs: number; publicUrl: string | null },
): void {
  res.cookie(cookieName, token, { ...attributes(req, publicUrl), maxAge: keepMs });
}

/** Deletes the sign-in cookie in the browser. */
export function clearSignInCookie(req: Request, res: Response, publicUrl: string | null): void {
  res.clearCookie(cookieName, attributes(req, publicUrl));
}
