import { randomUUID } from 'node:crypto';
import type { AuditRow } from '../store/contracts/audit.js';
import type { Store } from '../store/contracts/store.js';

/** Records what a command has done, in the audit log. Never a secret. */
export function recordAct(
  { audit }: Pick<Store, 'audit'>,
  done: Pick<AuditRow, 'act' | 'accountId' | 'target'> & { readonly details?: unknown },
): Promise<void> {
  return audit.add({
    id: randomUUID(),
    at: Date.now(),
    actor: 'command line',
    actorAccountId: null,
    actorKeyId: null,
    address: null,
    details: null,
    ...done,
  });
}
