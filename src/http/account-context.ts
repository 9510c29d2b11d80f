import type { RequestHandler, Response } from 'express';
import type { AccountContext } from '../accounts/account-context.js';
import { contextOf } from './context.js';
import { refuseForeignPage } from './foreign-page.js';
import type { Parts } from '../pipeline/parts.js';
import { stage } from './stage.js';

/**
 * What the account functions need, with the account rules of the request's configuration.
 * @throws GatewayError `unavailable` if the database cannot be reached
 */
export async function accountContextOf(parts: Parts, res: Response): Promise<AccountContext> {
  const { store, counters } = await parts.state.opened();
  const { passwords, backgroundTasks } = parts.state;
  return {
    store,
    counters,
    passwords,
    backgroundTasks,
    rules: contextOf(parts, res).request.snapshot.accounts,
    now: Date.now,
  };
}

/**
 * The access stage of routes that need neither key nor sign-in. It still refuses changes sent by
 * pages of other sites, so that they cannot sign a browser in to an account of theirs.
 */
export function allowAnonymous(parts: Parts): RequestHandler {
  return stage((req, res) => {
    const { snapshot } = contextOf(parts, res).request;
    if (req.method !== 'GET' && req.method !== 'HEAD')
      refuseForeignPage(req, snapshot.accounts.publicUrl);
  });
}
