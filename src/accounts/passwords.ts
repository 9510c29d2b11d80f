import { randomUUID } from 'node:crypto';
import { GatewayError, invalidField } from '../errors.js';

/** Fewest characters of a password, counted in Unicode's composed form. */
const shortestPassword = 8;

/** Turns passwords into what may be kept of them. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  verify(hash: string, password: string): Promise<boolean>;
  /** Whether the hash was made as one would be made now. */
  isCurrent(hash: string): Promise<boolean>;
}

/** What OWASP asks for at the least: argon2id, 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// loaded when the first password comes: a gateway that is only asked by key never does
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

/** What checking a password has shown. */
export interface PasswordCheck {
  readonly matches: boolean;
  /** It matches, and its hash should be made anew. */
  readonly isOutdated: boolean;
}

/** @throws GatewayError `validation_failed` for a password that nobody may choose */
export function checkNewPassword(password: string, field = 'password'): void {
  if (Array.from(password.normalize('NFC')).length < shortestPassword)
    throw invalidField(field, `must have at least ${shortestPassword} characters`);
}

/** Half of Node's worker threads: name lookups and files of other requests wait for the same ones. */
const mostAtOnce = 2;
/** Some seconds' work; whoever comes when so many wait is told to come again. */
const mostWaiting = 200;

/**
 * Hashes and checks passwords, few at a time, so that a flood of sign-ins takes neither the memory nor the threads. Passwords are compared in
 * Unicode's composed form (NFC): the same letters typed on another system are the same password, and no two different ones become one.
 */
export class Passwords {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private nobodys: Promise<string> | null = null;

  constructor(private readonly hasher: PasswordHasher = argon2Hasher) {}

  /** What may be kept of a new password. @throws GatewayError `validation_failed` for one that is too short, `unavailable` where too many wait */
  async hash(password: string, field = 'password'): Promise<string> {
    checkNewPassword(password, field);
    return this.inTurn(() => this.hasher.hash(password.normalize('NFC')));
  }

  /**
   * Checks a password against what is kept of it. Null, where there is no account or nobody can sign in, costs as much as a wrong password.
   * @throws GatewayError `unavailable` where too many wait
   */
  async check(password: string, kept: string | null): Promise<PasswordCheck> {
    this.nobodys ??= this.hash(randomUUID()).catch((error: unknown) => {
      this.nobodys = null;
      throw error;
    });
    const hash = kept ?? (await this.nobodys);
    const verified = await this.inTurn(() => this.hasher.verify(hash, password.normalize('NFC')));
    const matches = verified && kept !== null;
    return { matches, isOutdated: matches && !(await this.hasher.isCurrent(hash)) };
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    await this.turn();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  /** Whoever leaves hands the place on, so nobody who comes later slips in between. */
  private turn(): Promise<void> | undefined {
    if (this.running < mostAtOnce) {
      this.running++;
      return;
    }
    if (this.waiting.length >= mostWaiting)
      throw new GatewayError('unavailable', 'too many are signing in at the moment', {
        retryAfterMs: 5_000,
      });
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
