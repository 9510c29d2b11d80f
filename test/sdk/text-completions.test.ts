import OpenAI, { BadRequestError } from 'openai';
import type { Completion, CompletionCreateParamsNonStreaming } from 'openai/resources/completions';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { listAt } from '../helpers/json.js';
import { modelRows, type SdkGateway, startSdkGateway } from '../helpers/sdk-gateway.js';
import { ask, post } from '../helpers/sse.js';

let gateway: SdkGateway;
let client: OpenAI;
beforeEach(async () => {
  gateway = await startSdkGateway();
  client = new OpenAI({ apiKey: gateway.key, baseURL: gateway.baseURL, maxRetries: 0 });
});
afterEach(() => gateway.close());

const compatible = 'compatible/gpt-test';
const prompt = 'Once upon a time';

async function streamed(more: { model: string; [field: string]: unknown }): Promise<Completion[]> {
  const chunks: Completion[] = [];
  for await (const chunk of await client.completions.create({ ...more, prompt, stream: true })) {
    expectConforms('text-completions.chunk', chunk);
    chunks.push(chunk);
  }
  return chunks;
}

describe.each(modelRows)(
  'client.completions of the openai SDK, with %s behind the gateway,',
  (_name, model) => {
    it('gets text, finish reason and usage', async () => {
      gateway.upstream.script([
        { text: ['Grüß', ' Gott'], finish: 'length', usage: { prompt: 4, completion: 3 } },
      ]);
      const completion = await client.completions.create({
        model,
        prompt,
        max_tokens: 3,
        stop: ['.'],
      });
      expectConforms('text-completions.response', completion);
      expect(completion).toMatchObject({
        object: 'text_completion',
        choices: [{ index: 0, text: 'Grüß Gott', logprobs: null, finish_reason: 'length' }],
        usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 },
      });
      expect(completion.id).toMatch(/^cmpl-/);
      expect(completion.created).toBeGreaterThan(1_600_000_000);
    });

    it('gets the same streamed, with the usage that it asked for', async () => {
      gateway.upstream.script([{ text: ['Grüß', ' "Gott"'], usage: { prompt: 4, completion: 3 } }]);
      const chunks = await streamed({ model, stream_options: { include_usage: true } });
      expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe('Grüß "Gott"');
      const reasons = chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []);
      expect(reasons).toEqual(['stop']);
      expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`)).size).toBe(1);
      expect(chunks.at(-1)).toMatchObject({
        choices: [],
        usage: { prompt_tokens: 4, total_tokens: 7 },
      });
      expect((await streamed({ model })).every(({ usage }) => usage === undefined)).toBe(true);
    });
  },
);

describe('a text completion', () => {
  it('reaches the provider as one message of a user, with the other fields as they are', async () => {
    const more = { temperature: 0.5, max_tokens: 7, frequency_penalty: 1, seed: 1, user: 'u' };
    const nothing = { suffix: '', echo: false, best_of: 1 };
    for (const text of [prompt, [prompt]])
      await client.completions.create({ model: compatible, prompt: text, ...more, ...nothing });
    const body = { model: 'gpt-test', messages: [{ role: 'user', content: prompt }], ...more };
    expect(gateway.upstream.requests.map((call) => call.body)).toEqual([body, body]);
  });

  it.each([
    ['several prompts', { prompt: ['a', 'b'] }, 'prompt', /a request of its own/],
    ['a prompt of tokens', { prompt: [1, 2, 3] }, 'prompt', /text in place of tokens/],
    ['a prompt of one token', { prompt: [1] }, 'prompt[0]', /tokens are not supported/],
    ['prompts of tokens', { prompt: [[1, 2]] }, 'prompt[0]', /tokens are not supported/],
    ['a suffix', { suffix: 'The end.' }, 'suffix', /fills no gaps/],
    ['an echo', { echo: true }, 'echo', /do not repeat the prompt/],
    ['the best of several', { best_of: 2 }, 'best_of', /n asks for several/],
    ['messages', { messages: [] }, 'messages', /chat\/completions/],
    ['tools', { tools: [] }, 'tools', /chat\/completions/],
  ])('with %s is a 400 that says what to do', async (_what, more, param, reason) => {
    const body = { model: compatible, prompt, ...more } as CompletionCreateParamsNonStreaming;
    const error: unknown = await client.completions.create(body).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param, message: expect.stringMatching(reason) as string });
    expect(gateway.upstream.requests).toEqual([]);
  });

  it('asks for several answers with n', async () => {
    const body = {
      ...{ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-test' },
      choices: ['one', 'two'].map((content, index) => ({
        index,
        message: { role: 'assistant', content },
        finish_reason: 'stop',
      })),
    };
    gateway.upstream.script([
      { raw: Buffer.from(JSON.stringify(body)), contentType: 'application/json' },
    ]);
    const { choices } = await client.completions.create({ model: compatible, prompt, n: 2 });
    expect(choices.map(({ index, text }) => [index, text])).toEqual([
      [0, 'one'],
      [1, 'two'],
    ]);
    expect(gateway.upstream.requests[0]?.body).toMatchObject({ n: 2 });
  });

  it('lists the probabilities of tokens in the older shape, streamed too', async () => {
    const token = (text: string, logprob: number): object => ({
      ...{ token: text, logprob, bytes: null },
      top_logprobs: [{ token: text, logprob, bytes: null }],
    });
    const head = { id: 'c', created: 1, model: 'gpt-test' };
    const whole = {
      ...head,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hi all' },
          logprobs: { content: [token('Hi', -0.5), token(' all', -1)] },
          finish_reason: 'stop',
        },
      ],
    };
    const chunks = [['Hi', -0.5] as const, [' all', -1] as const].map(([text, logprob]) => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [
        {
          index: 0,
          delta: { content: text },
          logprobs: { content: [token(text, logprob)] },
          finish_reason: null,
        },
      ],
    }));
    const last = {
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    };
    gateway.upstream.script([
      { raw: Buffer.from(JSON.stringify(whole)), contentType: 'application/json' },
      {
        raw: Buffer.from(
          [...chunks, last].map((one) => `data: ${JSON.stringify(one)}\n\n`).join('') +
            'data: [DONE]\n\n',
        ),
        contentType: 'text/event-stream',
      },
    ]);
    const asked = { model: compatible, prompt, logprobs: 1 };
    expect((await client.completions.create(asked)).choices[0]?.logprobs).toEqual({
      tokens: ['Hi', ' all'],
      token_logprobs: [-0.5, -1],
      top_logprobs: [{ Hi: -0.5 }, { ' all': -1 }],
      text_offset: [0, 2],
    });
    expect(gateway.upstream.requests[0]?.body).toMatchObject({ logprobs: true, top_logprobs: 1 });
    const logprobs = (await streamed(asked)).map(({ choices }) => choices[0]?.logprobs ?? null);
    expect(logprobs).toEqual([
      { tokens: ['Hi'], token_logprobs: [-0.5], top_logprobs: [{ Hi: -0.5 }], text_offset: [0] },
      { tokens: [' all'], token_logprobs: [-1], top_logprobs: [{ ' all': -1 }], text_offset: [2] },
      null,
    ]);
  });

  it('is routed, falls back, counts against budgets and is logged as a chat is', async () => {
    gateway.upstream.script([{ status: 500 }, {}]);
    const fallback_models = ['google/gemini-2.5-flash'];
    const body = { model: compatible, prompt, fallback_models };
    const reply = await post(`${gateway.baseURL}/completions`, body, gateway.auth);
    expect(reply.headers['x-signalbox-model']).toBe('google/gemini-2.5-flash');
    const auto = await post(
      `${gateway.baseURL}/completions`,
      { model: 'auto', prompt },
      gateway.auth,
    );
    expect(auto.headers['x-signalbox-routing']).toBeDefined();
    const logged = await ask(
      'GET',
      `${gateway.url}/api/v1/requests?surface=text_completions`,
      gateway.auth,
    );
    expect(listAt(logged.json, 'items')).toMatchObject([
      { surface: 'text_completions', status: 200 },
      { surface: 'text_completions', status: 200, model: 'gemini-2.5-flash' },
    ]);
  });

  it('that breaks off ends in an error in place of an end', async () => {
    gateway.upstream.script([{ reset: 'afterContent' }]);
    const error: unknown = await streamed({ model: compatible }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.APIError);
  });
});
