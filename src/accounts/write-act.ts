import { randomUUID } from 'node:crypto';
import { GatewayError, messageOf } from '../errors.js';
import type { Act, AuditRow } from '../store/contracts/audit.js';
import type { KeyRecord } from '../store/contracts/keys.js';
import type { Store } from '../store/contracts/store.js';

/** Who does an administrative act, and from where. */
export type Actor = Pick<AuditRow, 'actor' | 'actorAccountId' | 'actorKeyId' | 'address'>;

/** An administrative act that has succeeded. */
export interface DoneAct {
  readonly act: Act;
  /** The account that it concerns. Default: the actor's. */
  readonly accountId?: string | null;
  /** The id of the key or account that was changed. */
  readonly target?: string | null;
  /** The changed fields, never a secret. */
  readonly details?: unknown;
}

/** An act on an account, which is both what it concerns and what it changes. */
export const actOnAccount = (act: Act, id: string, details?: unknown): DoneAct => ({
  act,
  accountId: id,
  target: id,
  details,
});

/** The issue of a key, with what it may be used for. */
export const keyCreated = (key: KeyRecord): DoneAct => {
  const { id, accountId, name, scopes, models, toolkits, economy, limits, expiresAt } = key;
  const details = { name, scopes, models, toolkits, economy, limits, expiresAt };
  return { act: 'key.create', accountId, target: id, details };
};

let lastActAt = 0;
/** The time of an act. Acts of one process never share a millisecond, so the log keeps their order. */
const timeOfAct = (): number => (lastActAt = Math.max(Date.now(), lastActAt + 1));

/** Writes an act to the audit log. Never rejects: it has been done, so a failure is only logged. */
export async function writeAct(
  opened: () => Promise<Pick<Store, 'audit'>>,
  actor: Actor,
  { act, accountId, target = null, details = null }: DoneAct,
  logFailure: (failure: GatewayError) => void,
): Promise<void> {
  try {
    const { audit } = await opened();
    await audit.add({
      id: randomUUID(),
      at: timeOfAct(),
      act,
      accountId: accountId === undefined ? actor.actorAccountId : accountId,
      target,
      ...actor,
      details,
    });
  } catch (error) {
    const why = messageOf(error);
    logFailure(new GatewayError('internal', `the act ${act} is not recorded: ${why}`));
  }
}
