import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { GatewayError } from '../errors.js';
import type { Parts } from '../pipeline/parts.js';
import type { Act } from '../store/contracts/audit.js';
import { clientAddress } from './client-address.js';
import { contextOf } from './context.js';

/** An administrative act that has succeeded. */
export interface DoneAct {
  readonly act: Act;
  /** The account that it concerns. Default: the caller's. */
  readonly accountId?: string | null;
  /** The id of the key or account that was changed. */
  readonly target?: string | null;
  /** The changed fields, never a secret. */
  readonly details?: unknown;
}

/**
 * Records an administrative act, before it is answered. Never rejects: the act has been done, so a
 * row that cannot be written is only logged.
 */
export async function recordAct(
  parts: Parts,
  req: Request,
  res: Response,
  { act, accountId, target = null, details = null }: DoneAct,
): Promise<void> {
  const { request } = contextOf(parts, res);
  const { caller, isIdentified } = request;
  try {
    const { store } = await parts.state.opened();
    await store.audit.add({
      id: randomUUID(),
      at: Date.now(),
      act,
      accountId: accountId === undefined ? caller.accountId : accountId,
      target,
      actor: caller.name,
      actorAccountId: isIdentified ? caller.accountId : null,
      actorKeyId: caller.keyId,
      address: clientAddress(req),
      details,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown';
    const failure = new GatewayError('internal', `the act ${act} is not recorded: ${why}`);
    parts.log.failure(request, failure);
  }
}
