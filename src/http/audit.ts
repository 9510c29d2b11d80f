import type { Request, Response } from 'express';
import { type DoneAct, writeAct } from '../accounts/write-act.js';
import type { Parts } from '../pipeline/parts.js';
import type { Acting } from '../resources/acting.js';
import { clientAddress } from './client-address.js';
import { contextOf } from './context.js';

/** What an operation that a request asks for works with: its acts are the caller's. */
export const actingOf = (parts: Parts, req: Request, res: Response): Acting => ({
  parts,
  record: (done) => recordAct(parts, req, res, done),
});

/** Records an administrative act of the caller, before it is answered. Never rejects. */
async function recordAct(parts: Parts, req: Request, res: Response, done: DoneAct): Promise<void> {
  const { request } = contextOf(parts, res);
  const { caller, isIdentified } = request;
  const actor = {
    actor: caller.name,
    actorAccountId: isIdentified ? caller.accountId : null,
    actorKeyId: caller.keyId,
    address: clientAddress(req),
  };
  await writeAct(
    async () => (await parts.state.opened()).store,
    actor,
    { accountId: caller.accountId, ...done },
    (failure) => parts.log.failure(request, failure),
  );
}
