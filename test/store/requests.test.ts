import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packCandidates } from '../../src/store/packed-candidates.js';
import type {
  RequestFilter,
  RequestRow,
  RequestStore,
  RequestSummary,
} from '../../src/store/contracts/requests.js';
import type { Store } from '../../src/store/contracts/store.js';
import { type Place, storeRows } from '../helpers/stores.js';
import { wholeUsage } from '../helpers/whole-usage.js';

const noon = Date.UTC(2026, 0, 10, 12);
const dayMs = 86_400_000;

const requestOf = (changes: Partial<RequestRow> = {}): RequestRow => ({
  id: randomUUID(),
  requestId: 'client-chosen',
  traceId: null,
  accountId: 'somebody',
  keyId: 'key',
  surface: 'native',
  at: noon,
  status: 200,
  code: null,
  error: null,
  field: null,
  provider: 'openai',
  model: 'gpt-4o',
  planId: null,
  conversationId: null,
  responseId: null,
  stream: false,
  latencyMs: 120,
  ttftMs: 30,
  promptTokens: 10,
  completionTokens: 5,
  costUsd: 0.25,
  estimatedUsd: 0,
  heldUsd: 0,
  plan: null,
  attempts: null,
  content: null,
  ...changes,
});

describe.each(storeRows)('the request log on $name', (row) => {
  let place: Place;
  let store: Store;
  let requests: RequestStore;
  const idsOf = async (filter: RequestFilter): Promise<string[]> =>
    (await requests.list(filter, { limit: 100, cursor: null })).items.map((one) => one.id);

  beforeAll(async () => {
    place = await row.place();
    store = await place.open();
    requests = store.requests;
  });
  afterAll(() => place.remove());

  it('finds content whole whose first messages other rows have, as long as they are there', async () => {
    const accountId = randomUUID();
    const one = requestOf({ accountId, content: { messages: ['a', 'b'], answer: ['x'] } });
    const second = { after: one.id, count: 2, messages: ['c', 'd'], answer: ['y'] };
    const two = requestOf({ accountId, content: second });
    const third = { after: two.id, count: 3, messages: ['e'] };
    const three = requestOf({ accountId, content: third });
    const astray = requestOf({ accountId, content: { ...second, after: 'gone' } });
    const stranger = requestOf({ accountId: randomUUID(), content: second });
    await requests.add([one, two, three, astray, stranger]);
    const contentOf = async ({ id }: RequestRow) => (await requests.find(null, id))?.content;
    expect(await contentOf(one)).toEqual({ messages: ['a', 'b'], answer: ['x'] });
    expect(await contentOf(two)).toEqual({ messages: ['a', 'b', 'c', 'd'], answer: ['y'] });
    expect(await contentOf(three)).toEqual({ messages: ['a', 'b', 'c', 'e'] });
    for (const each of [astray, stranger])
      expect(await contentOf(each)).toEqual({
        omitted: 2,
        messages: ['c', 'd'],
        answer: ['y'],
      });
  });

  it('stores a complete request, and one with all optional fields missing', async () => {
    const accountId = randomUUID();
    const full = requestOf({
      accountId,
      traceId: 'a'.repeat(32),
      planId: 'plan',
      conversationId: 'conversation',
      responseId: 'response',
      stream: true,
      code: 'all_failed',
      status: 502,
      plan: { candidates: [{ label: 'openai/gpt-4o', score: 0.5 }] },
      attempts: [{ provider: 'openai', error: 'it said \0' }],
      content: { messages: ['\ud800'] },
    });
    const empty = requestOf({
      accountId,
      keyId: null,
      provider: null,
      model: null,
      ttftMs: null,
      promptTokens: null,
      completionTokens: null,
      costUsd: null,
    });
    await requests.add([full, empty]);
    expect(await requests.find(accountId, full.id)).toEqual(full);
    expect(await requests.find(accountId, empty.id)).toEqual(empty);
    expect(await requests.find(null, full.id)).toEqual(full);
  });

  it('accepts any text of clients and fractions of ms, instead of failing a batch', async () => {
    const odd = requestOf({
      provider: 'my\0provider',
      model: 'half \ud83d pair',
      at: noon + 0.5,
      latencyMs: 12.4,
      ttftMs: 3.6,
      promptTokens: Number.NaN,
      costUsd: Number.POSITIVE_INFINITY,
    });
    const accountId = odd.id;
    await requests.add([{ ...odd, accountId }]);
    expect(await requests.find(accountId, odd.id)).toMatchObject({
      provider: 'my\ufffdprovider',
      model: 'half \ufffd pair',
      at: noon + 1,
      latencyMs: 12,
      ttftMs: 4,
      promptTokens: null,
      costUsd: null,
    });
    expect(await wholeUsage(requests, { accountId })).toMatchObject([
      { requests: 1, promptTokens: 0, costUsd: 0 },
    ]);
    expect(await idsOf({ accountId, provider: 'my\0provider' })).toEqual([odd.id]);
  });

  it('shows an account nothing of another', async () => {
    const accountId = randomUUID();
    const request = requestOf({ accountId });
    await requests.add([request]);
    const stranger = randomUUID();
    expect(await requests.find(stranger, request.id)).toBeNull();
    expect(await requests.find(accountId, `${request.id}\0`)).toBeNull();
    expect(await idsOf({ accountId: '\0' })).toEqual([]);
    expect(await wholeUsage(requests, { accountId: '\0' })).toEqual([]);
    expect(await idsOf({ accountId: stranger })).toEqual([]);
    expect(await wholeUsage(requests, { accountId: stranger })).toEqual([]);
  });

  it('finds requests by key, provider, model, status and time', async () => {
    const accountId = randomUUID();
    const rows = [
      requestOf({ accountId, at: 1, keyId: 'one', status: 404 }),
      requestOf({ accountId, at: 2, provider: 'groq', status: 400 }),
      requestOf({ accountId, at: 3, model: 'small', status: 500 }),
      requestOf({ accountId, at: 4, keyId: null, status: 399 }),
    ];
    await requests.add(rows);
    const expectFound = async (
      filter: Partial<RequestFilter>,
      ...indexes: number[]
    ): Promise<void> =>
      expect(await idsOf({ accountId, ...filter })).toEqual(
        indexes.map((index) => rows[index]!.id),
      );
    await expectFound({}, 3, 2, 1, 0);
    await expectFound({ keyIds: ['one'] }, 0);
    await expectFound({ provider: 'groq' }, 1);
    await expectFound({ model: 'small' }, 2);
    await expectFound({ status: 404 }, 0);
    await expectFound({ statusClass: 4 }, 1, 0);
    await expectFound({ from: 2, to: 4 }, 2, 1);
    await expectFound({ keyIds: ['one', 'none'] }, 0);
    await expectFound({ keyIds: [] });
    await expectFound({ minLatencyMs: 120, maxLatencyMs: 120, minCostUsd: 0.3 });
    await expectFound({ failed: false, code: null }, 3, 2, 1, 0);
    await expectFound({ failed: true });
    await expectFound(
      {
        keyIds: null,
        status: null,
        statusClass: null,
        from: null,
        to: null,
        provider: null,
        model: null,
      },
      3,
      2,
      1,
      0,
    );
    expect(await idsOf({ accountId: null, from: 1, to: 2 })).toEqual([rows[0]!.id]);
  });

  it('is listed newest first, page by page, also within one millisecond', async () => {
    const accountId = randomUUID();
    const rows = Array.from({ length: 25 }, (_, index) =>
      requestOf({ accountId, at: noon + Math.floor(index / 10) }),
    );
    await requests.add(rows);
    const seen: RequestSummary[] = [];
    for (let cursor: string | null = null, more = true; more;) {
      const page = await requests.list({ accountId }, { limit: 10, cursor });
      seen.push(...page.items);
      cursor = page.next;
      more = cursor !== null;
    }
    expect(seen.map((one) => one.at)).toEqual([...seen.map((one) => one.at)].sort((a, b) => b - a));
    expect(new Set(seen.map((one) => one.id))).toEqual(new Set(rows.map((one) => one.id)));
    expect(seen).toHaveLength(25);
  });

  it.each(['latency', 'cost', 'tokens'] as const)(
    'is listed by %s, highest first, page by page, whatever part of it is selected',
    async (order) => {
      const accountId = randomUUID();
      const rows = Array.from({ length: 25 }, (_, index) =>
        requestOf({
          accountId,
          at: noon + index,
          code: index % 2 === 0 ? 'all_failed' : null,
          provider: 'up',
          model: index % 3 === 0 ? 'small' : 'large',
          latencyMs: (index * 7) % 11,
          costUsd: index % 5 === 0 ? null : ((index * 7) % 11) / 3,
          promptTokens: index % 5 === 0 ? null : (index * 7) % 11,
        }),
      );
      await requests.add(rows);
      const valueOf = ({ latencyMs, costUsd, promptTokens, completionTokens }: RequestSummary) =>
        ({
          latency: latencyMs,
          cost: costUsd ?? 0,
          tokens: (promptTokens ?? 0) + (completionTokens ?? 0),
        })[order];
      for (const [filter, count] of [
        [{}, 25],
        [{ failed: true }, 13],
        [{ from: noon + 20 }, 5],
        [{ models: [{ provider: 'up', model: 'small' }] }, 9],
        [{ models: [{ provider: null, model: 'large' }], from: noon + 20 }, 3],
        [{ models: [{ provider: 'other', model: 'large' }] }, 0],
        [{ models: [{ provider: 'up', model: 'never' }] }, 0],
      ] as const) {
        const seen: RequestSummary[] = [];
        for (let cursor: string | null = null, more = true; more;) {
          const asked = { accountId, ...filter };
          const page = await requests.list(asked, { limit: 4, cursor }, order);
          seen.push(...page.items);
          cursor = page.next;
          more = cursor !== null;
        }
        const values = seen.map(valueOf);
        expect(values).toEqual([...values].sort((a, b) => b - a));
        expect(new Set(seen.map((one) => one.id)).size).toBe(count);
        expect(seen).toHaveLength(count);
      }
    },
  );

  it('finds a request by its own id, by that of its client and by that of its trace', async () => {
    const accountId = randomUUID();
    const traceId = 'a'.repeat(32);
    const one = requestOf({ accountId, requestId: 'mine' });
    const two = requestOf({ accountId, traceId });
    await requests.add([one, two]);
    expect(await idsOf({ accountId, id: traceId })).toEqual([two.id]);
    expect(await idsOf({ accountId, id: one.id })).toEqual([one.id]);
    expect(await idsOf({ accountId, id: 'mine' })).toEqual([one.id]);
    expect(await idsOf({ accountId, id: 'nobody' })).toEqual([]);
  });

  it('selects failures by who ended them', async () => {
    const accountId = randomUUID();
    const of = (code: string | null) => requestOf({ accountId, code });
    const [failed, refused, left, fine] = [
      of('upstream_timeout'),
      of('budget_spent'),
      of('client_closed'),
      of(null),
    ];
    await requests.add([failed, refused, left, fine] as RequestRow[]);
    expect(await idsOf({ accountId, failedBy: 'provider' })).toEqual([failed.id]);
    expect(await idsOf({ accountId, failedBy: 'refused' })).toEqual([refused.id]);
    expect(await idsOf({ accountId, failedBy: 'client' })).toEqual([left.id]);
  });

  it('sums failures by code and provider, with the newest one and the keys of all', async () => {
    const accountId = randomUUID();
    const failed = (changes: Partial<RequestRow>): RequestRow =>
      requestOf({ accountId, code: 'all_failed', status: 502, ...changes });
    const newest = failed({ at: noon + 9, error: 'openai answered 503: busy' });
    await requests.add([
      failed({ error: 'older' }),
      newest,
      failed({ keyId: 'other', at: noon + 2 }),
      failed({ provider: null, model: null, code: 'validation_failed', error: 'model: unknown' }),
      requestOf({ accountId }),
    ]);
    expect(await requests.failures({ accountId }, 10)).toMatchObject([
      {
        code: 'all_failed',
        provider: 'openai',
        requests: 3,
        last: { id: newest.id, error: 'openai answered 503: busy', status: 502 },
        keys: [
          { keyId: 'key', requests: 2 },
          { keyId: 'other', requests: 1 },
        ],
      },
      { code: 'validation_failed', provider: null, requests: 1, last: { error: 'model: unknown' } },
    ]);
    expect(await requests.failures({ accountId, from: noon + 1 }, 10)).toMatchObject([
      { requests: 2 },
    ]);
    expect(await requests.failures({ accountId }, 1)).toHaveLength(1);
  });

  it('sums by day, key and model; an error is a request with a code', async () => {
    const accountId = randomUUID();
    const mine = (changes: Partial<RequestRow>): RequestRow => requestOf({ accountId, ...changes });
    await requests.add([
      mine({}),
      mine({ code: 'client_closed', costUsd: null, promptTokens: null }),
      mine({ at: noon + dayMs }),
    ]);
    await requests.add([
      { ...mine({ keyId: null, provider: null, model: null }), cacheSavedUsd: 0.5 },
      { ...mine({}), cacheSavedUsd: -0.25 },
    ]);
    const day = {
      accountId,
      keyId: 'key',
      provider: 'openai',
      model: 'gpt-4o',
      estimatedUsd: 0,
      heldUsd: 0,
      cacheSavedUsd: 0,
    };
    expect(await wholeUsage(requests, { accountId })).toEqual([
      {
        ...day,
        day: '2026-01-11',
        requests: 1,
        errors: 0,
        refused: 0,
        clientClosed: 0,
        promptTokens: 10,
        completionTokens: 5,
        costUsd: 0.25,
      },
      {
        ...day,
        day: '2026-01-10',
        keyId: null,
        provider: null,
        model: null,
        requests: 1,
        errors: 0,
        refused: 0,
        clientClosed: 0,
        promptTokens: 10,
        completionTokens: 5,
        costUsd: 0.25,
        cacheSavedUsd: 0.5,
      },
      {
        ...day,
        day: '2026-01-10',
        requests: 3,
        errors: 1,
        refused: 0,
        clientClosed: 1,
        promptTokens: 20,
        completionTokens: 15,
        costUsd: 0.5,
        cacheSavedUsd: -0.25,
      },
    ]);
  });

  it('returns the sums of the days that overlap a time', async () => {
    const accountId = randomUUID();
    await requests.add(
      [0, 1, 2, 3].map((days) =>
        requestOf({ accountId, at: noon + days * dayMs, model: days === 2 ? 'other' : 'one' }),
      ),
    );
    const days = async (filter: Partial<RequestFilter>): Promise<string[]> =>
      (await wholeUsage(requests, { accountId, ...filter })).map((one) => one.day?.slice(-2) ?? '');
    expect(await days({ from: noon + dayMs + 1 })).toEqual(['13', '12', '11']);
    expect(await days({ to: Date.UTC(2026, 0, 12) })).toEqual(['11', '10']);
    expect(await days({ to: Date.UTC(2026, 0, 12) + 1 })).toEqual(['12', '11', '10']);
    expect(await days({ model: 'other' })).toEqual(['12']);
    expect(await days({ keyIds: ['key'], provider: 'openai', from: noon, to: noon + 1 })).toEqual([
      '10',
    ]);
  });

  it('knows what all keys and browsers of an account have spent on given days', async () => {
    const accountId = randomUUID();
    await requests.add(
      ['one', 'two', null].map((keyId) =>
        requestOf({ accountId, keyId, at: noon + dayMs, costUsd: 0.5 }),
      ),
    );
    await requests.add([requestOf({ at: noon + dayMs, costUsd: 7 })]);
    expect(await requests.spentUsd({ accountId }, '2026-01-11', '2026-01-31')).toBe(1.5);
    expect(await requests.spentUsd({ accountId }, '2026-01-01', '2026-01-10')).toBe(0);
  });

  it('knows what a key has spent on given days', async () => {
    const keyId = randomUUID();
    await requests.add(
      [0, 1, 1, 2].map((days) =>
        requestOf({ keyId, at: noon + days * dayMs, costUsd: 0.5, model: `m${days}` }),
      ),
    );
    expect(await requests.spentUsd({ keyId }, '2026-01-10', '2026-01-11')).toBe(1.5);
    expect(await requests.spentUsd({ keyId }, '2026-01-12', '2026-01-31')).toBe(0.5);
    expect(await requests.spentUsd({ keyId }, '2026-02-01', '2026-02-28')).toBe(0);
  });

  it('skips rows that it has already, in the sums too', async () => {
    const accountId = randomUUID();
    const rows = Array.from({ length: 3 }, () => requestOf({ accountId }));
    await requests.add(rows.slice(0, 2));
    await requests.add([...rows, rows[2]!]);
    await requests.add([]);
    expect(await wholeUsage(requests, { accountId })).toMatchObject([
      { requests: 3, costUsd: 0.75 },
    ]);
    expect(await idsOf({ accountId })).toHaveLength(3);
  });

  it('stores and sums nothing of a batch that fails', async () => {
    const accountId = randomUUID();
    await expect(
      requests.add([requestOf({ accountId }), requestOf({ accountId, status: Number.NaN })]),
    ).rejects.toMatchObject({ code: 'internal' });
    expect(await idsOf({ accountId })).toEqual([]);
    expect(await wholeUsage(requests, { accountId })).toEqual([]);
  });

  it('counts each request once when two processes write the same and other rows at once', async () => {
    const accountId = randomUUID();
    const second = (await place.open()).requests;
    const rows = Array.from({ length: 400 }, (_, index) =>
      requestOf({ accountId, keyId: `key ${index % 7}`, model: `model ${index % 5}`, costUsd: 1 }),
    );
    const batches = Array.from({ length: 20 }, (_, index) =>
      rows.slice(index * 20, index * 20 + 40),
    );
    await Promise.all(
      batches.flatMap((batch) => [requests.add(batch), second.add([...batch].reverse())]),
    );
    const usage = await wholeUsage(requests, { accountId });
    expect(usage).toHaveLength(35);
    expect(usage.reduce((sum, one) => sum + one.requests, 0)).toBe(400);
    expect(usage.reduce((sum, one) => sum + one.costUsd, 0)).toBe(400);
  });

  it('accepts thousands of rows at once', async () => {
    const accountId = randomUUID();
    await requests.add(
      Array.from({ length: 3_500 }, (_, index) =>
        requestOf({ accountId, model: `model ${index}` }),
      ),
    );
    expect(await wholeUsage(requests, { accountId })).toHaveLength(3_500);
  });
});

describe.each(storeRows)('old rows on $name', (row) => {
  it('are removed, requests and decisions, in batches; the sums stay', async () => {
    const place = await row.place();
    const { requests, selections, retention } = await place.open();
    await requests.add(Array.from({ length: 1_200 }, (_, index) => requestOf({ at: index })));
    await selections.add(
      Array.from({ length: 30 }, (_, at) => ({
        id: `selection-${at}`,
        accountId: 'somebody',
        keyId: null,
        previousId: null,
        at,
        label: 'a/b',
        candidates: packCandidates([]),
        reason: '',
        tradeoff: null,
        preferenceId: null,
        content: null,
      })),
    );
    expect(await retention.removeBefore('requests', 1_100, 700)).toBe(700);
    expect(await retention.removeBefore('requests', 1_100, 700)).toBe(400);
    expect(await retention.removeBefore('requests', 1_100, 700)).toBe(0);
    expect(await retention.removeBefore('selections', 1_100, 700)).toBe(30);
    const { items } = await requests.list({ accountId: 'somebody' }, { limit: 100, cursor: null });
    expect(items.map((one) => one.at)).toEqual(
      Array.from({ length: 100 }, (_, index) => 1_199 - index),
    );
    expect((await selections.list('somebody', { limit: 10, cursor: null })).items).toEqual([]);
    expect(await wholeUsage(requests, { accountId: 'somebody' })).toMatchObject([
      { day: '1970-01-01', requests: 1_200 },
    ]);
    await place.remove();
  });
});
