import { describe, expect, it } from 'vitest';
import { argon2Hasher, type PasswordHasher, Passwords } from '../../src/accounts/passwords.js';

/** A hasher whose work ends when the test says so. */
class SlowHasher implements PasswordHasher {
  begun = 0;
  readonly ends: (() => void)[] = [];

  hash(password: string): Promise<string> {
    return this.work(`hash of ${password}`);
  }

  verify(hash: string, password: string): Promise<boolean> {
    return this.work(hash === `hash of ${password}`);
  }

  isCurrent(): Promise<boolean> {
    return Promise.resolve(true);
  }

  private work<T>(result: T): Promise<T> {
    this.begun++;
    return new Promise((resolve) => this.ends.push(() => resolve(result)));
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a password', () => {
  it('is stored as argon2id with 19 MiB and two passes, with another salt each time', async () => {
    const passwords = new Passwords();
    const [one, other] = [
      await passwords.hash('correct horse'),
      await passwords.hash('correct horse'),
    ];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
    expect(one).not.toContain('horse');
  });

  it('matches its own hash and no other', async () => {
    const passwords = new Passwords();
    const kept = await passwords.hash('correct horse');
    expect(await passwords.check('correct horse', kept)).toEqual({
      matches: true,
      isOutdated: false,
    });
    for (const wrong of ['Correct horse', 'correct horse ', 'correct hors', ''])
      expect((await passwords.check(wrong, kept)).matches).toBe(false);
  });

  it('never matches without a stored hash', async () => {
    const passwords = new Passwords();
    for (const password of ['', 'null', 'correct horse'])
      expect(await passwords.check(password, null)).toEqual({ matches: false, isOutdated: false });
  });

  it('is the same in every Unicode composition', async () => {
    const passwords = new Passwords();
    const kept = await passwords.hash('caf\u00e9 caf\u00e9');
    expect((await passwords.check('cafe\u0301 cafe\u0301', kept)).matches).toBe(true);
  });

  it.each(['', 'seven77', '\u{1f600}'.repeat(7), 'e\u0301'.repeat(7)])(
    'has at least 8 characters: %j is refused',
    async (password) => {
      await expect(new Passwords().hash(password, 'newPassword')).rejects.toMatchObject({
        code: 'validation_failed',
        message: 'newPassword: must have at least 8 characters',
      });
    },
  );

  it('that was hashed with weaker parameters is recognized', async () => {
    const { hash } = await import('@node-rs/argon2');
    const kept = await hash('correct horse', { memoryCost: 8_192, timeCost: 1 });
    expect(await new Passwords().check('correct horse', kept)).toEqual({
      matches: true,
      isOutdated: true,
    });
    expect(await new Passwords().check('wrong horse', kept)).toEqual({
      matches: false,
      isOutdated: false,
    });
    expect(await argon2Hasher.isCurrent(await argon2Hasher.hash('correct horse'))).toBe(true);
  });
});

describe('many passwords at once', () => {
  it('are hashed two at a time, in order', async () => {
    const hasher = new SlowHasher();
    const passwords = new Passwords(hasher);
    const done: number[] = [];
    const all = Array.from({ length: 6 }, (_, index) =>
      passwords.hash(`password ${index}`).then(() => done.push(index)),
    );
    for (let ended = 0; ended < 6; ended++) {
      await turn();
      expect(hasher.begun).toBe(Math.min(ended + 2, 6));
      hasher.ends[ended]?.();
    }
    await Promise.all(all);
    expect(done).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('are refused temporarily beyond what a few seconds can hash', async () => {
    const hasher = new SlowHasher();
    const passwords = new Passwords(hasher);
    const all = Array.from({ length: 202 }, () => passwords.hash('correct horse'));
    await expect(passwords.hash('one too many')).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterMs: 5_000,
    });
    for (let index = 0; index < 202; index++) {
      await turn();
      hasher.ends[index]?.();
    }
    expect(new Set(await Promise.all(all)).size).toBe(1);
  });

  it('continue after one whose hashing fails', async () => {
    const hasher: PasswordHasher = {
      hash: (password) =>
        password.startsWith('bad')
          ? Promise.reject(new Error('no memory'))
          : Promise.resolve('kept'),
      verify: () => Promise.resolve(true),
      isCurrent: () => Promise.resolve(true),
    };
    const passwords = new Passwords(hasher);
    const results = await Promise.allSettled(
      ['bad one two', 'bad three', 'bad four five', 'good one two', 'good three'].map((password) =>
        passwords.hash(password),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });
});

describe('checking a password', () => {
  it('does the same work whether there is an account or not', async () => {
    const work: string[] = [];
    const counting: PasswordHasher = {
      hash: (password) => (work.push('hash'), argon2Hasher.hash(password)),
      verify: (hash, password) => (
        work.push(`verify ${hash.split('$').slice(1, 4).join('$')}`),
        argon2Hasher.verify(hash, password)
      ),
      isCurrent: (hash) => argon2Hasher.isCurrent(hash),
    };
    const passwords = new Passwords(counting);
    const kept = await passwords.hash('correct horse');
    await passwords.check('anything', null);
    work.length = 0;
    await passwords.check('wrong horse', kept);
    const forKnown = work.splice(0);
    await passwords.check('wrong horse', null);
    expect(work).toEqual(forKnown);
    expect(work).toEqual(['verify argon2id$v=19$m=19456,t=2,p=1']);
  });
});
