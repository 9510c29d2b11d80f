import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, listAt, numberAt, textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: {
      'up/best': { quality: 0.9, inputPrice: 10, outputPrice: 10, latency: 2 },
      'up/near': { quality: 0.8, inputPrice: 1, outputPrice: 1, latency: 1 },
      'up/cheap': { quality: 0.5, inputPrice: 0.1, outputPrice: 0.1, latency: 3 },
      'up/fast': { quality: 0.4, inputPrice: 5, outputPrice: 5, latency: 0.1 },
    },
    auth: {
      keys: [
        { name: 'one', key: 'sk_one' },
        { name: 'two', key: 'sk_two' },
        { name: 'narrow', key: 'sk_narrow', scopes: ['completions'] },
      ],
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const auth = { authorization: 'Bearer sk_one' };
const only = (figure: 'quality' | 'cost' | 'latency'): object => ({
  weights: { quality: 0, cost: 0, latency: 0, [figure]: 1 },
});
const preview = (
  body: object,
  headers: Record<string, string> = auth,
  query = '',
): Promise<Reply> => post(`${gateway.url}/api/v1/preferences/preview${query}`, body, headers);
const all = ['up/best', 'up/near', 'up/cheap', 'up/fast'];
const messages = [{ role: 'user', content: 'Why is the sky blue?' }];
const winner = (reply: Reply, item = 0): string =>
  textAt(reply.json, 'items', item, 'winner', 'label');
const requestIds = async (): Promise<string[]> =>
  listAt((await ask('GET', `${gateway.url}/api/v1/requests`, auth)).json, 'items')
    .filter((row) => ['completions', 'native', 'model_select'].includes(textAt(row, 'surface')))
    .map((row) => textAt(row, 'id'));

describe('a preference that is tried out', () => {
  it('names who would win, by how much, and what wins without it', async () => {
    const reply = await preview({ preference: only('cost'), messages });
    expect(reply.status).toBe(200);
    expectConforms('preference-preview.response', reply.json);
    expect(at(reply.json, 'items', 0)).toMatchObject({
      source: 'messages',
      winner: { label: 'up/cheap' },
      runnerUp: { label: 'up/near' },
      current: { label: 'up/best' },
      isChanged: true,
    });
    expect(numberAt(reply.json, 'items', 0, 'change', 'quality')).toBeCloseTo(-0.4);
    expect(numberAt(reply.json, 'items', 0, 'change', 'cost')).toBeLessThan(0);
    expect(numberAt(reply.json, 'items', 0, 'lead', 'score')).toBeGreaterThan(0);
    expect(winner(await preview({ preference: only('latency'), messages }))).toBe('up/fast');
    expect(winner(await preview({ preference: only('quality'), messages }))).toBe('up/best');
  });

  it('is tried on example prompts of many kinds, with sums over all of them', async () => {
    const reply = await preview({ preference: only('cost'), examples: true });
    expectConforms('preference-preview.response', reply.json);
    const items = listAt(reply.json, 'items');
    expect(items.length).toBeGreaterThanOrEqual(20);
    expect(new Set(items.map((item) => textAt(item, 'kind'))).size).toBeGreaterThan(4);
    expect(at(reply.json, 'totals')).toMatchObject({
      items: items.length,
      changed: items.length,
      undecided: 0,
      models: [
        { label: 'up/cheap', current: 0, preview: items.length },
        { label: 'up/best', current: items.length, preview: 0 },
      ],
    });
    expect(numberAt(reply.json, 'totals', 'cost', 'preview')).toBeLessThan(
      numberAt(reply.json, 'totals', 'cost', 'current') / 50,
    );
  });

  it('is tried on own requests of any surface, from their stored figures alone', async () => {
    await post(
      `${gateway.url}/api/v1/completions`,
      { models: all, fallback_models: ['up/extra'], messages },
      auth,
    );
    await post(
      `${gateway.url}/api/v1/model-select`,
      { llm_providers: all.map((name) => ({ name })), messages },
      auth,
    );
    const requests = await requestIds();
    expect(requests).toHaveLength(2);
    const reply = await preview({ preference: only('latency'), requests }, auth, '?explain=true');
    expectConforms('preference-preview.response', reply.json);
    for (const item of [0, 1]) {
      expect(winner(reply, item)).toBe('up/fast');
      expect(textAt(reply.json, 'items', item, 'current', 'label')).toBe('up/best');
      // the fallback was no candidate of the choice
      const candidates = listAt(reply.json, 'items', item, 'candidates');
      expect(candidates.map((one) => textAt(one, 'label'))).toHaveLength(4);
    }
    expect(listAt(reply.json, 'items').map((item) => textAt(item, 'id'))).toEqual(requests);
  });

  it('is compared with a stored preference if one is named', async () => {
    const stored = await post(`${gateway.url}/api/v1/preferences`, only('latency'), auth);
    const reply = await preview({
      preference: only('cost'),
      preference_id: textAt(stored.json, 'id'),
      messages,
    });
    expect(at(reply.json, 'items', 0)).toMatchObject({
      winner: { label: 'up/cheap' },
      current: { label: 'up/fast' },
    });
    const unknown = await preview({ preference: {}, preference_id: 'none', messages });
    expect(unknown.status).toBe(404);
  });

  it('chooses as the stored preference does afterwards', async () => {
    for (const settings of [
      { weights: { quality: 5, cost: 1, latency: 0 } },
      { weights: { quality: 1, cost: 0, latency: 1 }, exclude: ['up/fast'] },
      { tradeoff: 'cost' },
      { allow: ['up/near', 'up/cheap'] },
      { maxPrice: 2 },
    ]) {
      const stored = await post(`${gateway.url}/api/v1/preferences`, settings, auth);
      const tried = await preview({ preference: settings, messages, models: all });
      const chosen = await post(
        `${gateway.url}/api/v1/model-select`,
        {
          llm_providers: all.map((name) => ({ name })),
          messages,
          preference_id: textAt(stored.json, 'id'),
        },
        auth,
      );
      expect(winner(tried)).toBe(textAt(chosen.json, 'llm_label'));
    }
  });

  it('may allow again what a stored preference ruled out of a request', async () => {
    const stored = await post(`${gateway.url}/api/v1/preferences`, { exclude: ['up/best'] }, auth);
    await post(
      `${gateway.url}/api/v1/completions`,
      { models: all, messages, preference_id: textAt(stored.json, 'id') },
      auth,
    );
    const [latest] = await requestIds();
    const reply = await preview({
      preference: { maxPrice: 20 },
      preference_id: textAt(stored.json, 'id'),
      requests: [latest],
    });
    expect(winner(reply)).toBe('up/best');
    expect(textAt(reply.json, 'items', 0, 'current', 'label')).toBe('up/near');
  });

  it('says why no model is left', async () => {
    const reply = await preview({ preference: { allow: ['nobody/*'] }, messages });
    expectConforms('preference-preview.response', reply.json);
    expect(at(reply.json, 'items', 0)).toMatchObject({ winner: null, runnerUp: null });
    expect(textAt(reply.json, 'items', 0, 'reason')).toContain('the preference excludes it');
    expect(at(reply.json, 'totals')).toMatchObject({ undecided: 1, cost: null });
  });

  it('stores nothing, and skips requests of other accounts as if they did not exist', async () => {
    const [mine] = await requestIds();
    const list = `${gateway.url}/api/v1/preferences`;
    const before = listAt((await ask('GET', list, auth)).json, 'items');
    const reply = await preview(
      { preference: only('cost'), requests: [mine] },
      { authorization: 'Bearer sk_two' },
    );
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ items: [], skipped: [{ id: mine, reason: 'not found' }] });
    expect(listAt((await ask('GET', list, auth)).json, 'items')).toEqual(before);
  });

  it('needs the scope admin for requests, something to be tried on, and valid weights', async () => {
    const narrow = { authorization: 'Bearer sk_narrow' };
    expect((await preview({ preference: {}, messages }, narrow)).status).toBe(200);
    const refused = await preview({ preference: {}, requests: ['x'] }, narrow);
    expect(refused.status).toBe(403);
    expect((await preview({ preference: {} })).status).toBe(422);
    const wrong = await preview({ preference: { weights: { quality: -1 } }, examples: true });
    expect(wrong.status).toBe(422);
    expect(textAt(wrong.json, 'message')).toContain('preference[weights]');
  });
});
