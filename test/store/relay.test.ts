import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
import type { Store } from '../../src/store/contracts/store.js';
import { openStore } from '../../src/store/open-store.js';
import { DatabaseOwner } from '../../src/store/relay/database-owner.js';
import type { RelayedDatabases } from '../../src/store/relay/relayed-databases.js';
import { relayedFrom } from '../helpers/relayed.js';
import { until } from '../helpers/until.js';

let folder: string;
let owner: DatabaseOwner;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-relay-'));
  owner = new DatabaseOwner(join(folder, 'signalbox.db'));
});
afterEach(async () => {
  await owner.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (databases: RelayedDatabases): Promise<Store> =>
  openStore(`file:${join(folder, 'signalbox.db')}`, { statements: () => databases.statements() });

describe('the stores of two workers', () => {
  it('keep their transactions apart, and see what the other has written', async () => {
    const [one, two] = await Promise.all([
      open(relayedFrom(owner).databases),
      open(relayedFrom(owner).databases),
    ]);
    const create = (store: Store, index: number): Promise<object> =>
      store.conversations.create({
        id: randomUUID(),
        accountId: firstAccountId,
        title: `title ${index}`,
        titleSource: 'given',
        createdAt: index,
      });
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => create(index % 2 === 0 ? one : two, index)),
    );
    const page = { limit: 100, cursor: null };
    for (const store of [one, two])
      expect((await store.conversations.list(firstAccountId, page)).items).toHaveLength(40);
  });

  it('get the code of a refused statement', async () => {
    const { databases } = relayedFrom(owner);
    const statements = databases.statements();
    await statements.run('create table t (id text primary key)', []);
    await statements.run('insert into t values (?)', ['a']);
    await expect(statements.run('insert into t values (?)', ['a'])).rejects.toMatchObject({
      name: 'DatabaseFailure',
      code: 'SQLITE_CONSTRAINT_PRIMARYKEY',
    });
  });

  it('go on when the other ends within a transaction, which is rolled back', async () => {
    const ending = relayedFrom(owner);
    const [first, second] = [
      ending.databases.statements(),
      relayedFrom(owner).databases.statements(),
    ];
    await first.run('create table t (id text primary key)', []);
    await first.run('begin immediate', []);
    await first.run('insert into t values (?)', ['lost']);
    const waiting = second.run('insert into t values (?)', ['kept']);
    ending.end();
    await waiting;
    expect((await second.run('select id from t', [])).rows).toEqual([{ id: 'kept' }]);
  });

  it('leave the connection where one ends while its transaction waits', async () => {
    const ending = relayedFrom(owner);
    const [first, second] = [
      relayedFrom(owner).databases.statements(),
      ending.databases.statements(),
    ];
    await first.run('create table t (id text primary key)', []);
    await first.run('begin immediate', []);
    const refused = second.run('begin immediate', []);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    ending.end();
    await first.run('commit', []);
    await expect(refused).rejects.toThrow('the worker has ended');
    await first.run('insert into t values (?)', ['kept']);
  });
});

describe('the counters of two workers', () => {
  it('publish to each other, and not to themselves', async () => {
    const [one, two] = [relayedFrom(owner), relayedFrom(owner)].map(({ databases }) =>
      databases.counters(),
    );
    const heard: string[] = [];
    one?.pubSub.subscribe('topic', (text) => void heard.push(`one ${text}`));
    two?.pubSub.subscribe('topic', (text) => void heard.push(`two ${text}`));
    one?.pubSub.publish('topic', 'news');
    await until(() => heard.length > 0);
    await new Promise(setImmediate);
    expect(heard).toEqual(['two news']);
  });

  it('give back the money of a worker that has ended, and keep its requests', async () => {
    const ending = relayedFrom(owner);
    const other = relayedFrom(owner).databases.counters();
    const charge = { subject: 'key:a', measure: 'usd_day', limit: 10, amount: 6 } as const;
    const request = { subject: 'key:a', measure: 'requests', limit: 2, amount: 1 } as const;
    await other.setSpent(charge, 0);
    expect(await ending.databases.counters().reserve([charge, request])).toMatchObject({
      outcome: 'granted',
      used: [6, 1],
    });
    expect((await other.reserve([charge])).outcome).toBe('refused');
    ending.end();
    expect(await other.reserve([charge, request])).toMatchObject({
      outcome: 'granted',
      used: [6, 2],
    });
  });

  it('forget at once what a worker was writing that has ended, and nothing that was whole', async () => {
    const ending = relayedFrom(owner);
    const writing = ending.databases.counters().answerLogs;
    const { answerLogs } = relayedFrom(owner).databases.counters();
    const part = { kind: 'part', first: 1, last: 1, text: 'a' } as const;
    const done = { kind: 'done', first: 1, last: 1, text: '' } as const;
    for (const name of ['broken', 'whole']) {
      await writing.claim(`key ${name}`, name, 30_000);
      await writing.append(name, part, 30_000);
    }
    await writing.append('whole', done, 30_000);
    await writing.set('key whole', 'done', 86_400_000);
    const reading = answerLogs.read('broken', [1, 1], 60_000);
    await new Promise(setImmediate);
    ending.end();
    expect(await answerLogs.read('broken', [0, 0], 0)).toBeNull();
    expect(await reading).toBeNull();
    expect(await answerLogs.claim('key broken', 'again', 30_000)).toBeNull();
    expect(await answerLogs.read('whole', [0, 0], 0)).toEqual([part, done]);
    expect(await answerLogs.claim('key whole', 'again', 30_000)).toBe('done');
  });
});
