import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Place, storeRows } from '../../helpers/stores.js';

const unfit: [unknown, string][] = [
  [true, 'of type boolean'],
  [5n, 'of type bigint'],
  [undefined, 'of type undefined'],
  [Symbol('secret'), 'of type symbol'],
  [new Date(0), 'a date'],
  [['secret'], 'an array'],
  [{ text: 'secret' }, 'an object'],
  [Number.NaN, 'a number that is not finite'],
  [Number.POSITIVE_INFINITY, 'a number that is not finite'],
  [2 ** 53, 'a whole number beyond 2^53'],
  ['secret\0', 'a text with NUL'],
  ['secret\ud800', 'a text with half a surrogate pair'],
  ['\udc00secret', 'a text with half a surrogate pair'],
];

describe.each(storeRows)('a statement on $name', (row) => {
  let place: Place;
  let database: ReturnType<Place['connect']>;

  beforeAll(async () => {
    place = await row.place();
    database = place.connect();
    await sql`create table things (whole bigint, fraction double precision, words text)`.execute(
      database,
    );
  });
  afterAll(() => place.remove());

  it.each(unfit)(
    'rejects the parameter %o, which is %s, and the database stays usable',
    async (value, kind) => {
      const insert = sql`insert into things (whole, words) values (${1}, ${value})`.execute(
        database,
      );
      await expect(insert).rejects.toMatchObject({
        code: 'internal',
        message: `parameter 2 of a statement is ${kind}, which the database does not accept`,
      });
      await expect(sql`select ${'x'} as x`.execute(database)).resolves.toMatchObject({
        rows: [{ x: 'x' }],
      });
    },
  );

  it.each([
    [{ whole: 2 ** 53 - 1, fraction: 0.1, words: 'Zürich \u{1f600} 日本' }],
    [{ whole: -1, fraction: -1e-300, words: '' }],
    [{ whole: null, fraction: null, words: null }],
    [{ whole: 0, fraction: 1.5e-7, words: `'; drop table things; --${'x'.repeat(100_000)}` }],
  ])('stores and gives back what the databases take, %#', async (thing) => {
    await sql`insert into things (whole, fraction, words) values (${thing.whole}, ${thing.fraction}, ${thing.words})`.execute(
      database,
    );
    expect((await sql`select * from things`.execute(database)).rows).toEqual([thing]);
    await sql`delete from things`.execute(database);
  });

  it('returns sums of whole numbers as numbers', async () => {
    await sql`insert into things (whole) values (${2 ** 40}), (${2 ** 40})`.execute(database);
    expect(
      (await sql`select sum(whole) as total, count(*) as count from things`.execute(database)).rows,
    ).toEqual([{ total: 2 ** 41, count: 2 }]);
    await sql`delete from things`.execute(database);
  });

  it('fails as internal when the database refuses it, without the values in the message', async () => {
    await sql`create table once (id text primary key)`.execute(database);
    const insert = (): Promise<unknown> =>
      sql`insert into once (id) values (${'secret'})`.execute(database);
    await insert();
    const error: unknown = await insert().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'internal', cause: { name: 'DatabaseFailure' } });
    expect(
      JSON.stringify([
        error,
        (error as Error).cause,
        (error as Error).message,
        ((error as Error).cause as Error).message,
      ]),
    ).not.toContain('secret');
  });

  it('stores nothing of a transaction that fails', async () => {
    const half = database.transaction().execute(async (transaction) => {
      await sql`insert into things (whole) values (${7})`.execute(transaction);
      throw new Error('on purpose');
    });
    await expect(half).rejects.toThrow('on purpose');
    expect((await sql`select * from things where whole = ${7}`.execute(database)).rows).toEqual([]);
  });
});
