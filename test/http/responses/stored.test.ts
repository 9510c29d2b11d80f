import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryCounters } from '../../../src/store/counters/memory/memory-counters.js';
import { LazyDatabases } from '../../../src/store/lazy-databases.js';
import { at, listAt, textAt } from '../../helpers/json.js';
import {
  chatModel,
  everyModel,
  finalOf,
  ownModel,
  outputOf,
  type ResponsesWorld,
  startResponses,
} from '../../helpers/responses.js';
import { ask, post, type Reply } from '../../helpers/sse.js';
import { storeRowsOfRun } from '../../helpers/stores.js';

const keys = [
  { name: 'one', key: 'sk_one_0123456789abcdef' },
  { name: 'two', key: 'sk_two_0123456789abcdef' },
];
let world: ResponsesWorld;
beforeAll(async () => {
  world = await startResponses({ auth: { keys } });
});
afterAll(() => world.close());
beforeEach(() => {
  world.upstream.script([]);
  world.upstream.requests.length = 0;
});

const of = (id: string, rest = '', method = 'GET', key = keys[0]!.key): Promise<Reply> =>
  ask(method, `${world.url}/v1/responses/${id}${rest}`, { authorization: `Bearer ${key}` });

describe.each(everyModel)('a response of %s', (model) => {
  it.each([
    [true, 'whole'],
    [false, 'whole'],
    [true, 'streamed'],
    [false, 'streamed'],
  ])('is in the request log by the gateway’s id for it (store: %s, %s)', async (store, way) => {
    const body = { model, input: 'Say hello', store };
    const response =
      way === 'whole' ? (await world.ask(body)).json : finalOf(await world.stream(body));
    const logged = await ask('GET', `${world.url}/api/v1/requests?limit=1`, world.auth);
    // that of a provider which is passed on unchanged is not the gateway’s
    const isOwn = store || model !== ownModel;
    const id = textAt(response, 'id');
    expect(id === 'resp_test').toBe(!isOwn);
    expect(at(listAt(logged.json, 'items')[0], 'responseId')).toBe(isOwn ? id : null);
  });

  it.each(['whole', 'streamed'])('that was %s is stored and found by its id', async (way) => {
    const body = { model, input: 'Say hello' };
    const response =
      way === 'whole' ? (await world.ask(body)).json : finalOf(await world.stream(body));
    expect(response).toMatchObject({ store: true, previous_response_id: null });
    expect(await of(textAt(response, 'id'))).toMatchObject({ status: 200, json: response });
  });

  it('is continued by its id, with all that was said', async () => {
    world.upstream.script([{ text: ['One'] }]);
    const first = await world.ask({ model, instructions: 'Count', input: 'Begin' });
    world.upstream.script([{ text: ['Two'] }]);
    const previous_response_id = textAt(first.json, 'id');
    const second = await world.stream({ model, input: 'Next', previous_response_id });
    const response = finalOf(second);
    expect(response).toMatchObject({ previous_response_id });
    for (const event of second.events.slice(0, 1))
      expect(at(event, 'response', 'id')).toBe(at(response, 'id'));
    world.upstream.script([]);
    await world.ask({ model, input: 'More', previous_response_id: at(response, 'id') });
    const sent = JSON.stringify(world.sent());
    const places = ['Begin', 'One', 'Next', 'Two', 'More'].map((text) => sent.indexOf(`"${text}"`));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(sent).not.toContain('Count');
    expect(sent).not.toContain('previous_response_id');
  });
});

describe('what is stored', () => {
  it('has its own items of input, which are listed', async () => {
    const input = ['a', 'b', 'c'].map((content) => ({ role: 'user', content }));
    const message = (text: string): object => ({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text }],
    });
    const { json } = await world.ask({ input });
    const listed = await of(textAt(json, 'id'), '/input_items?limit=2');
    expect(listed.json).toMatchObject({
      object: 'list',
      data: [message('c'), message('b')],
      has_more: true,
    });
    const after = textAt(listed.json, 'last_id');
    const rest = await of(textAt(json, 'id'), `/input_items?after=${after}`);
    expect(rest.json).toMatchObject({ data: [message('a')], has_more: false });
    const ascending = await of(textAt(json, 'id'), '/input_items?order=asc');
    expect(listAt(ascending.json, 'data')[0]).toMatchObject(message('a'));
  });

  it.each(['limit=abc', 'limit=0', 'limit=101', 'limit=1&limit=2', 'order=up'])(
    'lists no input for %s',
    async (query) => {
      const { json } = await world.ask({ input: 'Hi' });
      expect(await of(textAt(json, 'id'), `/input_items?${query}`)).toMatchObject({
        status: 400,
        json: { error: { param: query.split('=')[0] } },
      });
    },
  );

  it('is deleted once, and is then unknown', async () => {
    const { json } = await world.ask({ input: 'Hi' });
    const id = textAt(json, 'id');
    expect(await of(id, '', 'DELETE')).toMatchObject({
      status: 200,
      json: { id, object: 'response', deleted: true },
    });
    expect((await of(id, '', 'DELETE')).status).toBe(404);
    expect((await of(id)).status).toBe(404);
  });

  it('belongs to its account alone', async () => {
    const { json } = await world.ask({ input: 'Hi' });
    const id = textAt(json, 'id');
    for (const [rest, method] of [
      ['', 'GET'],
      ['', 'DELETE'],
      ['/input_items', 'GET'],
    ] as const)
      expect((await of(id, rest, method, keys[1]!.key)).status).toBe(404);
    const other = await post(
      `${world.url}/v1/responses`,
      { model: chatModel, input: 'Hi', previous_response_id: id },
      { authorization: `Bearer ${keys[1]!.key}` },
    );
    expect(other).toMatchObject({
      status: 400,
      json: { error: { code: 'previous_response_not_found', param: 'previous_response_id' } },
    });
    expect((await of(id)).status).toBe(200);
  });

  it('may be referred to by its items', async () => {
    world.upstream.script([{ toolCalls: [{ id: 'call_1', name: 'f', arguments: { a: 1 } }] }]);
    const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }];
    const { json } = await world.ask({ input: 'Hi', tools });
    const [call] = outputOf(json);
    world.upstream.script([]);
    await world.ask({
      tools,
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'item_reference', id: at(call, 'id') },
        { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
      ],
    });
    expect(listAt(world.sent(), 'messages')).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'call_1', function: { arguments: '{"a":1}' } }] },
      { role: 'tool', content: 'ok' },
    ]);
    const unknown = [{ type: 'item_reference', id: 'msg_none' }];
    expect(await world.ask({ input: unknown })).toMatchObject({
      status: 400,
      json: { error: { param: 'input[0]' } },
    });
  });

  it('may be referred to by each of its items once', async () => {
    const { json } = await world.ask({ input: 'Hi' });
    const item = { type: 'item_reference', id: at(outputOf(json)[0], 'id') };
    const refused = { status: 400, json: { error: { param: 'input' } } };
    expect(await world.ask({ input: [item, item] })).toMatchObject(refused);
    const counting = { model: chatModel, input: Array.from({ length: 1_000 }, () => item) };
    const url = `${world.url}/v1/responses/input_tokens`;
    expect(await post(url, counting, world.auth)).toMatchObject(refused);
  });

  it('is nothing where the request says so', async () => {
    const { json } = await world.ask({ input: 'Hi', store: false });
    expect(json).toMatchObject({ store: false });
    expect((await of(textAt(json, 'id'))).status).toBe(404);
  });

  it('is nothing where the configuration keeps no content', async () => {
    const other = await startResponses({ conversations: { store: false } });
    const { json } = await other.ask({ input: 'Hi' });
    expect(json).toMatchObject({ store: false });
    await other.close();
  });

  it('counts with all that it continues as the body of the next request, which has bounds', async () => {
    const limits = { maxBodyBytes: 30_000, maxJsonValues: 1_000 };
    const small = await startResponses({ limits: { maxRetries: 0, ...limits } });
    const begin = async (input: unknown, previous_response_id?: string): Promise<string> =>
      textAt((await small.ask({ input, previous_response_id })).json, 'id');
    const next = (previous_response_id: string): Promise<Reply> =>
      small.ask({ input: 'Next', previous_response_id });
    const long = await begin('y'.repeat(12_000), await begin('x'.repeat(12_000)));
    const [called] = small.upstream.requests.slice(-1);
    expect(called?.raw.length).toBeGreaterThan(24_000);
    expect((await next(await begin('z'.repeat(12_000), long))).status).toBe(413);
    const turns = Array.from({ length: 200 }, () => ({ role: 'user', content: 'Hi' }));
    const many = await next(await begin(turns, await begin(turns)));
    expect(many).toMatchObject({ status: 400, json: { error: { param: 'body' } } });
    await small.close();
  });

  it('counts among the bytes in progress with all that it continues', async () => {
    const limits = { maxRetries: 0, maxAccountBytesInProgress: 1_048_576 };
    const small = await startResponses({ limits });
    const { json } = await small.ask({ input: 'x'.repeat(700_000) });
    const next = { input: 'Next', previous_response_id: at(json, 'id') };
    small.upstream.script([{ hang: 'beforeHeaders' }]);
    const leaving = new AbortController();
    const waiting = fetch(`${small.url}/v1/responses`, {
      method: 'POST',
      headers: { ...small.auth, 'content-type': 'application/json' },
      body: JSON.stringify({ model: chatModel, ...next }),
      signal: leaving.signal,
    }).catch(() => null);
    await small.upstream.received(small.upstream.requests.length);
    expect((await small.ask(next)).status).toBe(429);
    leaving.abort();
    await waiting;
    await small.close();
  });

  it('is counted, and refused where the account has no room', async () => {
    const small = await startResponses({ conversations: { maxBytesPerAccount: 1_048_576 } });
    const stored: number[] = [];
    for (let i = 0; i < 5; i++) {
      const { json } = await small.ask({ input: 'x'.repeat(300_000) });
      const { status } = await ask(
        'GET',
        `${small.url}/v1/responses/${textAt(json, 'id')}`,
        small.auth,
      );
      stored.push(status);
    }
    expect(stored[0]).toBe(200);
    expect(stored.at(-1)).toBe(404);
    await small.close();
  });
});

describe.each(storeRowsOfRun)('two replicas on one database of $name', (row) => {
  it('find, continue and delete what the other one stored', async () => {
    const place = await row.place();
    const replica = async (): Promise<ResponsesWorld> => {
      const store = await place.open();
      const counters = createMemoryCounters();
      const databases = new LazyDatabases(() => Promise.resolve({ store, counters }), false);
      return startResponses({ auth: { keys } }, { databases });
    };
    const [one, other] = [await replica(), await replica()];
    const reach = (method: string, id: string, rest = ''): Promise<Reply> =>
      ask(method, `${other.url}/v1/responses/${id}${rest}`, other.auth);
    one.upstream.script([{ text: ['Blue'] }]);
    const { json } = await one.ask({ input: 'My colour' });
    const id = textAt(json, 'id');
    expect(await reach('GET', id)).toMatchObject({ status: 200, json });
    expect(listAt((await reach('GET', id, '/input_items')).json, 'data')).toHaveLength(1);
    const next = finalOf(await other.stream({ input: 'Which?', previous_response_id: id }));
    expect(other.sent()['messages']).toMatchObject(
      ['My colour', 'Blue', 'Which?'].map((content) => ({ content })),
    );
    const again = await one.ask({ input: 'And?', previous_response_id: textAt(next, 'id') });
    expect(again.status).toBe(200);
    expect(listAt(one.sent(), 'messages')).toHaveLength(5);
    expect((await reach('DELETE', id)).status).toBe(200);
    expect(await one.ask({ input: 'More', previous_response_id: id })).toMatchObject({
      status: 400,
      json: { error: { code: 'previous_response_not_found' } },
    });
    await Promise.all([one.close(), other.close()]);
    await place.remove();
  });
});

describe('requests about responses', () => {
  it('count the tokens of an input without calling a model', async () => {
    const { status, json } = await post(
      `${world.url}/v1/responses/input_tokens`,
      { model: ownModel, input: 'How many tokens is this?', instructions: 'Count' },
      world.auth,
    );
    expect(status).toBe(200);
    expect(json).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) });
    expect(Number(at(json, 'input_tokens'))).toBeGreaterThan(4);
    expect(world.upstream.requests).toHaveLength(0);
  });

  it('cannot cancel what ends with its connection', async () => {
    expect(await of('resp_1', '/cancel', 'POST')).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringContaining('close the connection') } },
    });
  });

  it('need a key, and the right method', async () => {
    expect((await ask('GET', `${world.url}/v1/responses/resp_1`)).status).toBe(401);
    expect((await of('resp_1', '', 'PUT')).status).toBe(405);
    expect((await of('resp_1', '/input_items', 'POST')).status).toBe(405);
  });
});
