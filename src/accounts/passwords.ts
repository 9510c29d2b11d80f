import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import { GatewayError, invalidField } from '../errors.js';

/** Characters of a password, counted in Unicode's composed form. */
const minPasswordLength = 8;

/** Hashes passwords. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
  /** Whether the hash was made with the current parameters. */
  isCurrent(hash: string): Promise<boolean>;
}

/** OWASP's minimum: argon2id, 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// loaded with the first password, because many gateways are used only with keys
const argon2 = (): Promise<typeof import('@node-rs/argon2')> => import('@node-rs/argon2');

/** argon2id on Node's worker threads. */
export const argon2Hasher: PasswordHasher = {
  hash: async (password) => (await argon2()).hash(password, parameters),
  verify: async (hash, password) => (await argon2()).verify(hash, password),
  async isCurrent(hash) {
    const { memoryCost, timeCost, parallelism } = (await argon2()).parseOptions(hash);
    return (
      hash.startsWith('$argon2id$') &&
      memoryCost === parameters.memoryCost &&
      timeCost === parameters.timeCost &&
      parallelism === parameters.parallelism
    );
  },
};

/** The result of a password check. */
export interface PasswordCheck {
  readonly matches: boolean;
  /** The password matches, and should be hashed anew with the current parameters. */
  readonly isOutdated: boolean;
}

/** Rejects passwords that are too short. @throws GatewayError `validation_failed` */
export function checkNewPassword(password: string, field = 'password'): void {
  if (Array.from(password.normalize('NFC')).length < minPasswordLength)
    throw invalidField(field, `must have at least ${minPasswordLength} characters`);
}

/**
 * Half of Node's worker threads: DNS lookups and file access of other requests use the same ones.
 */
const maxConcurrent = 2;
/** Some seconds' work; sign-ins beyond that are refused. */
const maxWaiting = 200;

/**
 * Hashes and checks passwords, few at a time, so that a flood of sign-ins exhausts neither memory
 * nor worker threads. Passwords are compared in Unicode's composed form (NFC): the same letters
 * typed on another system are the same password, and no two different passwords become one.
 */
export class Passwords {
  private readonly limit = pLimit(maxConcurrent);
  /** Checked where there is no account, so that this takes as long as a wrong password. */
  private decoyHash: Promise<string> | null = null;

  constructor(private readonly hasher: PasswordHasher = argon2Hasher) {}

  /**
   * Hashes a new password.
   * @throws GatewayError `validation_failed` if it is too short, `unavailable` if too many wait
   */
  async hash(password: string, field = 'password'): Promise<string> {
    checkNewPassword(password, field);
    return this.limited(() => this.hasher.hash(password.normalize('NFC')));
  }

  /**
   * Checks a password against its hash. Null, for an account that does not exist or has no
   * password, takes as long as a wrong password.
   * @throws GatewayError `unavailable` if too many wait
   */
  async check(password: string, storedHash: string | null): Promise<PasswordCheck> {
    this.decoyHash ??= this.hash(randomUUID()).catch((error: unknown) => {
      this.decoyHash = null;
      throw error;
    });
    const hash = storedHash ?? (await this.decoyHash);
    const verified = await this.limited(() => this.hasher.verify(hash, password.normalize('NFC')));
    const matches = verified && storedHash !== null;
    return { matches, isOutdated: matches && !(await this.hasher.isCurrent(hash)) };
  }

  private limited<T>(work: () => Promise<T>): Promise<T> {
    if (this.limit.pendingCount >= maxWaiting)
      throw new GatewayError('unavailable', 'too many sign-ins at the moment', {
        retryAfterMs: 5_000,
      });
    return this.limit(work);
  }
}
