import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { savingsCommand } from '../../src/cli/reports.js';
import { openStore } from '../../src/store/open-store.js';
import { deletedAccountId } from '../../src/store/contracts/removal.js';
import { expectConforms } from '../helpers/conforms.js';
import { databases, type TestDatabase } from '../helpers/databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, textAt } from '../helpers/json.js';
import { requestRow } from '../helpers/request-row.js';
import { ask, post } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const messages = [{ role: 'user', content: 'Once more, with the same long beginning.' }];
const names = ['reader', 'writer', 'budget', 'unpriced', 'none', 'kept'] as const;
type Name = (typeof names)[number];
const bearer = (name: Name): { authorization: string } => ({ authorization: `Bearer sk_${name}` });

describe.each(databases)('what prompt caches saved, on %s', (_name, make) => {
  let upstream: Upstream;
  let database: TestDatabase;
  let gateway: RunningGateway;
  beforeAll(async () => {
    [upstream, database] = await Promise.all([startUpstream(), make()]);
    gateway = await startGateway({
      providers: {
        up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
        ant: { api: 'anthropic', baseUrl: upstream.url, apiKey: 'any' },
      },
      models: {
        'up/cached': { inputPrice: 2, outputPrice: 10, cachedInputPrice: 0.5 },
        'ant/written': {
          inputPrice: 3,
          outputPrice: 15,
          cachedInputPrice: 0.3,
          cacheWritePrice: 3.75,
        },
      },
      database: { url: database.url },
      // titles are calls of the upstream too
      conversations: { store: false },
      auth: {
        keys: names.map((name) => ({
          name,
          key: `sk_${name}`,
          ...(name === 'budget'
            ? { limits: { dayBudgetUsd: 100 }, scopes: ['completions', 'admin'] }
            : {}),
        })),
      },
    });
  });
  afterAll(async () => {
    await Promise.all([gateway.close(), upstream.close()]);
    await database.drop();
  });
  const ways = { native: '/api/v1/completions', openai: '/v1/chat/completions' } as const;
  const complete = async (name: Name, model: string, way: keyof typeof ways = 'native') => {
    const body = way === 'native' ? { models: [model] } : { model };
    const { status } = await post(
      `${gateway.url}${ways[way]}`,
      { messages, ...body },
      bearer(name),
    );
    expect(status).toBe(200);
  };
  const savings = async (name: Name): Promise<unknown> => {
    const { json } = await ask('GET', `${gateway.url}/api/v1/savings`, bearer(name));
    expectConforms('savings.response', json);
    return json;
  };

  it('is what cached tokens would have cost as plain input, less what they cost', async () => {
    const usage = { prompt: 100_000, completion: 10, cached: 80_000 };
    upstream.script([{ usage }, { usage }]);
    await complete('reader', 'up/cached');
    await complete('reader', 'up/cached', 'openai');
    const json = await savings('reader');
    // 80,000 tokens at 2 less 0.5 USD for a million, twice; no request left a choice
    expect(json).toMatchObject({ cacheSavedUsd: 0.24, choices: 0 });
    expect(textAt(json, 'summary')).toMatch(/ Prompt caches saved \$0\.240\.$/);
  });

  it('is less what writing to caches costs beyond plain input, and may be below nothing', async () => {
    upstream.script([{ usage: { prompt: 100_000, completion: 10, cacheWritten: 90_000 } }]);
    await complete('writer', 'ant/written');
    const written = await savings('writer');
    expect(written).toMatchObject({ cacheSavedUsd: -0.0675 });
    expect(textAt(written, 'summary')).toMatch(
      / Prompt caches cost \$0\.0675 more than they saved\.$/,
    );
    upstream.script([{ usage: { prompt: 100_000, completion: 10, cached: 90_000 } }]);
    await complete('writer', 'ant/written');
    expect(await savings('writer')).toMatchObject({ cacheSavedUsd: 0.1755 });
  });

  it('is counted of keys with a budget too, and not where no price is known', async () => {
    const usage = { prompt: 1_000, completion: 1, cached: 1_000 };
    upstream.script([{ usage }, { usage }]);
    await complete('budget', 'up/cached');
    await complete('unpriced', 'up/nobody-knows');
    expect(await savings('budget')).toMatchObject({ cacheSavedUsd: 0.0015 });
    expect(await savings('unpriced')).toMatchObject({ cacheSavedUsd: 0 });
  });

  it('is nothing, and not spoken of, where no cache was used', async () => {
    upstream.script([{ usage: { prompt: 1_000, completion: 1 } }]);
    await complete('none', 'up/cached');
    const json = await savings('none');
    expect(json).toMatchObject({ cacheSavedUsd: 0 });
    expect(textAt(json, 'summary')).not.toContain('caches');
  });

  it('is among the sums of usage, and printed by the command line', async () => {
    const usage = await ask('GET', `${gateway.url}/api/v1/usage?by=model`, bearer('reader'));
    expectConforms('usage.response', usage.json);
    expect(at(usage.json, 'items', 0)).toMatchObject({
      model: 'cached',
      cacheSavedUsd: expect.closeTo(0.24, 9),
    });
    const store = await openStore(database.url);
    expect(await savingsCommand(store, { key: 'reader' })).toContain('Prompt caches saved $0.240.');
    await store.close();
  });

  it('stays in the sums when the account is deleted', async () => {
    const store = await openStore(database.url);
    const at = Date.now();
    await store.requests.add(
      [requestRow({ accountId: 'gone', at }), requestRow({ accountId: 'gone', at })].map((row) => ({
        ...row,
        cacheSavedUsd: 0.25,
      })),
    );
    expect(await store.removal.finish('gone', at)).toBe(true);
    const { items } = await store.requests.usage({ accountId: deletedAccountId }, ['account'], {
      limit: 9,
      cursor: null,
    });
    expect(items).toMatchObject([{ requests: 2, cacheSavedUsd: 0.5 }]);
    await store.close();
  });
});
