import type { Request, RequestHandler, Response } from 'express';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { findHostUser, isCallerRequired } from '../authenticate.js';
import { contextOf } from '../context.js';
import { sendJson } from '../send-json.js';
import { findSignedIn } from '../signed-in.js';
import { answer } from '../stage.js';

/**
 * `GET /api/v1/auth/status`: how people sign in here, and whether this browser has. It tells a
 * stranger nothing that the other routes without a key would not.
 */
export function readAuthStatus(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { accounts } = contextOf(parts, res).request.snapshot;
    const { store } = await parts.state.opened();
    res.setHeader('Cache-Control', 'no-store');
    sendJson(res, 200, {
      object: 'auth_status',
      webAccounts: accounts.web,
      claimed: accounts.web ? await store.claims.hasOwner() : null,
      signUp: accounts.web ? accounts.signUp : 'closed',
      mail: accounts.mailer !== null,
      signedIn: await isSignedIn(parts, req, res),
      keyRequired: isCallerRequired(parts, contextOf(parts, res).request.snapshot),
    });
  });
}

async function isSignedIn(parts: GatewayParts, req: Request, res: Response): Promise<boolean> {
  const known = await findSignedIn(parts, req, contextOf(parts, res));
  return known !== null || (await findHostUser(parts, req)) !== null;
}
