import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allEndpoints, pathOf } from '../helpers/endpoints.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { textAt } from '../helpers/json.js';
import { ask, post, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

/** What belongs to account A, by kind; every id stands in no answer that B ever gets. */
interface Belongings {
  key: string;
  preference: string;
  conversation: string;
  session: string;
  request: string;
  response: string;
  evaluation: string;
}

let upstream: Upstream;
let gateway: RunningGateway;
let owned: Belongings;
const a = { authorization: 'Bearer sk_account_a' };
const b = { authorization: 'Bearer sk_account_b' };
const secret = 'a secret of A';
const messages = [{ role: 'user', content: secret }];
const send = (path: string, body: object, headers: Record<string, string> = a): Promise<Reply> =>
  post(gateway.url + path, body, headers);
const select = { messages, llm_providers: [{ name: 'up/m' }] };
const complete = { messages, models: ['up/m'] };

beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    auth: {
      keys: [
        { name: 'a', key: 'sk_account_a' },
        { name: 'b', key: 'sk_account_b' },
      ],
    },
    requestLog: { content: true },
  });
  const completion = (await send('/api/v1/completions', complete)).json;
  await send('/api/v1/feedback', {
    response_id: textAt(completion, 'responseMessageId'),
    score: 1,
    comment: secret,
  });
  owned = {
    key: textAt((await send('/api/v1/keys', { name: secret })).json, 'id'),
    preference: textAt((await send('/api/v1/preferences', { name: secret })).json, 'id'),
    conversation: textAt(completion, 'conversationId'),
    session: textAt((await send('/api/v1/model-select', select)).json, 'session_id'),
    request: textAt((await ask('GET', `${gateway.url}/api/v1/requests`, a)).json, 'items', 0, 'id'),
    response: textAt(completion, 'responseMessageId'),
    evaluation: textAt((await send('/api/v1/evaluations', { prompt: secret })).json, 'id'),
  };
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/** Of paths whose body has no example. */
const bodies: Record<string, object> = {
  '/api/v1/preferences/{id}/training': {
    rows: Array.from({ length: 50 }, (_, at) => ({
      prompt: `B was here ${at}`,
      scores: { 'up/m': at % 2, 'up/n': 1 },
    })),
  },
};

/** All that A can see of its own. */
async function snapshot(): Promise<unknown[]> {
  const reads = [
    `keys/${owned.key}`,
    `preferences/${owned.preference}`,
    `conversations/${owned.conversation}`,
    `sessions/${owned.session}`,
    `requests/${owned.request}`,
    `evaluations/${owned.evaluation}`,
    'feedback',
    'conversations',
    'preferences',
    'keys',
    'evaluations',
  ];
  const replies = await Promise.all(
    reads.map((path) => ask('GET', `${gateway.url}/api/v1/${path}`, a)),
  );
  expect(replies.map(({ status }) => status)).toEqual(reads.map(() => 200));
  return replies.map(({ json }) => json);
}

describe('what belongs to one account', () => {
  it('is available to its own account', async () => {
    for (const [kind, id] of Object.entries(owned)) expect(id, kind).not.toBe('');
    expect(JSON.stringify(await snapshot())).toContain(secret);
  });

  it('does not exist for another one, on any path that takes an id, with any method, and stays as it was', async () => {
    const before = await snapshot();
    const withIds = allEndpoints.filter(({ path }) => path.includes('{'));
    expect(withIds.length).toBeGreaterThan(20);
    for (const one of withIds) {
      const { method, path } = one;
      for (const [kind, id] of Object.entries(owned)) {
        const reply = await ask(
          method.toUpperCase(),
          gateway.url + pathOf(one, id),
          b,
          method === 'get' || method === 'delete' ? undefined : (one.example ?? bodies[path] ?? {}),
        );
        const where = `${method} ${path} with A's ${kind}`;
        // an administrator's paths are closed to B whatever they name
        expect([404, 403], where).toContain(reply.status);
        if (!/^\/api\/v1\/(accounts|providers)/.test(path)) expect(reply.status, where).toBe(404);
        expect(reply.text, where).not.toContain(secret);
      }
    }
    expect(await snapshot()).toEqual(before);
  });

  it('is marked as private, so that no cache gives it to other clients', async () => {
    for (const one of allEndpoints.filter(({ method }) => method === 'get'))
      for (const id of [owned.conversation, owned.key, owned.request]) {
        const reply = await ask('GET', gateway.url + pathOf(one, id), a);
        expect(reply.headers, one.path).toMatchObject({ 'cache-control': 'no-store' });
      }
  });

  it('appears in no list of another account', async () => {
    const lists = allEndpoints.filter((one) => one.method === 'get' && !one.path.includes('{'));
    expect(lists.length).toBeGreaterThan(15);
    for (const { path } of lists) {
      for (const query of ['', '?account=all', '?account=fixed:a', `?key=${owned.key}`]) {
        const { text } = await ask('GET', gateway.url + path + query, b);
        for (const id of [...Object.values(owned), secret])
          expect(text, path + query).not.toContain(id);
      }
    }
  });

  it("is in no other one's reach by the id of a stored response", async () => {
    const { json } = await send('/v1/responses', { model: 'up/m', input: secret, store: true });
    const path = `/v1/responses/${textAt(json, 'id')}`;
    const tries: [string, string][] = [
      ['GET', path],
      ['GET', `${path}?stream=true&starting_after=0`],
      ['GET', `${path}/input_items`],
      ['DELETE', path],
      ['GET', `/api/v1/completions/${owned.response}/stream`],
    ];
    for (const [method, tried] of tries) {
      const reply = await ask(method, gateway.url + tried, b);
      expect([reply.status, reply.text.includes(secret)], tried).toEqual([404, false]);
    }
    // no stream of its own has that name
    expect((await send(`${path}/cancel`, {}, b)).status).toBe(400);
    const goesOn = { model: 'up/m', input: 'go on', previous_response_id: textAt(json, 'id') };
    const refused = await send('/v1/responses', goesOn, b);
    expect([refused.status, textAt(refused.json, 'error', 'code')]).toEqual([
      400,
      'previous_response_not_found',
    ]);
    expect((await ask('GET', gateway.url + path, a)).status).toBe(200);
  });

  it("is in no other one's reach by a request that names it", async () => {
    const before = await snapshot();
    const tries: [string, object][] = [
      ['/api/v1/completions', { ...complete, conversationId: owned.conversation }],
      ['/api/v1/completions', { ...complete, conversationId: owned.conversation, store: false }],
      ['/api/v1/completions', { ...complete, preference_id: owned.preference }],
      ['/api/v1/completions', { ...complete, previous_session: owned.session }],
      ['/api/v1/model-select', { ...select, preference_id: owned.preference }],
      ['/api/v1/model-select', { ...select, previous_session: owned.session }],
      ['/v1/chat/completions', { messages, model: 'up/m', preference_id: owned.preference }],
      ['/v2/modelRouter/modelSelect', { ...select, preference_id: owned.preference }],
      ['/v2/modelRouter/modelSelect', { ...select, previous_session: owned.session }],
      ['/v2/report/metrics/feedback', { session_id: owned.session, feedback: { accuracy: 0 } }],
      [
        '/v2/report/metrics/latency',
        { session_id: owned.session, feedback: { tokens_per_second: 1 } },
      ],
      ['/api/v1/feedback', { session_id: owned.session, score: 0 }],
      ['/api/v1/feedback', { response_id: owned.response, score: 0 }],
      ['/api/v1/feedback', { request_id: owned.request, score: 0 }],
    ];
    for (const [path, body] of tries)
      expect((await send(path, body, b)).status, `${path} ${JSON.stringify(body)}`).toBe(404);
    expect(
      (
        await ask('PUT', `${gateway.url}/v2/preferences/userPreferenceUpdate`, b, {
          preference_id: owned.preference,
          name: 'B was here',
        })
      ).status,
    ).toBe(404);
    expect(await snapshot()).toEqual(before);
  });

  it('cannot be taken by naming its id for something new', async () => {
    const before = await snapshot();
    await send(
      '/api/v1/conversations',
      { id: owned.conversation, conversationId: owned.conversation, title: 'B was here' },
      b,
    );
    await send('/api/v1/preferences', { name: 'B was here' }, b);
    expect(await snapshot()).toEqual(before);
  });
});
