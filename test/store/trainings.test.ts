import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/contracts/store.js';
import type { Lease, NewTraining, TrainingEnd } from '../../src/store/contracts/trainings.js';
import { type Place, postgresPlace, storeRows } from '../helpers/stores.js';

const wishes = {
  format: 'csv',
  promptColumn: 'prompt',
  models: null,
  maximize: true,
  seed: 1,
} as const;
const router = { weights: '{"a":1}', gain: 0.25, trainedAt: 5_000 };
const useful: TrainingEnd = { state: 'done', report: { rows: 60 }, error: null, router };
const lease = (owner: string, at = 1_000, until = at + 100): Lease => ({ owner, at, until });

describe.each(storeRows)('trainings on $name', (row) => {
  let place: Place;
  let store: Store;
  let accountId: string;
  let preferenceId: string;

  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
  });
  afterAll(() => place.remove());
  beforeEach(async () => {
    // empties the queue of other tests
    for (
      let left = await store.trainingQueue.take(lease('sweep', 1e12));
      left;
      left = await store.trainingQueue.take(lease('sweep', 1e12))
    )
      await store.trainings.remove(left.accountId, left.preferenceId);
    accountId = randomUUID();
    preferenceId = await preference();
  });
  const preference = async (): Promise<string> =>
    (
      await store.preferences.add({
        id: randomUUID(),
        accountId,
        name: 'Mine',
        settings: {},
        createdAt: 1_000,
      })
    ).id;
  const added = (changes: Partial<NewTraining> = {}, begun?: Lease) =>
    store.trainings.add(
      {
        id: randomUUID(),
        accountId,
        preferenceId,
        wishes,
        dataset: 'prompt,a,b',
        at: 1_000,
        ...changes,
      },
      begun,
    );
  const state = async (): Promise<string | undefined> =>
    (await store.trainings.latest(accountId, [preferenceId]))[0]?.state;

  it('wait, are taken once, report their progress, and end with a router that the preference uses', async () => {
    const other = await place.open();
    const { id, state: begun } = await added();
    expect(begun).toBe('queued');
    const taken = await Promise.all([
      store.trainingQueue.take(lease('one')),
      other.trainingQueue.take(lease('two')),
    ]);
    const owner = taken[0] ? 'one' : 'two';
    expect(taken.filter(Boolean)).toEqual([
      { id, accountId, preferenceId, wishes, dataset: 'prompt,a,b', attempts: 1 },
    ]);
    expect(await store.trainingQueue.keep(id, lease(owner), 0.5, 'fitting')).toBe(true);
    expect(await store.trainings.latest(accountId, [preferenceId])).toMatchObject([
      { state: 'running', progress: 0.5, doing: 'fitting', report: null },
    ]);
    const { revision } = await store.preferences.changedSince(0);
    expect(await store.trainingQueue.finish(id, { owner, at: 2_000 }, useful)).toBe(true);
    expect(await store.trainings.latest(accountId, [preferenceId])).toMatchObject([
      { state: 'done', progress: 1, report: { rows: 60 }, updatedAt: 2_000 },
    ]);
    expect((await store.preferences.find(accountId, preferenceId))!.router).toEqual(router);
    expect((await other.preferences.changedSince(revision)).records).toMatchObject([
      { id: preferenceId, router },
    ]);
  });

  it('are taken by concurrent processes, one by each', async () => {
    const queues = [
      store,
      ...(await Promise.all(Array.from({ length: 5 }, () => place.open()))),
    ].map(({ trainingQueue }) => trainingQueue);
    for (let rounds = 0; rounds < 5; rounds++) {
      const ids: string[] = [];
      for (let at = 0; at < queues.length; at++) {
        accountId = randomUUID();
        ids.push((await added({ preferenceId: await preference() })).id);
      }
      const taken = await Promise.all(queues.map((queue, at) => queue.take(lease(`owner ${at}`))));
      expect(taken.map((leased) => leased?.id).sort()).toEqual(ids.sort());
      for (const leased of taken)
        await store.trainings.remove(leased!.accountId, leased!.preferenceId);
    }
  });

  it('are taken by another process only after the lease has expired', async () => {
    const { id } = await added();
    await store.trainingQueue.take(lease('one', 1_000, 1_100));
    expect(await store.trainingQueue.take(lease('two', 1_099))).toBeNull();
    expect(await store.trainingQueue.take(lease('two', 1_100))).toMatchObject({ id, attempts: 2 });
    expect(await store.trainingQueue.keep(id, lease('one'), 0.9, 'late')).toBe(false);
    expect(await store.trainingQueue.finish(id, { owner: 'one', at: 2_000 }, useful)).toBe(false);
    expect((await store.preferences.find(accountId, preferenceId))!.router).toBeNull();
  });

  it('are released by a process that stops, without counting as an attempt', async () => {
    await added();
    const leased = await store.trainingQueue.take(lease('one'));
    await store.trainingQueue.release(leased!.id, 'one');
    expect(await state()).toBe('queued');
    expect(await store.trainingQueue.take(lease('two'))).toMatchObject({ attempts: 1 });
  });

  it('may start when they are added', async () => {
    await added({}, lease('one'));
    expect(await state()).toBe('running');
    expect(await store.trainingQueue.take(lease('two', 1_050))).toBeNull();
  });

  it('are limited to one at a time for each account, and replace those that have ended', async () => {
    const { id } = await added({}, lease('one'));
    await expect(added({ preferenceId: await preference() })).rejects.toMatchObject({
      code: 'conflict',
    });
    await store.trainingQueue.finish(
      id,
      { owner: 'one', at: 2_000 },
      { state: 'not_useful', report: {}, error: null, router: null },
    );
    const next = await added();
    expect(await store.trainings.latest(accountId, [preferenceId])).toMatchObject([
      { id: next.id, state: 'queued' },
    ]);
  });

  it('are replaced by a new one of their preference when their lease has expired', async () => {
    const { id } = await added({}, lease('one', 1_000, 1_100));
    await expect(added({ at: 1_099 })).rejects.toMatchObject({ code: 'conflict' });
    const next = await added({ at: 1_100 });
    expect(await store.trainingQueue.finish(id, { owner: 'one', at: 1_200 }, useful)).toBe(false);
    expect(await store.trainings.latest(accountId, [preferenceId])).toMatchObject([
      { id: next.id, state: 'queued' },
    ]);
    expect((await store.preferences.find(accountId, preferenceId))!.router).toBeNull();
  });

  it('keep no rows after their end, however they ended', async () => {
    for (const end of [
      useful,
      { state: 'failed', report: null, error: 'why', router: null },
      { state: 'not_useful', report: {}, error: null, router: null },
    ] as const) {
      const { id } = await added({}, lease('one'));
      await store.trainingQueue.finish(id, { owner: 'one', at: 2_000 }, end);
      expect(
        await place
          .connect()
          .selectFrom('trainings')
          .select('dataset')
          .where('id', '=', id)
          .executeTakeFirst(),
      ).toEqual({ dataset: null });
    }
  });

  it('of another account cannot be added, read or removed', async () => {
    const stranger = randomUUID();
    await expect(added({ accountId: stranger })).rejects.toMatchObject({ code: 'not_found' });
    await added();
    expect(await store.trainings.latest(stranger, [preferenceId])).toEqual([]);
    expect(await store.trainings.remove(stranger, preferenceId)).toBe(false);
    expect(await state()).toBe('queued');
  });

  it('are removed together with their router, and with their preference', async () => {
    const { id } = await added({}, lease('one'));
    await store.trainingQueue.finish(id, { owner: 'one', at: 2_000 }, useful);
    expect(await store.trainings.remove(accountId, preferenceId)).toBe(true);
    expect((await store.preferences.find(accountId, preferenceId))!.router).toBeNull();
    expect(await store.trainings.remove(accountId, preferenceId)).toBe(false);
    await added({}, lease('one'));
    await store.preferences.remove(accountId, preferenceId);
    expect(await store.trainings.latest(accountId, [preferenceId])).toEqual([]);
  });
});

describe('trainings on a PostgreSQL that aborts conflicting transactions', () => {
  let place: Place;
  beforeAll(async () => {
    place = await postgresPlace();
    await place.open();
    const { pathname } = new URL(place.url);
    await sql`alter database ${sql.id(pathname.slice(1))} set default_transaction_isolation to 'repeatable read'`.execute(
      place.connect(),
    );
  });
  afterAll(() => place.remove());

  it('are taken one by each process, too', async () => {
    const stores = await Promise.all(Array.from({ length: 3 }, () => place.open()));
    const ids: string[] = [];
    for (const { preferences, trainings } of stores) {
      const accountId = randomUUID();
      const { id: preferenceId } = await preferences.add({
        id: randomUUID(),
        accountId,
        name: 'Mine',
        settings: {},
        createdAt: 1,
      });
      ids.push(
        (
          await trainings.add({
            id: randomUUID(),
            accountId,
            preferenceId,
            wishes,
            dataset: '',
            at: 1,
          })
        ).id,
      );
    }
    const taken = await Promise.all(
      stores.map(({ trainingQueue }, at) => trainingQueue.take(lease(`owner ${at}`))),
    );
    expect(taken.map((leased) => leased?.id).sort()).toEqual(ids.sort());
  });
});
