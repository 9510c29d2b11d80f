import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';

const cookieName = 'signalbox_session';
const pair = new RegExp(`(?:^|;)\\s*${cookieName}=([\\w-]{43})(?=\\s*(?:;|$))`);

/** The token of a browser that has signed in, null where there is none or it is none of ours. */
export function signInToken({ cookie }: IncomingHttpHeaders): string | null {
  return cookie === undefined ? null : (pair.exec(cookie)?.[1] ?? null);
}

/** Scripts never see it, other sites' forms do not send it, and what came by https goes back by https alone. */
const attributes = (req: Request, publicUrl: string | null) =>
  ({
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: req.secure || /^https:/i.test(publicUrl ?? ''),
  }) as const;

/** Has the browser keep a token for so many ms. */
export function setSignInCookie(
  req: Request,
  res: Response,
  { token, keepMs, publicUrl }: { token: string; keepMs: number; publicUrl: string | null },
): void {
  res.cookie(cookieName, token, { ...attributes(req, publicUrl), maxAge: keepMs });
}

/** Has the browser forget its token. */
export function clearSignInCookie(req: Request, res: Response, publicUrl: string | null): void {
  res.clearCookie(cookieName, attributes(req, publicUrl));
}
