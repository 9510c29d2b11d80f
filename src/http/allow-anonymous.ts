import type { Request, RequestHandler, Response } from 'express';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { keyOf, findCaller } from './authenticate.js';
import { contextOf } from './context.js';
import { isOwnHost, misdirected, refuseForeignPage } from './keyless.js';
import { stage } from './stage.js';

/**
 * The access stage of resources that need neither key nor sign-in. It still refuses changes sent by
 * pages of other sites, so that they cannot sign a browser in to an account of theirs.
 */
export function allowAnonymous(parts: GatewayParts): RequestHandler {
  return stage(async (req, res) => {
    const { snapshot } = contextOf(parts, res).request;
    if (req.method !== 'GET' && req.method !== 'HEAD')
      refuseForeignPage(req, snapshot.accounts.publicUrl);
    await checkHost(parts, req, res);
  });
}

/** The access stage of pages for everyone: refuses only foreign names in `Host`. */
export function allowReaders(parts: GatewayParts): RequestHandler {
  return stage((req, res) => checkHost(parts, req, res));
}

/** @throws GatewayError `misdirected_request` for a foreign name in `Host` without a valid key */
async function checkHost(parts: GatewayParts, req: Request, res: Response): Promise<void> {
  const { snapshot } = contextOf(parts, res).request;
  if (isOwnHost(req, snapshot.browser.hosts)) return;
  const key = keyOf(req.headers);
  if (key === null || !(await findCaller(parts, snapshot, req, key))) throw misdirected();
}
