import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import { isLoopback } from '../../config/is-loopback.js';
import { firstAccountId } from '../../store/contracts/accounts.js';
import type { Databases } from '../../store/lazy-databases.js';

/**
 * Warns if a stranger could sign up before the owner: the first to sign up becomes the
 * administrator.
 */
export async function warnOfOpenSignUp(
  { auth, listen: { host } }: Pick<Config, 'auth' | 'listen'>,
  { store }: Pick<Databases, 'store'>,
  logger: Pick<Logger, 'warn'>,
): Promise<void> {
  if (auth.signUp === 'closed' || isLoopback(host)) return;
  const first = await store.accounts.find(firstAccountId);
  if (first === null || first.email !== null) return;
  logger.warn(
    `no one has signed up yet, and the first to sign up at ${host} becomes the administrator: sign up now, run "signalbox accounts create" with your mail address, or set auth.signUp to closed`,
  );
}
