import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type DialectGateway,
  dialectModels,
  dialectRows,
  startDialectGateway,
} from '../helpers/dialect-gateway.js';
import { listAt } from '../helpers/json.js';
import { picture } from '../helpers/sdk-gateway.js';

let gateway: DialectGateway;
beforeEach(async () => {
  gateway = await startDialectGateway();
});
afterEach(() => gateway.close());

const client = (path = '', apiKey = gateway.key): Anthropic =>
  new Anthropic({ apiKey, baseURL: `${gateway.url}${path}`, maxRetries: 0 });

const question = { max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] };
const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather in a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const raised = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => null,
    (error: unknown) => error,
  );

describe.each(dialectRows)("Anthropic's SDK, with %s behind the gateway,", (name, model) => {
  it('creates a message: text, stop reason and usage', async () => {
    gateway.upstream.script([
      { text: ['Grüß', ' Gott'], usage: { prompt: 12, completion: 7, cached: 4 } },
    ]);
    const { data, request_id: requestId } = await client()
      .messages.create({ ...question, model, system: 'Be brief.' })
      .withResponse();
    expect(data).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Grüß Gott' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 8, cache_read_input_tokens: 4, output_tokens: 7 },
    });
    expect(data.id).toMatch(/^msg_/);
    expect(requestId).toBeTruthy();
  });

  it('streams: the events in their order, and the message that they make', async () => {
    gateway.upstream.script([{ text: ['Grüß', ' Gott'], usage: { prompt: 12, completion: 7 } }]);
    const types: string[] = [];
    const stream = client().messages.stream({ ...question, model });
    stream.on('streamEvent', ({ type }) => types.push(type));
    const message = await stream.finalMessage();
    expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(message).toMatchObject({
      content: [{ type: 'text', text: 'Grüß Gott' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 12, output_tokens: 7 },
    });
  });

  it('states about how long the prompt is before the answer begins', async () => {
    const stream = await client().messages.create({ ...question, model, stream: true });
    const events: Anthropic.RawMessageStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    const [start] = events;
    expect(start).toMatchObject({ type: 'message_start', message: { content: [] } });
    const { message } = start as Anthropic.RawMessageStartEvent;
    expect(message.usage.input_tokens).toBeGreaterThan(0);
  });

  it.each(['whole', 'streamed'])('calls tools and takes their results, %s', async (way) => {
    gateway.upstream.script([
      {
        text: ['Let me see.'],
        toolCalls: [
          { id: 'toolu_1', name: 'weather', arguments: { city: 'Bern' } },
          { id: 'toolu_2', name: 'weather', arguments: { city: 'Wien' } },
        ],
      },
      { text: ['Rain.'] },
    ]);
    const asked = { ...question, model, tools: [weather] };
    const ask = (params: Anthropic.MessageCreateParamsNonStreaming): Promise<Anthropic.Message> =>
      way === 'whole'
        ? client().messages.create(params)
        : client().messages.stream(params).finalMessage();
    const first = await ask(asked);
    expect(first.stop_reason).toBe('tool_use');
    const [text, ...calls] = first.content;
    expect(text).toMatchObject({ type: 'text', text: 'Let me see.' });
    expect(calls).toMatchObject([
      { type: 'tool_use', name: 'weather', input: { city: 'Bern' } },
      { type: 'tool_use', name: 'weather', input: { city: 'Wien' } },
    ]);
    const results = calls.map((call, index) => ({
      type: 'tool_result' as const,
      tool_use_id: (call as Anthropic.ToolUseBlock).id,
      content: `result ${index}`,
      is_error: index === 1,
    }));
    const second = await ask({
      ...asked,
      messages: [
        ...question.messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: results },
      ],
    });
    expect(second.content).toMatchObject([{ type: 'text', text: 'Rain.' }]);
    const sent = gateway.upstream.requests[1]?.raw.toString() ?? '';
    expect(sent.indexOf('result 0')).toBeGreaterThan(0);
    expect(sent.indexOf('result 1')).toBeGreaterThan(sent.indexOf('result 0'));
  });

  it.each(['whole', 'streamed'])('thinks, and gets its thinking back, %s', async (way) => {
    gateway.upstream.script([
      {
        reasoning: ['I ', 'think.'],
        toolCalls: [{ id: 'toolu_1', name: 'weather', arguments: {} }],
      },
      {},
    ]);
    const params = {
      ...question,
      max_tokens: 4000,
      model,
      tools: [weather],
      thinking: { type: 'enabled' as const, budget_tokens: 2000 },
    };
    const answer =
      way === 'whole'
        ? await client().messages.create(params)
        : await client().messages.stream(params).finalMessage();
    const [thinking, call] = answer.content;
    expect(thinking).toMatchObject({ type: 'thinking', thinking: 'I think.' });
    expect((thinking as Anthropic.ThinkingBlock).signature).not.toBe('');
    expect(call).toMatchObject({ type: 'tool_use', name: 'weather' });
    await client().messages.create({
      ...params,
      messages: [
        ...question.messages,
        { role: 'assistant', content: answer.content },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: (call as Anthropic.ToolUseBlock).id }],
        },
      ],
    });
    const sent = JSON.stringify(gateway.upstream.requests[1]?.body);
    expect(sent).not.toContain('sbx1.');
    if (name !== 'Gemini' && name !== 'Responses') expect(sent).toContain('I think.');
  });

  it('sends a picture and a document', async () => {
    const data = picture.slice(picture.indexOf(',') + 1);
    await client().messages.create({
      ...question,
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Notes' } },
            {
              type: 'document',
              title: 'a.pdf',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
            },
            { type: 'text', text: 'What is this?' },
          ],
        },
      ],
    });
    const sent = gateway.upstream.requests[0]?.raw.toString() ?? '';
    for (const part of [data, 'Notes', 'JVBERi0=', 'What is this?']) expect(sent).toContain(part);
  });

  it.each([false, true])('runs tools itself until the answer, stream: %s', async (stream) => {
    gateway.upstream.script([
      { reasoning: ['Hm'], toolCalls: [{ id: 'toolu_1', name: 'weather', arguments: {} }] },
      { text: ['It is ', 'raining'] },
    ]);
    const run = (): string => {
      throw new Error('no such city');
    };
    const tool = { ...weather, run, parse: (input: unknown) => input };
    const params = { ...question, model, tools: [tool] };
    const runner = client().beta.messages.toolRunner({ ...params, stream });
    const message = await runner.runUntilDone();
    expect(message).toMatchObject({
      content: [{ text: 'It is raining' }],
      stop_reason: 'end_turn',
    });
    expect(gateway.upstream.requests).toHaveLength(2);
    expect(String(gateway.upstream.requests[1]?.raw)).toMatch(/rror: no such city/);
  });

  it('raises its classes for an overload, a limit, a missing model and a refusal', async () => {
    const ask = (): Promise<unknown> => raised(client().messages.create({ ...question, model }));
    gateway.upstream.script([{ status: 503 }, { status: 429 }, { status: 404 }, { status: 400 }]);
    expect(await ask()).toMatchObject({ status: 529, type: 'overloaded_error' });
    const limited = await ask();
    expect(limited).toBeInstanceOf(Anthropic.RateLimitError);
    expect((limited as APIError).headers?.get('retry-after')).not.toBeNull();
    expect((limited as APIError).headers?.get('x-should-retry')).toBe('false');
    expect(await ask()).toBeInstanceOf(Anthropic.NotFoundError);
    expect(await ask()).toBeInstanceOf(Anthropic.BadRequestError);
  });

  it('raises in the middle of a stream that breaks off', async () => {
    gateway.upstream.script([{ reset: 'afterContent' }]);
    let text = '';
    const error = await raised(
      (async () => {
        for await (const event of client().messages.stream({ ...question, model }))
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
            text += event.delta.text;
      })(),
    );
    expect(text).toBe('Hel');
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({ error: { type: 'error', error: { type: 'api_error' } } });
  });

  it('counts tokens', async () => {
    gateway.upstream.script([
      ({ path }) =>
        path.startsWith('/v1/messages/count_tokens')
          ? { status: 200, body: { input_tokens: 42 } }
          : { status: 500 },
    ]);
    const counted = await client().messages.countTokens({ model, messages: question.messages });
    if (name === 'Anthropic') expect(counted.input_tokens).toBe(42);
    else {
      expect(counted.input_tokens).toBeGreaterThan(0);
      expect(gateway.upstream.requests).toHaveLength(0);
    }
  });
});

describe("Anthropic's SDK", () => {
  it.each(['', '/anthropic'])('works below %j', async (path) => {
    const model = dialectModels['OpenAI chat'];
    const message = await client(path).messages.create({ ...question, model });
    expect(message.content).toMatchObject([{ type: 'text', text: 'Hello' }]);
  });

  it.each(['', '/anthropic'])('lists models and reads one below %j', async (path) => {
    const { data: listed } = await client(path).models.list();
    expect(listed[0]).toEqual({
      type: 'model',
      id: 'auto',
      display_name: 'auto',
      created_at: '1970-01-01T00:00:00Z',
      lifecycle: 'active',
      ...{ capabilities: null, deprecated_at: null, line: null, retires_at: null },
      ...{ max_input_tokens: null, max_tokens: null },
    });
    expect(await client(path).models.retrieve('auto')).toEqual(listed[0]);
    expect(await raised(client(path).models.retrieve('none'))).toBeInstanceOf(
      Anthropic.NotFoundError,
    );
  });

  it('lists models in pages, forwards and backwards', async () => {
    const { models } = client();
    const { data: all } = await models.list();
    const paged = [];
    for await (const model of models.list({ limit: 2 })) paged.push(model);
    expect(paged).toEqual(all);
    const id = all[2]?.id ?? '';
    expect(await models.list({ limit: 1, after_id: id })).toMatchObject({ data: [all[3]] });
    const before = await models.list({ limit: 1, before_id: id });
    expect(before).toMatchObject({ data: [all[1]], first_id: all[1]?.id, has_more: true });
    expect((await before.getNextPage()).data).toEqual([all[0]]);
  });

  it.each([
    ['thread_unsupported_request', 400],
    ['thread_not_found', 404],
  ])('sends a thread again as a whole where the provider answers %s', async (code, status) => {
    const model = dialectModels.Anthropic;
    const details = { error_code: code, unsupported: ['model'] };
    const error = { type: 'invalid_request_error', message: 'Not this thread', details };
    gateway.upstream.script([
      { toolCalls: [{ id: 'toolu_1', name: 'weather', arguments: {} }] },
      { status, body: JSON.stringify({ type: 'error', error }) },
      { text: ['Rain'] },
    ]);
    const tool = { ...weather, run: () => 'rain', parse: (input: unknown) => input };
    const runner = client().beta.messages.toolRunner({ ...question, model, tools: [tool] });
    expect((await runner.runUntilDone()).content).toMatchObject([{ text: 'Rain' }]);
    const lengths = gateway.upstream.requests.map(({ body }) => listAt(body, 'messages').length);
    expect(lengths).toEqual([1, 1, 3]);
  });

  it('sends no thread with a key that has a budget, since its earlier turns cannot be priced', async () => {
    const keys = [{ name: 'few', key: 'sk_few', limits: { monthBudgetUsd: 5 } }];
    const model = dialectModels.Anthropic;
    const limited = await startDialectGateway({ auth: { keys } });
    const asked = new Anthropic({ apiKey: 'sk_few', baseURL: limited.url, maxRetries: 0 });
    const runner = asked.beta.messages.toolRunner({ ...question, model, tools: [] });
    expect((await runner.runUntilDone()).content).toMatchObject([{ text: 'Hello' }]);
    expect(limited.upstream.requests.map(({ body }) => body)).toEqual([
      expect.not.objectContaining({ thread: expect.anything() }),
    ]);
    await limited.close();
  });

  it('raises a wrong key as such, and is told not to repeat it', async () => {
    const error = await raised(
      client('', 'sk_wrong').messages.create({ ...question, model: 'auto' }),
    );
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
    expect((error as APIError).headers?.get('x-should-retry')).toBe('false');
  });

  it('raises an unknown model, a wrong field and a wrong method in the same shape', async () => {
    const { messages } = client();
    expect(await raised(messages.create({ ...question, model: 'none/x' }))).toMatchObject({
      error: { type: 'error', error: { type: expect.any(String) as string } },
    });
    expect(
      await raised(messages.create({ ...question, model: 'auto', max_tokens: 'many' as never })),
    ).toMatchObject({
      status: 400,
      error: {
        type: 'error',
        error: { type: 'invalid_request_error' },
        request_id: expect.any(String) as string,
      },
    });
    const wrong = await fetch(`${gateway.url}/v1/messages`, {
      headers: { 'x-api-key': gateway.key },
    });
    expect(wrong.status).toBe(405);
    expect(await wrong.json()).toMatchObject({ type: 'error' });
  });
});
