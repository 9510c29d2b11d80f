import type { Request, Response } from 'express';
import type { Browser, RequestCall } from '../api/endpoint.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { accountContextOf } from './account-context.js';
import { apiContextOf } from './audit.js';
import { findHostUser, isCallerRequired, keyOf } from './authenticate.js';
import { bodyLimits } from './bodies/body-limits.js';
import { clientAddress } from './client-address.js';
import { contextOf, type HttpContext } from './context.js';
import {
  clearSignInCookie,
  knownBrowserCookie,
  setKnownBrowserCookie,
  setSignInCookie,
  signInToken,
} from './sign-in-cookie.js';
import { findSignedIn } from './signed-in.js';
import { openai } from './surfaces/openai.js';
import { readTrainingBody } from './training/training-body.js';

/** What an endpoint gets of an authenticated HTTP request whose body has been checked. */
export function requestCall(parts: GatewayParts, req: Request, res: Response): RequestCall<never> {
  const context = contextOf(parts, res);
  const { caller, snapshot } = context.request;
  return {
    ...apiContextOf(parts, req, res),
    caller,
    snapshot,
    params: req.params,
    query: req.query,
    body: req.body as never,
    prefersCsv: () => req.accepts(['json', 'csv']) === 'csv',
    address: clientAddress(req),
    key: keyOf(req.headers),
    ownUrl: `${req.protocol}://${req.get('host') ?? 'localhost'}${req.baseUrl}`,
    needsKey: isCallerRequired(parts, snapshot),
    browser: browserOf(parts, req, res, context),
    accounts: () => accountContextOf(parts, res),
    evaluations: () => readTrainingBody(req, bodyLimits(parts, res)),
    completion: (body) => openai.readCall(body),
  };
}

function browserOf(
  parts: GatewayParts,
  req: Request,
  res: Response,
  context: HttpContext,
): Browser {
  return {
    signIn: context.signIn,
    token: signInToken(req.headers),
    knownToken: knownBrowserCookie(req.headers),
    isSignedIn: async () =>
      (await findSignedIn(parts, req, context)) !== null ||
      (await findHostUser(parts, req)) !== null,
    setCookies(signIn, known) {
      setSignInCookie(req, res, signIn);
      setKnownBrowserCookie(req, res, known);
    },
    clearCookie: (publicUrl) => clearSignInCookie(req, res, publicUrl),
  };
}
