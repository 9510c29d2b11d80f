import type { RequestHandler, Response } from 'express';
import type { ClaimContext } from '../accounts/claim.js';
import { hashKey } from '../accounts/static-keys.js';
import type { Actor } from '../accounts/write-act.js';
import type { AccountRecord } from '../store/contracts/accounts.js';
import { actorOf, recordFor } from './audit.js';
import { clientAddress } from './client-address.js';
import { contextOf } from './context.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';

/**
 * What the account functions need, with the account rules of the request's configuration.
 * @throws GatewayError `unavailable` if the database cannot be reached
 */
export async function accountContextOf(parts: GatewayParts, res: Response): Promise<ClaimContext> {
  const { store, counters } = await parts.state.opened();
  const { passwords, backgroundTasks, keys } = parts.state;
  // now, because a connection that is closed has no address
  const actor = actorOf(parts, res.req, res);
  return {
    store,
    counters,
    passwords,
    backgroundTasks,
    rules: contextOf(parts, res).request.snapshot.accounts,
    now: Date.now,
    record: (done, owner) =>
      recordFor(
        parts,
        res,
        owner && actor.actorAccountId === null ? ownerAs(owner, actor) : actor,
        done,
      ),
    findKey: (key) => keys.find(hashKey(key), () => clientAddress(res.req)),
  };
}

const ownerAs = ({ id, email }: Pick<AccountRecord, 'id' | 'email'>, actor: Actor): Actor => ({
  ...actor,
  actor: email ?? id,
  actorAccountId: id,
});

/** The first stage of the routes of web accounts, which exist only if the configuration has them. */
export function ifWebAccounts(parts: GatewayParts): RequestHandler {
  return (_req, _res, next) => {
    if (parts.current().accounts.web) next();
    else next('route');
  };
}
