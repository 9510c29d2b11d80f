import { userInfo } from 'node:os';
import { type Actor, type DoneAct, writeAct } from '../accounts/write-act.js';
import type { Store } from '../store/contracts/store.js';

/**
 * Records what a command has done, in the name of the operating system's user. Never rejects: a row
 * that cannot be written is a warning on standard error.
 */
export const recordAct = (store: Pick<Store, 'audit'>, done: DoneAct): Promise<void> =>
  writeAct(
    () => Promise.resolve(store),
    systemActor('command line'),
    done,
    ({ message }) => process.stderr.write(`warning: ${message}\n`),
  );

/** The operating system's user as the audit log names it. */
export const systemActor = (from: 'command line' | 'configuration file' | 'start'): Actor => ({
  actor: systemUser(),
  actorAccountId: null,
  actorKeyId: null,
  address: from,
});

/** In a container, the user often has a number and no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
