import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../src/completion.js';
import { CallArguments } from '../../src/providers/call-arguments.js';
import { callOf } from '../helpers/collect-stream.js';
import { runs } from '../helpers/runs.js';
import { adapterOf } from './accepts/adapters.js';

/** What a provider gets of a request. */
async function sent(api: string, model: string, request: Partial<ChatRequest>) {
  const { body } = await adapterOf(api).buildRequest({ ...callOf(request), model }, 'k');
  return JSON.parse(body.toString()) as Partial<ChatRequest>;
}

it.each([
  ['mistral', 'mistral-small-latest', 1.5],
  ['moonshot', 'moonshot-v1-8k', 1],
  ['zai', 'glm-4.6', 1],
  ['alibaba', 'qwen-plus', 1.99],
  ['cohere', 'command-a', 1],
  ['deepseek', 'deepseek-chat', 2],
])('a temperature of 2 is at %s the highest that it takes', async (api, model, most) => {
  expect(await sent(api, model, { temperature: 2 })).toMatchObject({ temperature: most });
  expect(await sent(api, model, { temperature: 0.5 })).toMatchObject({ temperature: 0.5 });
});

it.each([
  ['groq', 'qwen/qwen3-32b'],
  ['cerebras', 'zai-glm-4.7'],
])('%s gets no effort for %s but none, which it takes alone', async (api, model) => {
  const thinking = { type: 'enabled', budget_tokens: 4_000 };
  for (const asked of [{ thinking }, { reasoning_effort: 'high' as const }])
    expect(await sent(api, model, asked)).not.toHaveProperty('reasoning_effort');
  const off = { reasoning_effort: 'none' as const };
  expect(await sent(api, model, off)).toMatchObject(off);
});

it.each([
  ['openai', 'gpt-6-luna', 'none', 'none'],
  ['openai', 'gpt-6.1-terra', 'minimal', 'none'],
  ['openai', 'gpt-6.1-sol', 'none', 'low'],
  ['openai', 'gpt-6.2-astra', 'none', 'low'],
  ['openai-responses', 'gpt-6.2-sol', 'max', 'max'],
  ['xai', 'grok-4.7', 'xhigh', 'xhigh'],
  ['xai', 'grok-4.5', 'xhigh', 'high'],
  ['mistral', 'mistral-large-4-0', 'none', 'low'],
  ['mistral', 'mistral-large-2512', 'high', undefined],
  ['openai', 'gpt-5.2-chat-latest', 'high', 'medium'],
  ['openai-responses', 'gpt-5-pro', 'low', 'high'],
  ['openai-responses', 'gpt-5.4-pro', 'low', 'medium'],
  ['openai-responses', 'gpt-5-codex', 'minimal', 'low'],
  ['openai-responses', 'gpt-5.1-codex', 'xhigh', 'high'],
  ['openai-responses', 'gpt-5.1-codex-max', 'xhigh', 'xhigh'],
] as const)('%s gets for %s of the effort %s %s', async (api, model, asked, taken) => {
  const body = await sent(api, model, { reasoning_effort: asked });
  const reasoning = body['reasoning'] as { effort?: string } | undefined;
  expect(reasoning?.effort ?? body.reasoning_effort).toBe(taken);
});

it.each([
  [{ presence_penalty: 1.5 }, { presence_penalty: 1 }],
  [{ presence_penalty: 1.5, frequency_penalty: 0.5 }, { frequency_penalty: 0.5 }],
  [{ presence_penalty: 0.2, frequency_penalty: -0.5 }, { presence_penalty: 0.2 }],
])('the penalties %j are at Cohere %j', async (asked, taken) => {
  const { presence_penalty, frequency_penalty } = await sent('cohere', 'command-a', asked);
  expect({ presence_penalty, frequency_penalty }).toEqual(taken);
});

it.each<[string, number, object, string, RegExp]>([
  [
    'MiniMax',
    200,
    { base_resp: { status_code: 1002, status_msg: 'rate limit' } },
    'rate_limited',
    /rate limit/,
  ],
  [
    'a relay',
    200,
    { code: 401, msg: 'token invalid', data: null },
    'provider_auth',
    /token invalid/,
  ],
  ['Cloudflare', 200, { success: false, errors: [{ message: 'No such model' }] }, '', /No such/],
  [
    'Baidu',
    200,
    { error_code: 110, error_msg: 'Access token invalid' },
    'provider_auth',
    /Access token/,
  ],
  ['Groq', 498, { error: { message: 'No capacity' } }, 'upstream_overloaded', /No capacity/],
])('a failure is read as %s sends it', (_name, status, body, code, message) => {
  const adapter = adapterOf('openai-compatible');
  const text = JSON.stringify(body);
  let failure: unknown = status === 200 ? null : adapter.readFailure(status, {}, text);
  if (failure === null)
    try {
      adapter.readCompletion(text, callOf({}));
    } catch (error) {
      failure = error;
    }
  expect(failure).toMatchObject({ code: code || 'upstream_error' });
  expect(String(failure)).toMatch(message);
});

it('a name that OpenAI refuses becomes one that it takes', async () => {
  const messages = [{ role: 'user', name: 'Jane <J> Doe', content: 'Hi' }];
  expect((await sent('openai', 'gpt-4o', { messages })).messages).toEqual([
    { role: 'user', name: 'Jane_J_Doe', content: 'Hi' },
  ]);
});

it('a call of an earlier turn without a type is one of a function', async () => {
  const called = { name: 'look', arguments: '{}' };
  const call = { id: 'c1', function: called } as never;
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'seen' },
  ];
  const got = await sent('openai', 'gpt-4o', { messages });
  expect(got.messages?.[1]?.tool_calls).toEqual([{ id: 'c1', type: 'function', function: called }]);
});

it('a whole answer says what it is, also where its server does not', () => {
  const body = JSON.stringify({ choices: [{ message: { content: 'Hi' } }] });
  const { completion, rewritten } = adapterOf('openai-compatible').readCompletion(body, callOf({}));
  expect(completion.object).toBe('chat.completion');
  expect(rewritten).toBe(true);
});

const ofOpenAI = {
  ...{ metadata: { a: 'b' }, store: true, verbosity: 'low', safety_identifier: 's' },
  ...{ moderation: { model: 'm' }, prompt_cache_retention: '24h' },
  prompt_cache_options: { mode: 'explicit' },
};

it.each(['groq', 'cerebras', 'mistral'])(
  '%s gets no words of OpenAI that it refuses',
  async (api) => {
    const body = await sent(api, 'gpt-oss-120b', { ...ofOpenAI, prompt_cache_key: 'k' });
    for (const field in ofOpenAI) expect(body).not.toHaveProperty(field);
    if (api === 'groq') expect(body).not.toHaveProperty('prompt_cache_key');
    else expect(body['prompt_cache_key']).toBe('k');
    expect(await sent('openai', 'gpt-5.1', ofOpenAI)).toMatchObject(ofOpenAI);
  },
);

it('groq gets no words for speech and predictions, which it has not', async () => {
  const fields = { modalities: ['text'], prediction: { type: 'content', content: 'x' } };
  const body = await sent('groq', 'gpt-oss-120b', fields);
  for (const field in fields) expect(body).not.toHaveProperty(field);
});

const marked = { type: 'text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } };
const messages = [{ role: 'user', content: [marked, { type: 'text', text: 'there' }] }];

it.each(['groq', 'mistral', 'deepseek', 'alibaba', 'anthropic', 'gemini', 'bedrock', 'cohere'])(
  '%s gets no breakpoint of OpenAI’s prompt cache',
  async (api) => {
    expect(JSON.stringify(await sent(api, 'm', { messages }))).not.toContain('breakpoint');
  },
);

it.each(['openai', 'azure-openai', 'openrouter', 'vllm', 'openai-compatible', 'openai-responses'])(
  '%s gets the breakpoints of OpenAI’s prompt cache',
  async (api) => {
    const body = await sent(api, 'gpt-5.6', { messages });
    expect(JSON.stringify(body)).toContain(
      '"text":"Hi","prompt_cache_breakpoint":{"mode":"explicit"}',
    );
  },
);

const tools = ['look', 'write', 'delete'].map((name) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object', properties: {} } },
}));
const allowed = (mode: string) => ({
  type: 'allowed_tools',
  allowed_tools: { mode, tools: tools.slice(0, 2) },
});

it.each([
  ['anthropic', 'claude-opus-5-5', { tool_choice: { type: 'auto' } }],
  ['anthropic', 'claude-sonnet-5-5', { tool_choice: { type: 'auto' } }],
  ['anthropic', 'claude-fable-5-1', { tool_choice: { type: 'auto' } }],
  ['anthropic', 'claude-fable-5', { tool_choice: { type: 'any' } }],
  ['anthropic', 'claude-opus-5', { tool_choice: { type: 'any' } }],
  ['bedrock', 'us.anthropic.claude-opus-5-5', { toolConfig: { toolChoice: { auto: {} } } }],
])(
  'a forced tool is at %s for %s a free choice where it refuses more',
  async (api, model, expected) => {
    for (const choice of ['required', allowed('required')] as const) {
      expect(await sent(api, model, { tools, tool_choice: choice })).toMatchObject(expected);
      const left = adapterOf(api).leftOut?.({ messages: [], tools, tool_choice: choice }, model);
      expect(left?.includes('tool_choice')).toBe(JSON.stringify(expected).includes('auto'));
    }
  },
);

it.each([
  ['mistral', { tool_choice: 'required' }],
  ['groq', { tool_choice: 'required' }],
  ['ollama', { tool_choice: 'required' }],
  ['anthropic', { tool_choice: { type: 'any' } }],
  ['bedrock', { toolConfig: { toolChoice: { any: {} } } }],
])('a choice of some tools is at %s one without the others', async (api, choice) => {
  const body = await sent(api, 'm', { tools, tool_choice: allowed('required') });
  expect(body).toMatchObject(choice);
  expect(JSON.stringify(body)).toMatch(/look.*write/);
  expect(JSON.stringify(body)).not.toMatch(/delete|allowed_tools/);
  const open = JSON.stringify(await sent(api, 'm', { tools, tool_choice: allowed('auto') }));
  expect(open).toMatch(/look.*write/);
  expect(open).not.toMatch(/delete|allowed_tools|required|"any"/);
});

it('a choice of some tools stays one at OpenAI', async () => {
  const tool_choice = allowed('auto') as never;
  expect(await sent('openai', 'gpt-4o', { tools, tool_choice })).toMatchObject({
    tools,
    tool_choice,
  });
});

const asked: Partial<ChatRequest> = {
  ...{ seed: 7, logprobs: true, top_logprobs: 2, logit_bias: { 1: 1 }, presence_penalty: 0.5 },
  ...{ frequency_penalty: 0.5, verbosity: 'low', service_tier: 'flex', parallel_tool_calls: false },
  ...{ temperature: 0.5, top_k: 5, tools },
};
const penalties = ['presence_penalty', 'frequency_penalty'];
const words = ['logit_bias', 'verbosity', 'service_tier'];

it.each([
  ['anthropic', 'claude-sonnet-4-5', ['seed', 'logprobs', 'top_logprobs', ...penalties, ...words]],
  [
    'anthropic',
    'claude-opus-4-7',
    ['seed', 'logprobs', 'top_logprobs', ...penalties, ...words, 'temperature', 'top_k'],
  ],
  [
    'bedrock',
    'amazon.nova-pro-v1:0',
    ['seed', 'logprobs', 'top_logprobs', ...penalties, ...words, 'parallel_tool_calls', 'top_k'],
  ],
  ['gemini', 'gemini-2.5-flash', [...words, 'parallel_tool_calls']],
  ['cohere', 'command-a', [...words, 'parallel_tool_calls', 'top_logprobs']],
  ['openai-responses', 'gpt-4o', ['seed', 'logit_bias', ...penalties, 'top_k']],
])('%s names what it leaves out for %s', (api, model, left) => {
  const request = callOf(asked).request;
  expect(new Set(adapterOf(api).leftOut?.(request, model))).toEqual(new Set(left));
  expect(
    adapterOf(api).leftOut?.(callOf({ temperature: 1, verbosity: null }).request, model),
  ).toEqual([]);
});

it('Anthropic names sampling that a thinking model refuses, effort that none has, and strict tools', () => {
  const { leftOut } = adapterOf('anthropic');
  const strict = tools.map((tool) => ({ ...tool, function: { ...tool.function, strict: true } }));
  const of = (model: string, request: Partial<ChatRequest>) =>
    leftOut?.(callOf(request).request, model);
  expect(of('claude-sonnet-4-5', { temperature: 0.5, reasoning_effort: 'high' })).toEqual([
    'temperature',
  ]);
  expect(of('claude-sonnet-4-5', { temperature: 0.5, top_p: 0.5 })).toEqual(['top_p']);
  expect(of('claude-3-5-haiku', { reasoning_effort: 'high', tools: strict })).toEqual([
    'reasoning_effort',
    'tools',
  ]);
});

it.each(['openai', 'mistral', 'groq', 'ollama', 'openai-compatible'])(
  '%s gets no null, which servers refuse in some fields',
  async (api) => {
    const nulls = {
      max_tokens: null,
      stop: null,
      user: null,
      response_format: null,
      functions: null,
    };
    const body = await sent(api, 'gpt-4o', { ...nulls, temperature: 0.5 });
    expect(Object.values(body)).not.toContain(null);
    expect(body).toMatchObject({ temperature: 0.5 });
  },
);

it.each([
  ['qwen3.5-plus', 'user'],
  ['Qwen/Qwen3p6-27B', 'user'],
  ['qwen4-72b', 'user'],
  ['qwen-4-max', 'user'],
  ['qwen3-max', 'system'],
  ['qwen2.5-7b-instruct', 'system'],
  ['qwen-7b-chat', 'system'],
  ['Qwen-72B', 'system'],
])('late instructions are said to %s by the %s', async (model, role) => {
  const late = { role: 'system' as const, content: 'Be brief' };
  const turns = [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Hello' }, late];
  const { messages } = await sent('openai-compatible', model, {
    messages: turns,
  });
  expect(messages?.at(-1)).toEqual({ ...late, role });
});

it.each<[string, unknown]>([
  ['bare names', { models: ['one', 'two'] }],
  ['names in place of ids', { data: [{ name: 'one' }, { name: 'two', object: 'model' }] }],
  ['a bare list', [{ id: 'one' }, { id: 'two', name: 'Two' }]],
  ['null and numbers among them', { data: [null, { id: 'one' }, 7, { id: 'two' }] }],
])('a list of models is read where it has %s', (_what, body) => {
  const models = adapterOf('openai-compatible').modelList?.readModels(JSON.stringify(body));
  expect(models?.map(({ model }) => model)).toEqual(['one', 'two']);
});

describe('arguments whose line breaks are not escaped, cut anywhere,', () => {
  it('are JSON of the same', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', '\n', '"', '\\', '{', 'é'),
      maxLength: 9,
    });
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 });
    const property = fc.property(fc.dictionary(texts, texts), cuts, (value, lengths) => {
      // an even number of backslashes before it says nothing of the break
      const text = JSON.stringify(value).replace(/\\(?:n|[^])/g, (one) =>
        one === '\\n' ? '\n' : one,
      );
      const call = new CallArguments();
      let told = '';
      for (let [at, n] = [0, 0]; at < text.length; n += 1) {
        const length = lengths[n % lengths.length] ?? 1;
        told += call.add(text.slice(at, at + length));
        at += length;
      }
      expect(JSON.parse(told + call.end())).toEqual(value);
    });
    fc.assert(property, { numRuns: runs(2_000), examples: [[{ '{': '' }, [2, 2, 1]]] });
  });
});

describe('the text of a custom tool in place of arguments', () => {
  it('keeps its line breaks', () => {
    const pieces = ['*** Begin Patch\n+    """Doc\n', '+    more\n+    """\n'];
    const call = new CallArguments();
    expect(pieces.map((piece) => call.add(piece)).join('') + call.end()).toBe(pieces.join(''));
  });
});
