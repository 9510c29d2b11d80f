import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open-store.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { numberAt, textAt } from '../helpers/json.js';
import { type OwnPostgres, startOwnPostgres } from '../helpers/postgres.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { wholeUsage } from '../helpers/whole-usage.js';
import { isWholeRun } from '../helpers/runs.js';

let upstream: Upstream;
let postgres: OwnPostgres;
let gateway: RunningGateway;
beforeAll(async () => {
  [upstream, postgres] = await Promise.all([startUpstream(), startOwnPostgres()]);
});
afterAll(() => Promise.all([upstream.close(), postgres.remove()]));
afterEach(async () => {
  await gateway.close();
  // a test that failed while it was away must not fail those after it, nor its own second try
  await postgres.restart();
});

let runs = 0;
/** @returns the account whose requests are recorded */
const start = async (maxQueued = 10_000): Promise<string> => {
  const name = `run-${++runs}`;
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1`, apiKey: 'sk-up' } },
    models: { 'up/known': { inputPrice: 1, outputPrice: 2 } },
    database: { url: postgres.url },
    conversations: { store: false },
    requestLog: { maxQueued },
    auth: { keys: [{ name, key: 'sk_one' }] },
  });
  return `fixed:${name}`;
};
const auth = { authorization: 'Bearer sk_one' };
const chat = (): Promise<Reply> =>
  post(
    `${gateway.url}/v1/chat/completions`,
    { model: 'up/known', messages: [{ role: 'user', content: 'Hi' }] },
    auth,
  );
const metric = async (name: string): Promise<number> =>
  Number(
    new RegExp(`^${name} (\\d+)$`, 'm').exec(
      (await ask('GET', `${gateway.url}/metrics`)).text,
    )?.[1] ?? NaN,
  );
const queued = (): Promise<number> => metric('signalbox_records_queued\\{kind="requests"\\}');
const lost = (): Promise<number> => metric('signalbox_records_lost_total\\{kind="requests"\\}');

/** The ids that were answered, and those that are in the database, counted. */
async function stored(
  accountId: string,
): Promise<{ ids: string[]; requests: number; costUsd: number }> {
  const store = await openStore(postgres.url);
  try {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: readonly { id: string }[]; next: string | null } =
        await store.requests.list({ accountId }, { limit: 100, cursor });
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== null);
    const [sums] = await wholeUsage(store.requests, { accountId });
    return { ids, requests: numberAt(sums, 'requests'), costUsd: numberAt(sums, 'costUsd') };
  } finally {
    await store.close();
  }
}

describe('while PostgreSQL is away', () => {
  it('completions go on, and the records of all of them are there once it is back, none twice', async () => {
    const account = await start();
    const answered: string[] = [];
    let isOver = false;
    const traffic = async (): Promise<void> => {
      while (!isOver) {
        const { status, headers } = await chat();
        expect(status).toBe(200);
        answered.push(textAt(headers, 'x-request-id'));
      }
    };
    const clients = Promise.all(Array.from({ length: 4 }, traffic));
    await until(() => answered.length > 100);
    // in the middle of a batch, twice
    for (let time = 0; time < 2; time++) {
      await postgres.stop();
      const count = answered.length;
      await until(() => answered.length > count + 100);
      expect(await queued()).toBeGreaterThan(50);
      await postgres.restart();
      await until(async () => (await queued()) < 50);
    }
    isOver = true;
    await clients;
    await until(async () => (await queued()) === 0);
    const { ids, requests, costUsd } = await stored(account);
    expect(ids.sort()).toEqual(answered.sort());
    expect(requests).toBe(answered.length);
    expect(costUsd).toBeCloseTo(answered.length * 2e-5, 9);
    expect(await lost()).toBe(0);
  });

  it('no more than the bound wait; what is lost is counted', async () => {
    const account = await start(20);
    await chat();
    await until(async () => (await queued()) === 0);
    await postgres.stop();
    // at once: rows may wait beside a batch that is being written
    const answers = await Promise.all(Array.from({ length: 30 }, chat));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await until(async () => (await queued()) === 20 && (await lost()) === 10);
    await postgres.restart();
    await until(async () => (await queued()) === 0);
    expect((await stored(account)).ids).toHaveLength(21);
  });

  it.runIf(isWholeRun)('asking for the records is answered 503, and so is feedback', async () => {
    await start(30);
    await chat();
    const { json } = await post(
      `${gateway.url}/api/v1/model-select`,
      { messages: [{ role: 'user', content: 'Hi' }], llm_providers: [{ name: 'up/known' }] },
      auth,
    );
    await until(async () => (await queued()) === 0);
    await postgres.stop();
    for (const path of ['requests', 'requests/x', 'usage', 'sessions', 'feedback'])
      expect((await ask('GET', `${gateway.url}/api/v1/${path}`, auth)).status, path).toBe(503);
    expect(textAt(json, 'session_id')).not.toBe('');
    expect(
      (
        await post(
          `${gateway.url}/api/v1/feedback`,
          { session_id: textAt(json, 'session_id'), score: 1 },
          auth,
        )
      ).status,
    ).toBe(503);
    await postgres.restart();
    await until(
      async () => (await ask('GET', `${gateway.url}/api/v1/sessions`, auth)).status === 200,
    );
  });
});
