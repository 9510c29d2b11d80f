import { ChatOpenAI, type ChatOpenAIFields, OpenAIEmbeddings } from '@langchain/openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  modelRows,
  picture,
  type SdkGateway,
  startSdkGateway,
  tooLong,
} from '../helpers/sdk-gateway.js';

let gateway: SdkGateway;
beforeEach(async () => {
  gateway = await startSdkGateway();
});
afterEach(() => gateway.close());

const chat = (model: string, fields: ChatOpenAIFields = {}): ChatOpenAI =>
  new ChatOpenAI({
    model,
    apiKey: gateway.key,
    configuration: { baseURL: gateway.baseURL },
    maxRetries: 0,
    ...fields,
  });

const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

const raised = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

describe.each(modelRows)("LangChain's ChatOpenAI, with %s behind the gateway,", (_name, model) => {
  it('invokes: text, finish reason and usage', async () => {
    gateway.upstream.script([
      { text: ['Grüß', ' Gott'], usage: { prompt: 12, completion: 7, cached: 4 } },
    ]);
    const message = await chat(model).invoke([
      ['system', 'Be brief.'],
      ['human', 'Say hello'],
    ]);
    expect(message.content).toBe('Grüß Gott');
    expect(message.response_metadata).toMatchObject({ finish_reason: 'stop' });
    expect(message.usage_metadata).toMatchObject({
      input_tokens: 12,
      output_tokens: 7,
      total_tokens: 19,
      input_token_details: { cache_read: 4 },
    });
  });

  it('streams: text, finish reason and usage, once each', async () => {
    gateway.upstream.script([{ text: ['Grüß', ' Gott'], usage: { prompt: 12, completion: 7 } }]);
    const stream = await chat(model).stream('Say hello');
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    const whole = chunks.reduce((before, chunk) => before.concat(chunk));
    expect(whole.content).toBe('Grüß Gott');
    expect(whole.response_metadata).toMatchObject({ finish_reason: 'stop' });
    expect(whole.usage_metadata).toMatchObject({
      input_tokens: 12,
      output_tokens: 7,
      total_tokens: 19,
    });
    expect(new Set(chunks.flatMap(({ id }) => id ?? []))).toHaveLength(1);
  });

  it('calls tools and takes their results, whole and streamed', async () => {
    gateway.upstream.script([
      { toolCalls: [{ name: 'weather', arguments: { city: 'Bern' } }] },
      { toolCalls: [{ name: 'weather', arguments: { city: 'Bern' } }] },
      { text: ['Rain.'] },
    ]);
    const able = chat(model).bindTools([weather]);
    const asked = await able.invoke('How is Bern?');
    expect(asked.tool_calls).toMatchObject([{ name: 'weather', args: { city: 'Bern' } }]);
    expect(asked.response_metadata).toMatchObject({ finish_reason: 'tool_calls' });
    const chunks = [];
    for await (const chunk of await able.stream('How is Bern?')) chunks.push(chunk);
    const whole = chunks.reduce((before, chunk) => before.concat(chunk));
    expect(whole.tool_calls).toMatchObject([{ name: 'weather', args: { city: 'Bern' } }]);
    const answer = await able.invoke([
      { role: 'user', content: 'How is Bern?' },
      asked,
      { role: 'tool', content: 'rain, 7 degrees', tool_call_id: asked.tool_calls?.[0]?.id ?? '' },
    ]);
    expect(answer.content).toBe('Rain.');
    expect(gateway.upstream.requests[2]?.raw.toString()).toContain('rain, 7 degrees');
  });

  it('sends a picture and asks for an object of a schema', async () => {
    gateway.upstream.script([{ text: ['{"city":"Bern"}'] }]);
    const schema = {
      title: 'place',
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const seer = chat(model).withStructuredOutput(schema, { method: 'jsonSchema' });
    expect(
      await seer.invoke([
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Where is this?' },
            { type: 'image_url', image_url: { url: picture } },
          ],
        },
      ]),
    ).toEqual({ city: 'Bern' });
    expect(gateway.upstream.requests[0]?.raw.toString()).toContain(
      picture.slice(picture.indexOf(',') + 1),
    );
  });

  it('raises what the gateway answers and does not repeat what has been repeated', async () => {
    gateway.upstream.script([{ status: 400 }, { status: 503 }]);
    expect(await raised(chat(model).invoke('Hi'))).toMatchObject({ status: 400 });
    expect(await raised(chat(model).invoke('Hi'))).toMatchObject({ status: 503 });
    expect(gateway.upstream.requests).toHaveLength(2);
  });

  it('raises ContextOverflowError, which summarising agents wait for, and its codes for a limit and a missing model', async () => {
    gateway.upstream.script([
      { status: 400, body: tooLong[model] },
      { status: 429, headers: { 'retry-after': '60' } },
      { status: 404 },
    ]);
    expect(await raised(chat(model).invoke('Hi'))).toMatchObject({
      name: 'ContextOverflowError',
    });
    expect(await raised(chat(model).invoke('Hi'))).toMatchObject({
      status: 429,
      lc_error_code: 'MODEL_RATE_LIMIT',
    });
    expect(await raised(chat(model).invoke('Hi'))).toMatchObject({
      status: 404,
      lc_error_code: 'MODEL_NOT_FOUND',
    });
  });

  it('raises the code of a content filter that refuses the prompt', async () => {
    const error = { message: 'filtered', type: null, param: 'prompt', code: 'content_filter' };
    gateway.upstream.script([{ status: 400, body: { error } }]);
    expect(await raised(chat('compatible/gpt-test').invoke('Hi'))).toMatchObject({
      status: 400,
      code: 'content_filter',
    });
  });

  it('raises in the middle of a stream that breaks off', async () => {
    gateway.upstream.script([{ reset: 'afterContent' }]);
    let text = '';
    const error = await raised(
      (async () => {
        for await (const chunk of await chat(model).stream('Hi')) text += chunk.text;
      })(),
    );
    expect(text).toBe('Hel');
    expect(error).toBeInstanceOf(Error);
  });

  it('cancels the upstream call when it aborts', async () => {
    gateway.upstream.script([{ hang: 'afterContent' }]);
    const leaving = new AbortController();
    await raised(
      (async () => {
        for await (const chunk of await chat(model).stream('Hi', { signal: leaving.signal }))
          if (chunk.content) leaving.abort();
      })(),
    );
    await gateway.upstream.closed(0);
  });
});

describe('LangChain', () => {
  it("leaves the choice to the gateway, from a list in the model's own arguments", async () => {
    const message = await chat('auto', {
      modelKwargs: { models: ['compatible/gpt-test', 'google/gemini-2.5-flash'] },
    }).invoke('Hi');
    expect(message.content).toBe('Hello');
    expect(gateway.upstream.requests[0]?.path).toContain('gemini-2.5-flash');
    expect((await chat('auto').invoke('Hi')).content).toBe('Hello');
    expect(gateway.upstream.requests[1]?.path).toBe('/v1/messages');
  });

  it('raises a wrong key as such', async () => {
    expect(await raised(chat('auto', { apiKey: 'sk_wrong' }).invoke('Hi'))).toMatchObject({
      status: 401,
      lc_error_code: 'MODEL_AUTHENTICATION',
    });
  });

  it('embeds', async () => {
    const embeddings = new OpenAIEmbeddings({
      model: 'compatible/embed',
      apiKey: gateway.key,
      configuration: { baseURL: gateway.baseURL },
    });
    expect(await embeddings.embedDocuments(['a', 'b'])).toEqual([
      [0.25, -0.5, 0],
      [0.25, -0.5, 1],
    ]);
  });
});
