import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { savingsCommand } from '../../src/cli/reports.js';
import { openStore } from '../../src/store/open-store.js';
import { expectConforms } from '../helpers/conforms.js';
import { databasesOfRun, type TestDatabase } from '../helpers/databases.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const strong = 'up/gpt-4o';
const near = 'up/gpt-4o-mini';
const overpriced = 'up/gpt-3.5-turbo-0125';
const messages = [{ role: 'user', content: 'Why is the sky blue? Explain it in two sentences.' }];
const names = ['one', 'two', 'selecting', 'unpriced', 'cheapest', 'forgetting', 'nobody'] as const;
const bearer = (name: (typeof names)[number]): { authorization: string } => ({
  authorization: `Bearer sk_${name}`,
});

describe.each(databasesOfRun)('what choosing saved, on %s', (_name, make) => {
  let upstream: Upstream;
  let database: TestDatabase;
  let gateway: RunningGateway;
  beforeAll(async () => {
    [upstream, database] = await Promise.all([startUpstream(), make()]);
    gateway = await startGateway({
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: {
        [strong]: { inputPrice: 2.5, outputPrice: 10 },
        [near]: { inputPrice: 0.15, outputPrice: 0.6 },
        [overpriced]: { inputPrice: 5, outputPrice: 20 },
        'up/claude-3-haiku-20240307': {},
        'up/claude-3-opus-20240229': {},
      },
      routing: { exploration: 0, tolerance: 0.3, learning: false },
      database: { url: database.url },
      auth: { keys: names.map((name) => ({ name, key: `sk_${name}` })) },
    });
  });
  afterAll(async () => {
    await Promise.all([gateway.close(), upstream.close()]);
    await database.drop();
  });
  const complete = (name: (typeof names)[number], body: object = {}): Promise<Reply> =>
    post(
      `${gateway.url}/api/v1/completions`,
      { messages, models: [strong, near], tradeoff: 'cost', ...body },
      bearer(name),
    );
  const savings = async (name: (typeof names)[number], query = ''): Promise<unknown> => {
    const { status, json } = await ask(
      'GET',
      `${gateway.url}/api/v1/savings?${query}`,
      bearer(name),
    );
    expect(status).toBe(200);
    expectConforms('savings.response', json);
    return json;
  };

  it('is measured by what the chosen models cost, against always calling each candidate', async () => {
    for (let times = 0; times < 5; times++) expect((await complete('one')).status).toBe(200);
    const json = await savings('one');
    expect(json).toMatchObject({ choices: 5, measured: 5, ratings: 0, spentReason: null });
    const usage = await ask('GET', `${gateway.url}/api/v1/usage?by=account`, bearer('one'));
    const spent = at(usage.json, 'items', 0, 'costUsd');
    expect(at(json, 'spentUsd')).toEqual({ value: spent, low: spent, high: spent });
    const dear = listAt(json, 'candidates').find((one) => at(one, 'model') === strong);
    expect(dear).toMatchObject({ candidateIn: 5, chosenIn: 0, reason: null });
    // the same tokens at more than sixteen times the price
    const always = Number(at(dear, 'alwaysUsd', 'value'));
    expect(always / Number(spent)).toBeGreaterThan(8);
    expect(at(json, 'best', 'model')).toBe(strong);
    expect(Number(at(json, 'best', 'savedUsd', 'low'))).toBeGreaterThan(0);
    expect(Number(at(json, 'best', 'qualityGivenUp', 'high'))).toBeGreaterThan(0);
    expect(textAt(json, 'summary')).toMatch(
      /^5 requests left a choice\. Choosing saved about \$.* always calling up\/gpt-4o, the candidate of the best expected quality in all of them, would have cost \$/,
    );
  });

  it('is certain to a smaller degree without ratings than with them', async () => {
    const width = (json: unknown): number =>
      Number(at(json, 'best', 'qualityGivenUp', 'high')) -
      Number(at(json, 'best', 'qualityGivenUp', 'low'));
    const before = width(await savings('one'));
    for (const score of [0, 1, 0, 1, 0]) {
      const { json } = await complete('one');
      const response_id = textAt(json, 'responseMessageId');
      const rating = { response_id, score };
      expect((await post(`${gateway.url}/api/v1/feedback`, rating, bearer('one'))).status).toBe(
        201,
      );
    }
    const json = await savings('one');
    expect(json).toMatchObject({ choices: 10, ratings: 5 });
    expect(width(json)).toBeLessThan(before);
  });

  it('counts no rating that was taken back', async () => {
    const rate = async (model: string): Promise<void> => {
      const response_id = textAt((await complete('forgetting')).json, 'responseMessageId');
      const rating = { response_id, model, provider: 'up', score: 1 };
      const { status } = await post(`${gateway.url}/api/v1/feedback`, rating, bearer('forgetting'));
      expect(status).toBe(201);
    };
    const forget = async (query: string): Promise<void> => {
      const url = `${gateway.url}/api/v1/learning${query}`;
      expect((await ask('DELETE', url, bearer('forgetting'))).status).toBe(204);
    };
    for (const model of ['gpt-4o', 'gpt-4o', 'gpt-4o-mini']) await rate(model);
    expect(await savings('forgetting')).toMatchObject({ ratings: 3 });
    await forget('?model=gpt-4o');
    expect(await savings('forgetting')).toMatchObject({ ratings: 1 });
    await forget('');
    expect(await savings('forgetting')).toMatchObject({ choices: 3, ratings: 0 });
    expect(textAt(await savings('forgetting'), 'summary')).not.toContain('narrowed');
  });

  it('is given for each preference, key or chosen model too', async () => {
    expect(listAt(await savings('one', 'by=model'), 'groups')).toMatchObject([
      { model: near, choices: 10, best: { model: strong } },
    ]);
    expect(listAt(await savings('one', 'by=key'), 'groups')).toMatchObject([
      { keyId: 'fixed:one', choices: 10 },
    ]);
    expect(listAt(await savings('one', 'by=preference'), 'groups')).toMatchObject([
      { preferenceId: null, choices: 10 },
    ]);
  });

  it('is estimated where the gateway only chose', async () => {
    const select = (): Promise<Reply> =>
      post(
        `${gateway.url}/api/v1/model-select`,
        { messages, llm_providers: [{ name: strong }, { name: near }], tradeoff: 'cost' },
        bearer('selecting'),
      );
    await select();
    await select();
    const json = await savings('selecting');
    expect(json).toMatchObject({
      choices: 2,
      measured: 0,
      spentReason: '2 of 2 are estimated: the gateway did not see the answers',
    });
    expect(Number(at(json, 'spentUsd', 'low'))).toBeLessThan(Number(at(json, 'spentUsd', 'high')));
  });

  it('is unknown, not nothing, where no price is known', async () => {
    await complete('unpriced', {
      models: ['up/claude-3-opus-20240229', 'up/claude-3-haiku-20240307'],
    });
    const json = await savings('unpriced');
    expect(json).toMatchObject({
      choices: 1,
      spentUsd: null,
      spentReason: 'no price is known for the chosen models',
      best: { alwaysUsd: null, savedUsd: null },
    });
    expect(textAt(json, 'summary')).toContain(
      'What choosing saved is unknown: no price is known for the chosen models.',
    );
  });

  it('is nothing for an account without requests, and for one whose requests leave no choice', async () => {
    expect(await savings('nobody')).toMatchObject({
      choices: 0,
      spentUsd: null,
      best: null,
      candidates: [],
      summary: 'Choosing saved nothing: there were no requests in this period.',
    });
    await complete('two', { models: [strong] });
    expect(textAt(await savings('two'), 'summary')).toMatch(
      /^Choosing saved nothing: none of the 1 requests left a choice/,
    );
  });

  it('is said to be impossible where the best candidate is the cheapest', async () => {
    for (let times = 0; times < 3; times++)
      await complete('cheapest', { models: [strong, overpriced], tradeoff: null });
    const json = await savings('cheapest');
    expect(json).toMatchObject({ choices: 3, best: { model: strong, chosenIn: 3 } });
    expect(textAt(json, 'summary')).toContain(
      'Choosing cannot save money here: up/gpt-4o has the best expected quality and is the cheapest of the candidates, and it was always chosen',
    );
  });

  it('is shown of other accounts to administrators alone, and of known parameters', async () => {
    const get = (query: string): Promise<Reply> =>
      ask('GET', `${gateway.url}/api/v1/savings?${query}`, bearer('one'));
    expect((await get('account=all')).status).toBe(403);
    expect((await get('account=fixed:two')).status).toBe(403);
    expect((await get('days=7')).status).toBe(400);
    expect((await get('by=day')).json).toMatchObject({
      message: 'by: must be one of: preference, key, model',
    });
    expect((await get('from=2026-01-01&to=2025-01-01')).status).toBe(422);
  });

  it('is printed as a table and a sentence by the command line', async () => {
    const store = await openStore(database.url);
    const text = await savingsCommand(store, { key: 'one', by: 'model' });
    await store.close();
    expect(text).toMatch(/^always calling +possible +chosen +USD +saved +95 % +quality +95 %\n/);
    expect(text).toMatch(/\nup\/gpt-4o +10 +0 +\d/);
    expect(text).toMatch(/\nmodel +choices +USD +best +saved +given up\n/);
    expect(text).toMatch(/: 10 requests left a choice\. Choosing saved about \$/);
    await expect(savingsCommand(await openStore(':memory:'), { by: 'day' })).rejects.toThrow(
      '--by: must be one of preference, key, model',
    );
  });
});
