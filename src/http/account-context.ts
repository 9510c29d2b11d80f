import type { RequestHandler, Response } from 'express';
import type { ClaimContext } from '../accounts/claim.js';
import { hashKey } from '../accounts/static-keys.js';
import { clientAddress } from './client-address.js';
import { contextOf } from './context.js';
import type { Parts } from '../pipeline/parts.js';

/**
 * What the account functions need, with the account rules of the request's configuration.
 * @throws GatewayError `unavailable` if the database cannot be reached
 */
export async function accountContextOf(parts: Parts, res: Response): Promise<ClaimContext> {
  const { store, counters } = await parts.state.opened();
  const { passwords, backgroundTasks, keys } = parts.state;
  return {
    store,
    counters,
    passwords,
    backgroundTasks,
    rules: contextOf(parts, res).request.snapshot.accounts,
    now: Date.now,
    findKey: (key) => keys.find(hashKey(key), () => clientAddress(res.req)),
  };
}

/** The first stage of the routes of web accounts, which exist only if the configuration has them. */
export function ifWebAccounts(parts: Parts): RequestHandler {
  return (_req, _res, next) => {
    if (parts.current().accounts.web) next();
    else next('route');
  };
}
