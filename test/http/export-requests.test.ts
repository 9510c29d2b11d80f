import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyFor } from '../../src/accounts/first-key.js';
import { firstAccountId } from '../../src/store/contracts/accounts.js';
import { openStore } from '../../src/store/open-store.js';
import { databases, type TestDatabase } from '../helpers/databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt } from '../helpers/json.js';
import { requestRow } from '../helpers/request-row.js';
import { ask, type Reply } from '../helpers/sse.js';

const key = 'sk_team';
const keyId = randomUUID();
const slow = { latencyMs: 90_000, costUsd: 2, conversationId: 'talk' };

describe.each(databases)('the requests of an account on %s', (_name, make) => {
  let database: TestDatabase;
  let gateway: RunningGateway;
  beforeAll(async () => {
    database = await make();
    const store = await openStore(database.url);
    await store.keys.add(keyFor(firstAccountId, 'team-a', key, { id: keyId }));
    const accountId = firstAccountId;
    const rows = Array.from({ length: 1_200 }, (_, index) =>
      requestRow({ accountId, keyId, at: Date.now() - index * 1_000 - 10_000 }),
    );
    await store.requests.add([
      ...rows,
      requestRow({
        accountId,
        keyId,
        requestId: '=HYPERLINK("http://evil")',
        error: 'a "quoted",\nbroken text',
        code: 'all_failed',
        status: 502,
      }),
      requestRow({ accountId, keyId: null, ...slow }),
    ]);
    await store.close();
    gateway = await startGateway({ database: { url: database.url } });
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });
  const get = (query: string): Promise<Reply> =>
    ask('GET', `${gateway.url}/api/v1/requests?${query}`, { authorization: `Bearer ${key}` });

  it('are one table in CSV, however many, with the names of keys', async () => {
    const { text, headers } = await get('format=csv');
    expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
    expect(headers['content-disposition']).toBe('attachment; filename="requests.csv"');
    const lines = text.split('\r\n');
    expect(lines[0]).toMatch(/^at,id,requestId,accountId,keyId,keyName,surface,provider,model,/);
    expect(lines).toHaveLength(1_204);
    expect(lines[800]).toContain(`,${keyId},team-a,openai,up,known,200,`);
  });

  it('are one object a line in JSONL, sorted as the list is', async () => {
    const { text, headers } = await get('format=jsonl&sort=cost');
    expect(headers['content-type']).toBe('application/jsonl; charset=utf-8');
    expect(headers['content-disposition']).toBe('attachment; filename="requests.jsonl"');
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(1_202);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ costUsd: 2, latencyMs: 90_000 });
    expect(Object.keys(JSON.parse(lines[1] ?? '') as object)).toContain('keyName');
  });

  it('are summed by why they failed', async () => {
    const { json } = await ask('GET', `${gateway.url}/api/v1/requests/failures`, {
      authorization: `Bearer ${key}`,
    });
    expect(listAt(json, 'items')).toMatchObject([
      {
        code: 'all_failed',
        failedBy: 'provider',
        provider: 'up',
        requests: 1,
        last: { error: 'a "quoted",\nbroken text', status: 502 },
        keys: [{ keyId, keyName: 'team-a', requests: 1 }],
        keyCount: 1,
      },
    ]);
    expect((await get('sort=name')).status).toBe(422);
  });

  it('cannot smuggle a formula or a line into a table', async () => {
    const { text } = await get('format=csv&failed=true');
    const [, row] = text.split('\r\n');
    expect(row).toContain(`,"'=HYPERLINK(""http://evil"")",`);
    expect(row).toContain(',all_failed,"a ""quoted"",\nbroken text",');
    expect(text.split('\r\n')).toHaveLength(3);
  });

  it.each(['minLatency=80000', 'minCost=1.5', 'conversation=talk'])(
    'are found by %s',
    async (query) => {
      expect(listAt((await get(query)).json, 'items')).toMatchObject([slow]);
    },
  );

  it("are found by their key's name, and show it", async () => {
    const { json } = await get('key=team-a&maxLatency=1000&limit=1');
    expect(json).toMatchObject({ items: [{ keyId, keyName: 'team-a' }] });
    const id = String(at(json, 'items', 0, 'id'));
    const whole = await ask('GET', `${gateway.url}/api/v1/requests/${id}`, {
      authorization: `Bearer ${key}`,
    });
    expect(whole.json).toMatchObject({ keyId, keyName: 'team-a' });
  });

  it('are summed up by key with its name', async () => {
    const { json } = await ask('GET', `${gateway.url}/api/v1/usage?by=key&key=team-a`, {
      authorization: `Bearer ${key}`,
    });
    expect(json).toMatchObject({ items: [{ keyId, keyName: 'team-a', requests: 1_201 }] });
  });
});
