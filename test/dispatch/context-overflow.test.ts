import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import type { Step } from '../helpers/steps.js';
import { ask, expectOneCall, ways } from '../helpers/ways.js';

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays } = await startScripted((up, url) => ({
    providers: {
      up: { ...up, apiKey: 'one' },
      good: up,
      claude: { api: 'anthropic', baseUrl: url, apiKey: 'k' },
    },
  })));
});
afterAll(() => gateway.close());

const refusal = (status: number, error: object | string): Step => ({ status, body: { error } });
const stream = (...events: object[]): Step => ({
  raw: Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
  contentType: 'text/event-stream',
});

/** What servers and relays answer to a conversation that is too long, as their users report it. */
const answers: [string, string, Step][] = [
  [
    'llama.cpp',
    'up',
    refusal(500, {
      code: 500,
      message: 'the request exceeds the available context size. try increasing the context size',
      type: 'server_error',
    }),
  ],
  ['Ollama', 'up', refusal(500, 'prompt too long; exceeded max context length by 12 tokens')],
  [
    'a relay of OpenAI',
    'up',
    refusal(502, { message: "upstream: This model's maximum context length is 8192 tokens." }),
  ],
  [
    'OpenRouter, in the words of the model',
    'up',
    refusal(502, {
      message: 'Provider returned error',
      code: 502,
      metadata: { raw: '{"error":{"message":"This model\'s maximum context length is 8192."}}' },
    }),
  ],
  ['LiteLLM', 'up', refusal(500, { message: 'litellm.ContextWindowExceededError: BadRequest' })],
  ['a relay that is overloaded', 'up', refusal(503, { message: 'context window exceeded' })],
  ['a relay that takes it for a wrong key', 'up', refusal(403, { message: 'Prompt is too long' })],
  [
    'vLLM, in a stream',
    'up',
    stream({
      object: 'error',
      message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
    }),
  ],
  [
    'OpenRouter, in a stream',
    'up',
    stream({
      id: 'g',
      choices: [{ index: 0, delta: {}, finish_reason: 'error' }],
      error: { code: 502, message: "Your input exceeds the model's context window." },
    }),
  ],
  [
    'Anthropic, in a stream',
    'claude',
    stream({ type: 'error', error: { type: 'api_error', message: 'prompt is too long: 9 > 8' } }),
  ],
];

describe('a conversation that is too long for a model', () => {
  it.each(answers)('is not sent to it again, but to the next: %s', async (_name, up, step) => {
    await expectOneCall(gateway, plays, up, step);
  });

  it.each(answers)('is answered as what it is: %s', async (_name, up, step) => {
    const model = plays.newModel();
    plays.set(model, step);
    expect(await ask(gateway, ways[3]!, { models: [`${up}/${model}`] })).toMatchObject({
      status: 400,
      error: { code: 'context_length_exceeded', type: 'invalid_request_error' },
    });
    expect(plays.of(model)).toHaveLength(1);
  });

  it('is a limit of tokens a minute at times, which has never room for it', async () => {
    const [model, good] = [plays.newModel(), plays.newModel()];
    const message =
      'Request too large for m on tokens per min (TPM): Limit 30000, Requested 40000.';
    plays.set(model, refusal(429, { message, type: 'tokens', code: 'rate_limit_exceeded' }));
    const models = [`up/${model}`, `good/${good}`];
    expect(await ask(gateway, ways[3]!, { models })).toMatchObject({ ended: 'whole', model: good });
    expect(plays.of(model)).toHaveLength(1);
  });

  it('is no reason to rest a key, and "too many tokens" of a rate limit is none of these', async () => {
    const model = plays.newModel();
    const limited = { message: 'Too many tokens, please wait before trying again.' };
    plays.set(model, refusal(429, limited), { text: ['Hi'] });
    expect(await ask(gateway, ways[3]!, { models: [`up/${model}`] })).toMatchObject({
      ended: 'whole',
    });
    expect(plays.of(model)).toHaveLength(2);
  });
});
