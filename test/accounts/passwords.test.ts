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

const sender = { from: '192.0.2.1' };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a password', () => {
  it('is stored as argon2id with 19 MiB and two passes, with another salt each time', async () => {
    const passwords = new Passwords();
    const [one, other] = [
      await passwords.hash('correct horse', sender),
      await passwords.hash('correct horse', sender),
    ];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
    expect(one).not.toContain('horse');
  });

  it('matches its own hash and no other', async () => {
    const passwords = new Passwords();
    const kept = await passwords.hash('correct horse', sender);
    expect(await passwords.check('correct horse', kept, sender)).toEqual({
      matches: true,
      isOutdated: false,
    });
    for (const wrong of ['Correct horse', 'correct horse ', 'correct hors', ''])
      expect((await passwords.check(wrong, kept, sender)).matches).toBe(false);
  });

  it('never matches without a stored hash', async () => {
    const passwords = new Passwords();
    for (const password of ['', 'null', 'correct horse'])
      expect(await passwords.check(password, null, sender)).toEqual({
        matches: false,
        isOutdated: false,
      });
  });

  it('is the same in every Unicode composition', async () => {
    const passwords = new Passwords();
    const kept = await passwords.hash('caf\u00e9 caf\u00e9', sender);
    expect((await passwords.check('cafe\u0301 cafe\u0301', kept, sender)).matches).toBe(true);
  });

  it.each(['', 'seven77', '\u{1f600}'.repeat(7), 'e\u0301'.repeat(7)])(
    'has at least 8 characters: %j is refused',
    async (password) => {
      await expect(new Passwords().hash(password, sender, 'newPassword')).rejects.toMatchObject({
        code: 'validation_failed',
        message: 'newPassword: must have at least 8 characters',
      });
    },
  );

  it('that was hashed with weaker parameters is recognized', async () => {
    const { hash } = await import('@node-rs/argon2');
    const kept = await hash('correct horse', { memoryCost: 8_192, timeCost: 1 });
    expect(await new Passwords().check('correct horse', kept, sender)).toEqual({
      matches: true,
      isOutdated: true,
    });
    expect(await new Passwords().check('wrong horse', kept, sender)).toEqual({
      matches: false,
      isOutdated: false,
    });
    expect(await argon2Hasher.isCurrent(await argon2Hasher.hash('correct horse'))).toBe(true);
  });
});

describe('many passwords at once', () => {
  /** Ends the work that has begun, one after the other, until nothing begins any more. */
  const endAll = async (hasher: SlowHasher): Promise<void> => {
    await turn();
    for (let ended = 0; ended < hasher.ends.length; ended++) {
      hasher.ends[ended]!();
      await turn();
    }
  };

  it('are hashed one at a time, in turns by address', async () => {
    const hasher = new SlowHasher();
    const passwords = new Passwords(hasher);
    const done: string[] = [];
    const add = (name: string, from: string): void =>
      void passwords.hash(`password ${name}`, { from }).then(() => done.push(name));
    for (const name of ['a1', 'a2', 'a3']) add(name, '192.0.2.1');
    add('b1', '192.0.2.2');
    await turn();
    expect(hasher.begun).toBe(1);
    await endAll(hasher);
    expect(done).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('of those who signed in before do not wait for those of strangers', async () => {
    const hasher = new SlowHasher();
    const passwords = new Passwords(hasher);
    const strangers = Array.from({ length: 101 }, (_, index) =>
      passwords.hash('of a stranger', { from: `198.51.100.${index}` }),
    );
    const trusted = passwords.hash('of the owner', { from: '192.0.2.1', isTrusted: true });
    await turn();
    expect(hasher.begun).toBe(2);
    hasher.ends[1]!();
    expect(await trusted).toBe('hash of of the owner');
    await endAll(hasher);
    await Promise.all(strangers);
  });

  it('of one address are refused beyond a few, and of all beyond what some seconds can hash', async () => {
    const hasher = new SlowHasher();
    const passwords = new Passwords(hasher);
    const refusal = { code: 'unavailable', retryAfterMs: 5_000 };
    const own = Array.from({ length: 11 }, () => passwords.hash('correct horse', sender));
    await expect(passwords.hash('one too many', sender)).rejects.toMatchObject(refusal);
    const others = Array.from({ length: 90 }, (_, index) =>
      passwords.hash('correct horse', { from: `198.51.100.${index}` }),
    );
    // gets the place of one of the address that has the most
    const late = passwords.hash('correct horse', { from: '203.0.113.1' });
    await expect(own.at(-1)).rejects.toMatchObject(refusal);
    await endAll(hasher);
    expect(new Set(await Promise.all([...own.slice(0, -1), ...others, late])).size).toBe(1);
  });

  it('of a whole /48 network of version 6 count as of one address', async () => {
    const passwords = new Passwords(new SlowHasher());
    for (let index = 0; index < 11; index++)
      void passwords.hash('correct horse', { from: `2001:db8:1:${index}::/64` });
    await expect(
      passwords.hash('one too many', { from: '2001:db8:1:99::/64' }),
    ).rejects.toMatchObject({ code: 'unavailable' });
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
        passwords.hash(password, sender),
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
    const kept = await passwords.hash('correct horse', sender);
    await passwords.check('anything', null, sender);
    work.length = 0;
    await passwords.check('wrong horse', kept, sender);
    const forKnown = work.splice(0);
    await passwords.check('wrong horse', null, sender);
    expect(work).toEqual(forKnown);
    expect(work).toEqual(['verify argon2id$v=19$m=19456,t=2,p=1']);
  });
});
