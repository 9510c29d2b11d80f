import { describe, expect, it } from 'vitest';
import { callAnswer, rawGateway } from '../helpers/raw-provider.js';
import { post } from '../helpers/sse.js';

const eager = { api: 'anthropic', apiKey: 'k', listModels: false } as const;
const thinkers = ['eager/claude-haiku-4-5', 'eager/claude-opus-4-8', 'eager/claude-3-5-haiku'];
const raw = rawGateway((url) => ({
  aliases: { smart: 'claude/claude-opus-4-8', 'claude-opus-4-8': 'claude/claude-haiku-4-5' },
  providers: { eager: { ...eager, baseUrl: url } },
  models: Object.fromEntries(thinkers.map((name) => [name, { reasoningEffort: 'high' }])),
}));
const hello = { role: 'user', content: 'Hello' };

/** What the second model of a request in Messages gets after the first has failed. */
async function sent(models: readonly [string, string], fields: object): Promise<object> {
  const [model, next] = models.map((name) => `claude/claude-${name}`);
  raw.provider.answer((_path, body) =>
    body.includes(`"claude-${models[0]}"`)
      ? { status: 529, json: '{}' }
      : { json: callAnswer('claude') },
  );
  const body = { model, fallback_models: [next], max_tokens: 9_000, messages: [hello], ...fields };
  const { status, text } = await post(`${raw.gateway.url}/v1/messages`, body, raw.gateway.auth);
  expect(status, text).toBe(200);
  // a field that is left out reads as undefined
  return { ...leftOut, ...(raw.provider.body() as object) };
}

const leftOut = {
  thinking: undefined,
  output_config: undefined,
  temperature: undefined,
  top_k: undefined,
  top_p: undefined,
};

const adaptive = { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } };
const budget = { thinking: { type: 'enabled', budget_tokens: 4_000 } };
const forced = { tools: [{ name: 'f', input_schema: {} }], tool_choice: { type: 'any' } };
const late = [hello, { role: 'system', content: 'Be brief' }];
const searching = [
  hello,
  {
    role: 'assistant',
    content: [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }],
  },
];
const begun = [hello, { role: 'assistant', content: '{' }];

describe('a body that was written for one Claude goes to another', () => {
  it.each<[string, [string, string], object, object]>([
    [
      'with a budget for its effort',
      ['opus-4-8', 'haiku-4-5'],
      adaptive,
      { thinking: { type: 'enabled', budget_tokens: 7_200 }, output_config: undefined },
    ],
    [
      'with an effort for its budget',
      ['sonnet-4-5', 'opus-4-8'],
      budget,
      { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } },
    ],
    ['without thinking', ['opus-4-8', '3-5-haiku-20241022'], adaptive, { thinking: undefined }],
    [
      'without sampling',
      ['sonnet-4-5', 'opus-4-8'],
      { temperature: 0.2, top_k: 5 },
      { temperature: undefined, top_k: undefined },
    ],
    [
      'with late instructions as what the user says',
      ['opus-4-8', 'opus-4-7'],
      { messages: late },
      { messages: [hello, { role: 'user', content: 'Be brief' }] },
    ],
    [
      'with a request to go on',
      ['sonnet-4-5', 'sonnet-4-6'],
      { messages: begun },
      { messages: [...begun, { role: 'user' }] },
    ],
    [
      'with as many tokens as it writes',
      ['opus-4-8', 'haiku-4-5'],
      { max_tokens: 128_000 },
      { max_tokens: 64_000 },
    ],
    [
      'without thinking between tools, where it has another word for that',
      ['sonnet-5-5', 'opus-4-8'],
      { thinking: { type: 'between_tools' } },
      { thinking: undefined },
    ],
    [
      'with its own name of the highest effort',
      ['opus-4-8', 'opus-4-6'],
      { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } },
      { output_config: { effort: 'max' } },
    ],
    [
      'with a free choice of tools',
      ['sonnet-4-6', 'opus-5-5'],
      { ...forced, tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    ],
    [
      'without sampling beside the thinking that it is told',
      ['opus-4-6', 'sonnet-4-5'],
      { output_config: { effort: 'medium' }, temperature: 0.3 },
      { thinking: { type: 'enabled' }, temperature: undefined, output_config: undefined },
    ],
    [
      'with one kind of sampling',
      ['3-5-haiku-20241022', 'sonnet-4-5'],
      { temperature: 0.3, top_p: 0.9 },
      { temperature: 0.3, top_p: undefined },
    ],
    [
      'without an empty turn at its end',
      ['sonnet-4-5', 'sonnet-4-6'],
      { messages: [hello, { role: 'assistant', content: '' }] },
      { messages: [hello] },
    ],
    [
      'with a search to go on with',
      ['sonnet-4-5', 'sonnet-4-6'],
      { messages: searching },
      { messages: searching },
    ],
    [
      'as it is where it may be so',
      ['opus-4-8', 'sonnet-5'],
      { ...adaptive, messages: late },
      { ...adaptive, messages: late },
    ],
  ])('%s', async (_name, models, fields, expected) => {
    expect(await sent(models, fields)).toMatchObject(expected);
  });
});

it('a body that names no Claude is forwarded as it is', async () => {
  const body = { model: 'smart', ...budget, messages: searching, temperature: 0.3 };
  raw.provider.answer(() => ({ json: callAnswer('claude') }));
  await post(`${raw.gateway.url}/v1/messages`, body, raw.gateway.auth);
  expect(raw.provider.body()).toMatchObject({ ...body, model: 'claude-opus-4-8' });
});

it('a body that names the Claude that gets it is forwarded as it is', async () => {
  const body = { model: 'claude/claude-opus-4-8', max_tokens: 9, ...budget, messages: begun };
  raw.provider.answer(() => ({ json: callAnswer('claude') }));
  await post(`${raw.gateway.url}/v1/messages`, body, raw.gateway.auth);
  expect(raw.provider.body()).toMatchObject({ ...budget, messages: begun });
});

it.each<[string, number, object]>([
  ['haiku-4-5', 9_000, { thinking: { type: 'enabled', budget_tokens: 7_200 } }],
  ['haiku-4-5', 900_000, { thinking: { type: 'enabled', budget_tokens: 16_384 } }],
  ['opus-4-8', 9_000, { output_config: { effort: 'high' } }],
])('the effort that is added for %s fits into %i tokens', async (name, max_tokens, expected) => {
  const asked = { max_tokens, messages: [hello], temperature: 0.3, top_k: 5 };
  raw.provider.answer(() => ({ json: callAnswer('claude') }));
  const body = { model: `eager/claude-${name}`, ...asked };
  await post(`${raw.gateway.url}/v1/messages`, body, raw.gateway.auth);
  expect(raw.provider.body()).toMatchObject({ ...expected, max_tokens });
  expect(raw.provider.body()).not.toHaveProperty('temperature');
  expect(raw.provider.body()).not.toHaveProperty('top_k');
});

it('no effort is added for a Claude that does not think', async () => {
  const asked = { max_tokens: 99, messages: [hello], temperature: 0.3 };
  raw.provider.answer(() => ({ json: callAnswer('claude') }));
  const body = { model: 'eager/claude-3-5-haiku', ...asked };
  await post(`${raw.gateway.url}/v1/messages`, body, raw.gateway.auth);
  expect(raw.provider.body()).toEqual({ ...asked, model: 'claude-3-5-haiku', stream: false });
});

it('the tokens of a body that was written for one Claude are counted as another takes it', async () => {
  const body = { model: 'claude-opus-4-8', messages: [hello], ...adaptive };
  raw.provider.answer(() => ({ json: '{"input_tokens":7}' }));
  const url = `${raw.gateway.url}/v1/messages/count_tokens`;
  expect((await post(url, body, raw.gateway.auth)).json).toEqual({ input_tokens: 7 });
  expect(raw.provider.body()).toEqual({ model: 'claude-haiku-4-5', messages: [hello] });
});
