import type { Response } from 'express';
import type { AccountContext } from '../accounts/account-context.js';
import { contextOf } from './context.js';
import type { Parts } from '../pipeline/parts.js';

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
