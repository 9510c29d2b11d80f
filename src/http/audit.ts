import type { Request, Response } from 'express';
import { type Actor, type DoneAct, writeAct } from '../accounts/write-act.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { ApiContext } from '../api/endpoint.js';
import { clientAddress } from './client-address.js';
import { contextOf } from './context.js';

/** What an operation that a request asks for works with: its acts are the caller's. */
export const apiContextOf = (parts: GatewayParts, req: Request, res: Response): ApiContext => ({
  parts,
  record: (done) =>
    recordFor(parts, res, actorOf(parts, req, res), {
      accountId: contextOf(parts, res).request.caller.accountId,
      ...done,
    }),
});

/** The caller of a request, as the audit log names it. */
export function actorOf(parts: GatewayParts, req: Request, res: Response): Actor {
  const { caller, isIdentified } = contextOf(parts, res).request;
  return {
    actor: caller.name,
    actorAccountId: isIdentified ? caller.accountId : null,
    actorKeyId: caller.keyId,
    address: clientAddress(req),
  };
}

/** Records an administrative act that a request asked for. Never rejects. */
export function recordFor(
  parts: GatewayParts,
  res: Response,
  actor: Actor,
  done: DoneAct,
): Promise<void> {
  const { request } = contextOf(parts, res);
  return writeAct(
    async () => (await parts.state.opened()).store,
    actor,
    done,
    (failure) => parts.log.failure(request, failure),
  );
}
