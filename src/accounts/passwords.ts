import { randomUUID } from 'node:crypto';
import { FairQueue, remoteAddress } from '../async/fair-queue.js';
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

/** Who sends a password. */
export interface PasswordSender {
  /** The remote address. */
  readonly from: string;
  /**
   * Whether the sender has shown something that strangers do not have: a browser that signed in to
   * the account before, or a secret. Default: false.
   */
  readonly isTrusted?: boolean;
}

/** Networks take turns. 100 passwords are some seconds' work; those beyond are refused. */
const newQueue = (): FairQueue =>
  new FairQueue({
    maxRunning: 1,
    maxRunningPerNetwork: 1,
    maxWaiting: 100,
    maxWaitingPerNetwork: 10,
    refusal: () =>
      new GatewayError('unavailable', 'too many sign-ins at the moment', { retryAfterMs: 5_000 }),
  });

/**
 * Hashes and checks passwords, those of strangers and those of trusted senders in a queue each, one
 * at a time. So a flood of sign-ins exhausts neither memory nor processors, and trusted senders do not
 * wait for it. The two queues use half of Node's worker threads; DNS lookups and file access of other
 * requests need the rest. Passwords are compared in Unicode's composed form (NFC): the same letters
 * typed on another system are the same password, and no two different passwords become one.
 */
export class Passwords {
  private readonly strangers = newQueue();
  private readonly trusted = newQueue();
  /** Checked where there is no account, so that this takes as long as a wrong password. */
  private decoyHash: Promise<string> | null = null;

  constructor(private readonly hasher: PasswordHasher = argon2Hasher) {}

  /**
   * Hashes a new password.
   * @throws GatewayError `validation_failed` if it is too short, `unavailable` if too many wait
   */
  async hash(password: string, sender: PasswordSender, field = 'password'): Promise<string> {
    checkNewPassword(password, field);
    return this.inTurn(sender, () => this.hasher.hash(password.normalize('NFC')));
  }

  /**
   * Checks a password against its hash. Null, for an account that does not exist or has no
   * password, takes as long as a wrong password.
   * @throws GatewayError `unavailable` if too many wait
   */
  async check(
    password: string,
    storedHash: string | null,
    sender: PasswordSender,
  ): Promise<PasswordCheck> {
    this.decoyHash ??= this.hasher.hash(randomUUID()).catch((error: unknown) => {
      this.decoyHash = null;
      throw error;
    });
    const hash = storedHash ?? (await this.decoyHash);
    const verified = await this.inTurn(sender, () =>
      this.hasher.verify(hash, password.normalize('NFC')),
    );
    const matches = verified && storedHash !== null;
    return { matches, isOutdated: matches && !(await this.hasher.isCurrent(hash)) };
  }

  private inTurn<T>({ from, isTrusted }: PasswordSender, work: () => Promise<T>): Promise<T> {
    return (isTrusted ? this.trusted : this.strangers).run(remoteAddress(from), work);
  }
}
