import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { at, textAt } from '../helpers/json.js';
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
let paths: Record<string, Record<string, object>>;
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
  paths = at((await ask('GET', `${gateway.url}/openapi.json`)).json, 'paths') as typeof paths;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const methods = ['get', 'post', 'put', 'patch', 'delete'];
/** A body that each path would take, were what it names the caller's own. */
const bodies: Record<string, object> = {
  '/api/v1/preferences/{id}': { name: 'B was here' },
  '/api/v1/keys/{id}': { name: 'B was here' },
  '/api/v1/conversations/{id}': { title: 'B was here' },
  '/api/v1/evaluations/{id}': { scores: { 'up/m': 1 } },
  '/api/v1/accounts/{id}': { disabled: true },
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
    const withIds = Object.keys(paths).filter(
      (path) => path.includes('{') && !path.startsWith('/proxy') && !path.startsWith('/v1/'),
    );
    expect(withIds.length).toBeGreaterThan(8);
    for (const path of withIds) {
      for (const method of methods.filter((name) => paths[path]?.[name])) {
        for (const [kind, id] of Object.entries(owned)) {
          const reply = await ask(
            method.toUpperCase(),
            gateway.url + path.replace(/\{\w+\}/, id),
            b,
            method === 'get' || method === 'delete' ? undefined : (bodies[path] ?? {}),
          );
          const where = `${method} ${path} with A's ${kind}`;
          // an administrator's paths are closed to B whatever they name
          expect([404, 403], where).toContain(reply.status);
          if (!/^\/api\/v1\/(accounts|providers)/.test(path)) expect(reply.status, where).toBe(404);
          expect(reply.text, where).not.toContain(secret);
        }
      }
    }
    expect(await snapshot()).toEqual(before);
  });

  it('is marked as private, so that no cache gives it to other clients', async () => {
    for (const path of [
      'keys',
      'conversations',
      `conversations/${owned.conversation}`,
      'preferences',
      'requests',
      'usage',
      'sessions',
      'feedback',
      'auth/account',
    ]) {
      expect((await ask('GET', `${gateway.url}/api/v1/${path}`, a)).headers, path).toMatchObject({
        'cache-control': 'no-store',
      });
    }
  });

  it('appears in no list of another account', async () => {
    const lists = Object.keys(paths).filter(
      (path) => paths[path]?.['get'] && !path.includes('{') && path.startsWith('/api/'),
    );
    expect(lists.length).toBeGreaterThan(7);
    for (const path of lists) {
      for (const query of ['', '?account=all', '?account=fixed:a', `?key=${owned.key}`]) {
        const { text } = await ask('GET', gateway.url + path + query, b);
        for (const id of [...Object.values(owned), secret])
          expect(text, path + query).not.toContain(id);
      }
    }
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
