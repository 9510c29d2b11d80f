import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import { isLoopback } from '../../config/is-loopback.js';

/** Warns if every stranger can make an account and keys for it. */
export function warnOfOpenSignUp(
  { auth, mail, listen: { host } }: Pick<Config, 'auth' | 'mail' | 'listen'>,
  logger: Pick<Logger, 'warn'>,
): void {
  const isOpen = auth.signUp === 'open' && auth.webAccounts !== false;
  const isVerified = mail !== null || auth.signUpDomains.length > 0;
  if (!isOpen || isVerified || isLoopback(host)) return;
  logger.warn(
    `auth.signUp is open: everyone who can reach ${host} can make an account and use every provider within auth.signUpLimits; close it, or set mail and auth.signUpDomains`,
  );
}
