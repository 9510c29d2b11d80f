import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/contracts/store.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { type Place, storeRowsOfRun } from '../helpers/stores.js';
import { until } from '../helpers/until.js';

const bearer = (key: string): { authorization: string } => ({ authorization: `Bearer ${key}` });
const owner = bearer('sk_owner');

describe.each(storeRowsOfRun)('the rotation of a key on $name', (row) => {
  let place: Place;
  let store: Store;
  let gateway: RunningGateway;
  /** A second process on the same database. */
  let other: RunningGateway;
  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
    gateway = await start(store);
    other = await start(await place.open());
  });
  afterAll(async () => {
    await Promise.all([gateway.close(), other.close()]);
    await place.remove();
  });

  const start = (own: Store): Promise<RunningGateway> =>
    startGateway(
      {
        auth: {
          keys: [
            { name: 'owner', key: 'sk_owner' },
            { name: 'stranger', key: 'sk_stranger' },
          ],
        },
      },
      {
        databases: new LazyDatabases(
          () => Promise.resolve({ store: own, counters: createMemoryCounters() }),
          false,
        ),
      },
    );
  const create = async (body: object = {}): Promise<{ id: string; key: string }> => {
    const { json } = await post(`${gateway.url}/api/v1/keys`, { name: 'shop', ...body }, owner);
    return { id: textAt(json, 'id'), key: textAt(json, 'key') };
  };
  const rotate = (id: string, body?: object, headers: object = owner): Promise<Reply> =>
    ask('POST', `${gateway.url}/api/v1/keys/${id}/rotate`, { ...headers }, body);
  const models = (key: string, from = gateway): Promise<Reply> =>
    ask('GET', `${from.url}/v1/models`, bearer(key));
  const statusOf = async (key: string, from = gateway): Promise<number> =>
    (await models(key, from)).status;

  it('shows a new secret once, and keeps the id, name, limits and date of the key', async () => {
    const { id, key } = await create({ limits: { dayBudgetUsd: 3 } });
    const before = (await ask('GET', `${gateway.url}/api/v1/keys/${id}`, owner)).json as object;
    const { status, json, headers } = await rotate(id);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expectConforms('key.response', json);
    const secret = textAt(json, 'key');
    expect(secret).toMatch(/^sk_[\w-]{32}$/);
    expect(secret).not.toBe(key);
    expect(json).toEqual({
      ...before,
      key: secret,
      prefix: secret.slice(0, 11),
      previousValidUntil: expect.any(String),
    });
    const overlapMs = Date.parse(textAt(json, 'previousValidUntil')) - Date.now();
    expect(overlapMs).toBeGreaterThan(86_340_000);
    expect(overlapMs).toBeLessThanOrEqual(86_400_000);
    const { text } = await ask('GET', `${gateway.url}/api/v1/keys/${id}`, owner);
    expect(text).not.toContain(secret);
  });

  it('leaves both secrets valid during the overlap, on every replica', async () => {
    const { id, key } = await create();
    expect(await statusOf(key, other)).toBe(200);
    const next = textAt((await rotate(id, { overlapSeconds: 3600 })).json, 'key');
    for (const replica of [gateway, other])
      for (const secret of [key, next]) expect(await statusOf(secret, replica)).toBe(200);
  });

  it('ends the old secret exactly when the overlap ends, also where it is cached', async () => {
    const { id, key } = await create();
    for (const replica of [gateway, other]) expect(await statusOf(key, replica)).toBe(200);
    const { json } = await rotate(id, { overlapSeconds: 1 });
    const end = Date.parse(textAt(json, 'previousValidUntil'));
    for (const replica of [gateway, other])
      await until(async () => (await statusOf(key, replica)) === 401);
    expect(Date.now()).toBeGreaterThanOrEqual(end);
    expect(textAt((await models(key)).json, 'error', 'message')).toBe(
      `authorization: this API key was rotated, and its old secret ended on ${textAt(json, 'previousValidUntil')}; use the new one`,
    );
    expect(await statusOf(textAt(json, 'key'))).toBe(200);
  });

  it('ends the old secret at once if there is no overlap, and within a second on other replicas', async () => {
    const { id, key } = await create();
    for (const replica of [gateway, other]) expect(await statusOf(key, replica)).toBe(200);
    const { json } = await rotate(id, { overlapSeconds: 0 });
    expect(await statusOf(key)).toBe(401);
    await until(async () => (await statusOf(key, other)) === 401);
    for (const replica of [gateway, other])
      expect(await statusOf(textAt(json, 'key'), replica)).toBe(200);
  });

  it('ends the secrets of earlier rotations with the last one, wherever they are cached', async () => {
    const { id, key } = await create();
    const second = textAt((await rotate(id)).json, 'key');
    for (const secret of [key, second])
      for (const replica of [gateway, other]) expect(await statusOf(secret, replica)).toBe(200);
    const third = textAt((await rotate(id, { overlapSeconds: 0 })).json, 'key');
    for (const secret of [key, second]) {
      expect(await statusOf(secret)).toBe(401);
      await until(async () => (await statusOf(secret, other)) === 401);
    }
    expect(await statusOf(third)).toBe(200);
  });

  it('leaves no secret of a key that is revoked', async () => {
    const { id, key } = await create();
    const next = textAt((await rotate(id)).json, 'key');
    for (const secret of [key, next])
      for (const replica of [gateway, other]) expect(await statusOf(secret, replica)).toBe(200);
    await ask('DELETE', `${gateway.url}/api/v1/keys/${id}`, owner);
    for (const secret of [key, next]) {
      expect(await statusOf(secret)).toBe(401);
      await until(async () => (await statusOf(secret, other)) === 401);
    }
    expect(textAt((await models(key)).json, 'error', 'message')).toContain('was revoked on');
    expect(await rotate(id)).toMatchObject({
      status: 409,
      json: { message: expect.stringContaining('was revoked on') },
    });
  });

  it('changes what both secrets may do when the key is changed', async () => {
    const { id, key } = await create({ scopes: ['completions', 'admin'] });
    const next = textAt((await rotate(id)).json, 'key');
    const list = async (secret: string): Promise<number> =>
      (await ask('GET', `${gateway.url}/api/v1/keys`, bearer(secret))).status;
    expect([await list(key), await list(next)]).toEqual([200, 200]);
    await ask('PATCH', `${gateway.url}/api/v1/keys/${id}`, owner, { scopes: ['completions'] });
    expect([await list(key), await list(next)]).toEqual([403, 403]);
  });

  it.each([
    [{ overlapSeconds: -1 }, 'overlapSeconds: must be between 0 and 2592000'],
    [{ overlapSeconds: 2_592_001 }, 'overlapSeconds: must be between 0 and 2592000'],
    [{ overlap: 1 }, 'overlap: is not a known key'],
  ])('is refused with %j: %s', async (body, message) => {
    const { id, key } = await create();
    expect(await rotate(id, body)).toMatchObject({ status: 422, json: { message } });
    expect(await statusOf(key)).toBe(200);
  });

  it('is recorded with who did it, and never the secret', async () => {
    const { id } = await create();
    const { json } = await rotate(id, { overlapSeconds: 60 });
    const reply = await ask('GET', `${gateway.url}/api/v1/audit?act=key.rotate&limit=1`, owner);
    expect(listAt(reply.json, 'items')[0]).toMatchObject({
      target: id,
      actor: 'owner',
      details: { previousValidUntil: at(json, 'previousValidUntil') },
    });
    expect(reply.text).not.toContain(textAt(json, 'key'));
  });

  it("of another account's key, or of none, is 404", async () => {
    const { id, key } = await create();
    for (const named of [id, 'nothing'])
      expect((await rotate(named, { overlapSeconds: 0 }, bearer('sk_stranger'))).status).toBe(404);
    expect(await statusOf(key)).toBe(200);
  });
});
