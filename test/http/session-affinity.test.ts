import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../src/config/config.js';
import { databases, type TestDatabase } from '../helpers/databases.js';
import { expressRows, startHost } from '../helpers/host.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { textAt } from '../helpers/json.js';
import { post, postStream, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const both = ['up/best', 'up/near'];
const opening = [{ role: 'user', content: 'Why is the sky blue?' }];
const next = [
  ...opening,
  { role: 'assistant', content: 'Hello' },
  { role: 'user', content: 'And at night?' },
];

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream({ hasLists: false });
});
afterAll(() => upstream.close());

const configured = (more: ConfigInput = {}): ConfigInput => ({
  providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
  models: {
    'up/best': { quality: 0.9, inputPrice: 1, outputPrice: 1 },
    'up/near': { quality: 0.88, inputPrice: 1, outputPrice: 1 },
    'up/far': { quality: 0.5, inputPrice: 1, outputPrice: 1 },
  },
  ...more,
  auth: {
    keys: [
      { name: 'one', key: 'sk_one' },
      { name: 'two', key: 'sk_two' },
    ],
  },
});
const headers = { authorization: 'Bearer sk_one' };

/** The ways in which a client asks; each answers with the model that was chosen. */
const callers = ({ url }: { url: string }) => {
  const ask = (path: string, body: object, key = headers): Promise<Reply> =>
    post(`${url}${path}`, body, key);
  const named = ({ json, text, status }: Reply): string =>
    status === 200 ? textAt(json, 'model') : text;
  return {
    complete: (body: object, key = headers) =>
      ask('/api/v1/completions', { models: both, messages: next, ...body }, key),
    completed: async (body: object, key = headers) =>
      named(await ask('/api/v1/completions', { models: both, messages: next, ...body }, key)),
    chatted: async (body: object, key = headers) =>
      String(
        (
          await ask(
            '/v1/chat/completions',
            { model: 'auto', models: both, messages: next, ...body },
            key,
          )
        ).headers['x-signalbox-model'],
      ),
    select: (body: object, query = '') =>
      ask(`/api/v1/model-select${query}`, {
        llm_providers: both.map((name) => ({ name })),
        messages: next,
        ...body,
      }),
    selected: async (body: object) =>
      textAt(
        (
          await ask('/api/v1/model-select', {
            llm_providers: both.map((name) => ({ name })),
            messages: next,
            ...body,
          })
        ).json,
        'llm_label',
      ),
  };
};

/** A conversation that `near` has begun. */
const begun = async (client: ReturnType<typeof callers>): Promise<string> =>
  textAt(
    (await client.complete({ models: ['up/near'], messages: opening })).json,
    'conversationId',
  );

describe('a conversation', () => {
  let gateway: RunningGateway;
  let client: ReturnType<typeof callers>;
  beforeAll(async () => {
    gateway = await startGateway(configured());
    client = callers(gateway);
  });
  afterAll(() => gateway.close());

  it('that begins has the best model', async () => {
    expect(await client.completed({ messages: opening })).toBe('best');
    expect(await client.completed({})).toBe('best');
  });

  it('stays with the model that answered in it', async () => {
    const conversationId = await begun(client);
    expect(await client.completed({ conversationId })).toBe('near');
    expect(await client.completed({ conversationId: conversationId.toUpperCase() })).toBe('near');
    const streamed = await postStream(
      `${gateway.url}/api/v1/completions`,
      { models: both, messages: next, conversationId, stream: true },
      { headers },
    );
    expect(String(streamed.headers['x-signalbox-routing'])).toContain(
      'stays with the model of this conversation',
    );
  });

  it('goes with the model that answered last, also where a fallback did', async () => {
    const conversationId = await begun(client);
    await client.complete({ conversationId, models: ['up/far'] });
    expect(await client.completed({ conversationId })).toBe('best');
    upstream.script([{ status: 404, body: {} }, {}, {}]);
    expect(
      await client.completed({
        conversationId,
        models: ['nobody/x', 'up/best'],
        fallback_models: ['up/near'],
      }),
    ).toBe('near');
    expect(await client.completed({ conversationId })).toBe('near');
    upstream.script([]);
  });

  it('is tried as given where that is asked for', async () => {
    expect(await client.completed({ conversationId: await begun(client), order: 'given' })).toBe(
      'best',
    );
  });

  it('leaves a model that is no candidate any more, cannot serve, or is much worse', async () => {
    const conversationId = await begun(client);
    expect(await client.completed({ conversationId, models: ['up/best', 'up/far'] })).toBe('best');
    await client.complete({ conversationId, models: ['up/far'] });
    expect(await client.completed({ conversationId, models: ['up/best', 'up/far'] })).toBe('best');
  });

  it("of OpenAI's dialect is known by its history, for the account that had it", async () => {
    const alone = [{ role: 'user', content: 'Only here' }];
    const more = [
      ...alone,
      { role: 'assistant', content: 'whatever the client makes of it' },
      { role: 'user', content: 'More' },
    ];
    expect(await client.chatted({ models: ['up/near', 'up/far'], messages: alone })).toBe(
      'up/near',
    );
    expect(await client.chatted({ messages: more }, { authorization: 'Bearer sk_two' })).toBe(
      'up/best',
    );
    expect(await client.chatted({ messages: more })).toBe('up/near');
    expect(
      await client.chatted({
        messages: [...more, { role: 'assistant', content: 'x' }, { role: 'user', content: 'y' }],
      }),
    ).toBe('up/near');
    expect(
      await client.chatted({ messages: [{ role: 'user', content: 'Else' }, ...more.slice(1)] }),
    ).toBe('up/best');
  });

  it.each([
    ['prompt_cache_key', { prompt_cache_key: 'mine' }, {}],
    ["an agent's session header", {}, { 'session-id': 'mine too' }],
  ])('whose beginning its client has cut off is known by %s', async (_name, body, sent) => {
    const named = { ...headers, ...sent };
    const begun = [{ role: 'user', content: 'To be cut off' }];
    const cut = [
      { role: 'assistant', content: 'The end of it' },
      { role: 'user', content: 'More' },
    ];
    const chatted = (messages: object[], more: object, as = named): Promise<string> =>
      client.chatted({ messages, ...body, ...more }, as);
    expect(await chatted(begun, { models: ['up/near', 'up/far'] })).toBe('up/near');
    expect(await chatted(cut, {})).toBe('up/near');
    expect(await chatted(cut, {}, { ...named, authorization: 'Bearer sk_two' })).toBe('up/best');
    expect(await client.chatted({ messages: cut })).toBe('up/best');
    // a task beside the conversation is none of its turns
    expect(await chatted([{ role: 'user', content: 'Write a title' }], {})).toBe('up/best');
  });

  it('of model selection is known by previous_session, in completions too', async () => {
    const chosen = textAt(
      (await client.select({ llm_providers: [{ name: 'up/near' }, { name: 'up/far' }] })).json,
      'session_id',
    );
    const second = await client.select({ previous_session: chosen }, '?explain=true');
    expect(second.json).toMatchObject({
      llm_label: 'up/near',
      reason:
        'stays with the model of this conversation, predicted quality 0.88, that of up/best is 0.9',
    });
    expect(await client.selected({ previous_session: textAt(second.json, 'session_id') })).toBe(
      'up/near',
    );
    expect(await client.completed({ previous_session: chosen })).toBe('near');
    expect(await client.chatted({ previous_session: chosen })).toBe('up/near');
    expect(await client.selected({})).toBe('up/best');
  });

  it('has what its provider has read before counted at the price of cached input', async () => {
    const long = [{ role: 'user', content: 'One two three four five. '.repeat(2_000) }];
    const entries = [{ provider: 'openai', model: 'gpt-4o' }, { name: 'up/best' }];
    const later = [...long, ...next.slice(1)];
    const first = await client.select({ llm_providers: entries, messages: long });
    const costOf = async (body: object): Promise<number> => {
      const { json } = await client.select(
        { llm_providers: entries, messages: later, ...body },
        '?explain=true',
      );
      return (json as { candidates: { label: string; cost: number }[] }).candidates.find(
        ({ label }) => label === 'openai/gpt-4o',
      )!.cost;
    };
    const alone = await client.select({
      llm_providers: entries.slice(0, 1),
      messages: long,
      previous_session: textAt(first.json, 'session_id'),
    });
    expect(await costOf({ previous_session: textAt(alone.json, 'session_id') })).toBeLessThan(
      0.65 * (await costOf({})),
    );
  });

  it('keeps away from a request whose ids are no texts', async () => {
    expect(
      (
        await post(
          `${gateway.url}/v1/chat/completions`,
          { model: 'auto', models: both, messages: next, conversationId: 7 },
          headers,
        )
      ).status,
    ).toBe(200);
  });
});

describe('with affinity 0', () => {
  it('a conversation has the best model each time', async () => {
    const gateway = await startGateway(configured({ routing: { affinity: 0 } }));
    const client = callers(gateway);
    expect(await client.completed({ conversationId: await begun(client) })).toBe('best');
    await gateway.close();
  });
});

describe('where nothing is stored', () => {
  it('a conversation stays with its model all the same', async () => {
    const gateway = await startGateway(configured({ conversations: { store: false } }));
    const client = callers(gateway);
    expect(await client.completed({ conversationId: await begun(client) })).toBe('near');
    await gateway.close();
  });
});

describe.each(databases)('on %s', (_name, make) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await make();
  });
  afterAll(() => database.drop());

  it('a conversation stays with its model on another gateway, or after a restart', async () => {
    const first = await startGateway(configured({ database: { url: database.url } }));
    const conversationId = await begun(callers(first));
    await first.close();
    const second = await startGateway(configured({ database: { url: database.url } }));
    expect(await callers(second).completed({ conversationId })).toBe('near');
    expect(await callers(second).completed({ conversationId, models: ['up/far'] })).toBe('far');
    expect(await callers(second).completed({ conversationId })).toBe('best');
    await second.close();
  });
});

describe.each(expressRows)("a stage in a host's route, in %s", (_version, express) => {
  it('stays with the model too', async () => {
    const gateway = await startGateway(configured());
    const host = await startHost(
      express()
        .post('/complete', gateway.gateway.authenticate, gateway.gateway.complete)
        .post(
          '/both',
          gateway.gateway.authenticate,
          gateway.gateway.selectModel,
          gateway.gateway.complete,
        ),
    );
    const asked = async (path: string, body: object): Promise<Reply> =>
      post(`${host.url}${path}`, { messages: next, models: both, ...body }, headers);
    const conversationId = textAt(
      (await asked('/both', { messages: opening, models: ['up/near'] })).json,
      'conversationId',
    );
    for (const path of ['/complete', '/both'])
      expect(textAt((await asked(path, { conversationId })).json, 'model')).toBe('near');
    expect(textAt((await asked('/both', {})).json, 'model')).toBe('best');
    await host.close();
    await gateway.close();
  });
});
