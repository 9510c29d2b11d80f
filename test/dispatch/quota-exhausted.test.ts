import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import { post } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';
import { ask, expectOneCall, ways } from '../helpers/ways.js';

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays } = await startScripted((up, url) => ({
    breaker: { enabled: false },
    providers: {
      up: { ...up, apiKey: 'one' },
      keys: { ...up, apiKeys: ['a', 'b'] },
      good: up,
      claude: { api: 'anthropic', baseUrl: url, apiKey: 'k' },
    },
  })));
});
afterAll(() => gateway.close());

const refusal = (status: number, error: object): Step => ({ status, body: { error } });
const openai = refusal(429, {
  message: 'You exceeded your current quota, please check your plan and billing details.',
  type: 'insufficient_quota',
  code: 'insufficient_quota',
});

/** What providers answer, as their users report it. */
const refusals: [string, string, Step][] = [
  ['OpenAI', 'up', openai],
  ['DeepSeek', 'up', refusal(402, { message: 'Insufficient Balance', type: 'unknown_error' })],
  ['OpenRouter', 'up', refusal(402, { message: 'Insufficient credits. Add more', code: 402 })],
  [
    'Hugging Face',
    'up',
    { status: 402, body: { error: 'You have depleted your monthly included credits.' } },
  ],
  [
    'Cohere, of a trial key',
    'up',
    {
      status: 429,
      body: { message: 'You are using a Trial key, which is limited to 1000 API calls / month.' },
    },
  ],
  [
    'OpenRouter, of a long answer',
    'up',
    refusal(402, { message: 'This request requires more credits, or fewer max_tokens.' }),
  ],
  [
    'MiniMax, with status 200',
    'up',
    {
      status: 200,
      body: { choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
    },
  ],
  ...['up', 'claude'].map((provider): [string, string, Step] => [
    'MiniMax, with status 500',
    provider,
    {
      status: 500,
      body: { type: 'error', error: { type: 'api_error', message: 'insufficient balance (1008)' } },
    },
  ]),
  [
    'Volcengine',
    'up',
    refusal(429, {
      message: 'Your account has reached the set inference limit for the model',
      code: 'SetLimitExceeded',
    }),
  ],
  [
    'xAI, of a new team',
    'up',
    { status: 403, body: { error: "Your newly created team doesn't have any credits yet." } },
  ],
  [
    'Moonshot',
    'up',
    refusal(429, { message: 'Your account is suspended', type: 'exceeded_current_quota_error' }),
  ],
  [
    'Z.ai',
    'up',
    refusal(429, {
      code: '1113',
      message: 'Insufficient balance or no resource package. Please recharge.',
    }),
  ],
  [
    'SiliconFlow',
    'up',
    { status: 403, body: { code: 30001, message: 'Sorry, your account balance is insufficient' } },
  ],
  [
    'xAI',
    'up',
    {
      status: 429,
      body: {
        code: 'x',
        error: 'Your team has used all available credits or reached its monthly spending limit.',
      },
    },
  ],
  [
    'Hugging Face',
    'up',
    { status: 402, body: { error: 'You have exceeded your monthly included credits' } },
  ],
  ['OpenAI, of an account', 'up', refusal(429, { message: 'x', code: 'billing_not_active' })],
  ['NVIDIA', 'up', { status: 402, body: { detail: 'Account does not have sufficient credits' } }],
  ['Google', 'up', refusal(403, { message: 'This API method requires billing to be enabled.' })],
  [
    'AWS',
    'up',
    {
      status: 403,
      body: { message: 'Model access is denied due to INVALID_PAYMENT_INSTRUMENT: A valid one …' },
    },
  ],
  [
    'an event of a stream',
    'up',
    {
      raw: Buffer.from('data: {"error":{"code":"insufficient_quota","message":"none left"}}\n\n'),
      contentType: 'text/event-stream',
    },
  ],
  [
    'Anthropic',
    'claude',
    {
      status: 400,
      body: {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'Your credit balance is too low to access the Anthropic API.',
        },
      },
    },
  ],
];

describe('a provider whose account has no credit left', () => {
  it.each(refusals)(
    'is not asked again, and the next one is: %s',
    async (_name, provider, step) => {
      await expectOneCall(gateway, plays, provider, step);
    },
  );

  it.each(refusals)('is told as what it is on each surface: %s', async (_name, provider, step) => {
    const model = plays.newModel();
    plays.set(model, step);
    const models = [`${provider}/${model}`];
    const [native, chat] = [
      await ask(gateway, ways[1]!, { models }),
      await ask(gateway, ways[2]!, { models }),
    ];
    expect(native).toMatchObject({ status: 429, error: { error: 'Too Many Requests' } });
    expect(chat).toMatchObject({
      status: 429,
      error: { code: 'insufficient_quota', type: 'insufficient_quota', message: native.message },
      headers: { 'x-should-retry': 'false' },
    });
    const messages = [{ role: 'user', content: 'Hi' }];
    const body = { model: models[0], messages, max_tokens: 9 };
    const { status, json } = await post(`${gateway.url}/v1/messages`, body, gateway.auth);
    expect([status, json]).toMatchObject([402, { error: { type: 'billing_error' } }]);
    const response = await post(
      `${gateway.url}/v1/responses`,
      { model: models[0], input: 'Hi' },
      gateway.auth,
    );
    expect([response.status, response.json]).toMatchObject([
      429,
      { error: { code: 'insufficient_quota' } },
    ]);
    const { text } = await post(
      `${gateway.url}/v1/responses`,
      { model: models[0], input: 'Hi', stream: true },
      gateway.auth,
    );
    expect(text).toContain('event: response.failed');
    expect(text).toContain('"code":"insufficient_quota"');
  });

  it('is asked with its other key', async () => {
    const model = plays.newModel();
    plays.set(model, openai, {});
    expect(await ask(gateway, ways[1]!, { models: [`keys/${model}`] })).toMatchObject({
      ended: 'whole',
    });
    expect(
      plays
        .of(model)
        .map(({ headers }) => headers.authorization)
        .sort(),
    ).toEqual(['Bearer a', 'Bearer b']);
  });

  it("is not what Gemini's limit of a minute says", async () => {
    const model = plays.newModel();
    const message = 'You exceeded your current quota, please check your plan and billing details.';
    plays.set(model, {
      status: 429,
      headers: { 'retry-after-ms': '0' },
      body: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message } },
    });
    const heard = await ask(gateway, ways[2]!, { models: [`up/${model}`] });
    expect(heard).toMatchObject({ status: 429, error: { code: 'rate_limit_exceeded' } });
    expect(plays.of(model)).toHaveLength(3);
  });
});
