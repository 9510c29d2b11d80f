import type { RequestHandler, Response } from 'express';
import type { AccountContext } from '../accounts/account-context.js';
import { contextOf } from './context.js';
import { refuseForeignPage } from './foreign-page.js';
import type { Parts } from './parts.js';
import { stage } from './stage.js';

/** What a request about accounts works with, by the configuration in force when it came. @throws GatewayError `unavailable` */
export async function accountContextOf(parts: Parts, res: Response): Promise<AccountContext> {
  const { store, counters } = await parts.memory.opened();
  const { passwords, backgroundTasks } = parts.memory;
  return {
    store,
    counters,
    passwords,
    backgroundTasks,
    rules: (contextOf(res).runtime ??= parts.current()).accounts,
    now: Date.now,
  };
}

/** For what anybody may ask who has not signed in yet; but other sites' pages must not sign a browser in as somebody else. */
export function anybody(parts: Parts): RequestHandler {
  return stage((req, res) => {
    const runtime = (contextOf(res).runtime ??= parts.current());
    if (req.method !== 'GET' && req.method !== 'HEAD')
      refuseForeignPage(req, runtime.accounts.publicUrl);
  });
}
