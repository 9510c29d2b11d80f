import type { Request, RequestHandler, Response } from 'express';
import { claimGateway } from '../../accounts/claim.js';
import { mailAddressOf } from '../../accounts/mail-address.js';
import { changePassword, completeReset, requestReset } from '../../accounts/new-password.js';
import { knownBrowserMs } from '../../accounts/known-browser.js';
import { signIn, signOut, signOutEverywhere } from '../../accounts/sign-in.js';
import { signUp } from '../../accounts/sign-up.js';
import { checkScope, keyOf } from '../authenticate.js';
import { accountContextOf } from '../account-context.js';
import { clientAddress } from '../client-address.js';
import { callerOf, contextOf } from '../context.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { sendJson } from '../send-json.js';
import {
  clearSignInCookie,
  knownBrowserCookie,
  setKnownBrowserCookie,
  setSignInCookie,
  signInToken,
} from '../sign-in-cookie.js';
import { answer } from '../stage.js';
import { shownAccount } from '../../api/accounts.js';
import { isoOrNull } from '../../api/page-request.js';

const sendEmpty = (res: Response, status: 202 | 204): void => void res.status(status).end();
const credentials = ({ body }: Request): { email: string; password: string } =>
  body as { email: string; password: string };

/**
 * `POST /api/v1/auth/sign-up`: the answer does not reveal whether the address has an account
 * already.
 */
export function signUpAccount(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    await signUp(await accountContextOf(parts, res), {
      ...credentials(req),
      from: clientAddress(req),
    });
    sendEmpty(res, 202);
  });
}

/**
 * `POST /api/v1/auth/claim`: gives the first account its owner, once. The secret is `code` in the
 * body or the API key of the request.
 */
export function claimFirstAccount(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { code } = req.body as { code?: string | null };
    const account = await claimGateway(await accountContextOf(parts, res), {
      ...credentials(req),
      code: code ?? keyOf(req.headers),
      from: clientAddress(req),
    });
    await parts.state.keys.accountChanged();
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 201, shownAccount(account));
  });
}

/**
 * `POST /api/v1/auth/sign-in`: sets the cookie and returns the CSRF token that the browser sends
 * with every change.
 */
export function signInBrowser(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const context = await accountContextOf(parts, res);
    const { email, password } = credentials(req);
    const signedIn = await signIn(context, {
      email: mailAddressOf(email),
      password,
      from: clientAddress(req),
      browser: knownBrowserCookie(req.headers),
    });
    const earlier = signInToken(req.headers);
    if (earlier !== null) await signOut(context, earlier);
    const { publicUrl, signInMs } = context.rules;
    setSignInCookie(req, res, { token: signedIn.token, keepMs: signInMs, publicUrl });
    const known = { token: signedIn.browserToken, keepMs: knownBrowserMs, publicUrl };
    setKnownBrowserCookie(req, res, known);
    const { csrfToken, expiresAt } = signedIn.signIn;
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 200, {
      account: shownAccount(signedIn.account),
      csrfToken,
      expiresAt: isoOrNull(expiresAt),
    });
  });
}

/**
 * `POST /api/v1/auth/sign-out`: ends the browser's sign-in; with an API key it changes nothing.
 * With `everywhere` it ends all sign-ins of the account, for which a key needs the scope `admin`.
 */
export function signOutBrowser(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const context = await accountContextOf(parts, res);
    const { everywhere } = req.body as { everywhere?: boolean | null };
    if (everywhere) {
      checkScope(callerOf(res), 'admin');
      await signOutEverywhere(context, callerOf(res).accountId);
    }
    const token = signInToken(req.headers);
    if (token !== null) await signOut(context, token);
    clearSignInCookie(req, res, context.rules.publicUrl);
    sendEmpty(res, 204);
  });
}

/**
 * `GET /api/v1/auth/account`: the account of the browser or key. A key in the configuration has an
 * account of its own.
 */
export function readOwnAccount(parts: GatewayParts): RequestHandler {
  return answer(async (_req, res) => {
    const { store } = await parts.state.opened();
    const { accountId, role, keyId, name, scopes, models, accountLimits } = callerOf(res);
    const { signIn } = contextOf(parts, res);
    const account = (await store.accounts.find(accountId)) ?? {
      id: accountId,
      email: null,
      role,
      createdAt: null,
      disabledAt: null,
      limits: accountLimits,
    };
    const key = keyId === null ? null : { id: keyId, name, scopes, models };
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 200, {
      account: shownAccount(account),
      name,
      scopes,
      key,
      csrfToken: signIn?.csrfToken ?? null,
      expiresAt: isoOrNull(signIn?.expiresAt ?? null),
    });
  });
}

/** `POST /api/v1/auth/password`: changes the password and signs out all other browsers. */
export function changeOwnPassword(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { currentPassword, newPassword } = req.body as {
      currentPassword: string;
      newPassword: string;
    };
    const keepTokenHash = contextOf(parts, res).signIn?.tokenHash ?? null;
    await changePassword(await accountContextOf(parts, res), {
      accountId: callerOf(res).accountId,
      currentPassword,
      newPassword,
      keepTokenHash,
      from: clientAddress(req),
      browser: knownBrowserCookie(req.headers),
    });
    sendEmpty(res, 204);
  });
}

/**
 * `POST /api/v1/auth/password-reset`: the answer does not reveal whether the address has an
 * account.
 */
export function requestPasswordReset(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { email } = req.body as { email: string };
    await requestReset(await accountContextOf(parts, res), { email, from: clientAddress(req) });
    sendEmpty(res, 202);
  });
}

/** `POST /api/v1/auth/password-reset/complete`: sets a new password, without signing in. */
export function completePasswordReset(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { token, password } = req.body as { token: string; password: string };
    await completeReset(await accountContextOf(parts, res), {
      token,
      password,
      from: clientAddress(req),
    });
    sendEmpty(res, 204);
  });
}
