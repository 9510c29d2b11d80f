import { describe, expect, it } from 'vitest';
import {
  type ChatMessage,
  type ChatRequest,
  makeUsage,
  toOpenAIUsage,
} from '../../src/completion.js';
import { GatewayError } from '../../src/errors.js';
import type { UpstreamRequest } from '../../src/providers/adapter.js';
import { openaiResponses } from '../../src/providers/openai-responses/index.js';
import { callOf, collectPieces, everyCut, typedEvents } from '../helpers/collect-stream.js';

const adapter = openaiResponses.create({ name: 'openai-responses', api: 'openai-responses' });

const built = (request: Partial<ChatRequest>, stream = false, model = 'm'): UpstreamRequest =>
  adapter.buildRequest({ ...callOf(request, stream), model }, 'key-1') as UpstreamRequest;
const bodyOf = (
  request: Partial<ChatRequest>,
  stream = false,
  model = 'm',
): Record<string, unknown> =>
  JSON.parse(built(request, stream, model).body as string) as Record<string, unknown>;
const inputOf = (...messages: ChatMessage[]): unknown => bodyOf({ messages })['input'];
const answerOf = (body: object) => adapter.readCompletion(JSON.stringify(body), callOf());
const failureOf = (run: () => unknown): GatewayError => {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('it did not fail');
};

describe('a request to the Responses API', () => {
  it('goes to /responses with the key as a bearer token, and stores nothing', () => {
    expect(built({})).toMatchObject({
      method: 'POST',
      url: 'https://api.openai.com/v1/responses',
      headers: { authorization: 'Bearer key-1' },
    });
    expect(bodyOf({}, true)).toEqual({
      store: false,
      model: 'm',
      input: [{ role: 'user', content: 'Hi' }],
      stream: true,
    });
  });

  it('goes to the configured address, without a key where there is none', () => {
    const local = openaiResponses.create({
      name: 'local',
      api: 'openai-responses',
      baseUrl: 'http://127.0.0.1:1234/v1',
    });
    const request = local.buildRequest(callOf(), null) as UpstreamRequest;
    expect(request.url).toBe('http://127.0.0.1:1234/v1/responses');
    expect(request.headers).not.toHaveProperty('authorization');
  });

  it('spells the chat fields as the API does and passes on the others', () => {
    const body = bodyOf({
      max_tokens: 40,
      temperature: 0.5,
      top_p: 0.9,
      parallel_tool_calls: false,
      metadata: { a: 'b' },
      store: true,
      seed: 3,
      stop: [],
      presence_penalty: 0,
      verbosity: 'low',
      stream_options: { include_usage: true },
      user: null,
      logprobs: true,
      top_logprobs: 2,
    });
    expect(body).toEqual({
      store: true,
      model: 'm',
      input: [{ role: 'user', content: 'Hi' }],
      max_output_tokens: 40,
      temperature: 0.5,
      top_p: 0.9,
      parallel_tool_calls: false,
      metadata: { a: 'b' },
      text: { verbosity: 'low' },
      top_logprobs: 2,
      include: ['message.output_text.logprobs'],
    });
  });

  it('requests reasoning with its summary and its encrypted content', () => {
    expect(bodyOf({ reasoning_effort: 'low' })).toMatchObject({
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    });
    expect(bodyOf({ reasoning_effort: 'none' })).toMatchObject({ reasoning: { effort: 'none' } });
    expect(bodyOf({ reasoning_effort: 'high', reasoning: { summary: 'detailed' } })).toMatchObject({
      reasoning: { effort: 'high', summary: 'detailed' },
    });
  });

  it.each([
    ['gpt-5.4', true],
    ['openai.gpt-5.5', true],
    ['o3-mini', true],
    ['grok-4.3', true],
    ['gpt-4o', false],
    ['gpt-5-chat-latest', false],
    ['qwen3', false],
  ])('requests encrypted reasoning from %s by default: %s', (model, asked) => {
    expect(bodyOf({}, false, model)['include']).toEqual(
      asked ? ['reasoning.encrypted_content'] : undefined,
    );
  });

  it('translates the response format', () => {
    const schema = { type: 'object' };
    expect(
      bodyOf({
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'city', schema, strict: true },
        },
      })['text'],
    ).toEqual({ format: { type: 'json_schema', name: 'city', schema, strict: true } });
    expect(bodyOf({ response_format: { type: 'json_object' } })['text']).toEqual({
      format: { type: 'json_object' },
    });
  });

  it("lays functions flat and lets the provider's own tools be", () => {
    const body = bodyOf({
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'looks', parameters: { type: 'object' } },
        },
        { type: 'function', function: { name: 'now', strict: true } },
        { type: 'web_search', search_context_size: 'low' } as never,
      ],
      tool_choice: { type: 'function', function: { name: 'look' } },
    });
    expect(body['tools']).toEqual([
      {
        type: 'function',
        name: 'look',
        description: 'looks',
        parameters: { type: 'object' },
        strict: false,
      },
      {
        type: 'function',
        name: 'now',
        parameters: { type: 'object', properties: {} },
        strict: true,
      },
      { type: 'web_search', search_context_size: 'low' },
    ]);
    expect(body['tool_choice']).toEqual({ type: 'function', name: 'look' });
    const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'look' } }];
    expect(bodyOf({ tool_choice: 'required' })).not.toHaveProperty('tool_choice');
    expect(bodyOf({ tools, tool_choice: 'required' })['tool_choice']).toBe('required');
    expect(bodyOf({ tools, tool_choice: { type: 'web_search' } })['tool_choice']).toEqual({
      type: 'web_search',
    });
    expect(
      bodyOf({
        tools,
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: {
            mode: 'auto',
            tools: [{ type: 'function', function: { name: 'look' } }],
          },
        },
      })['tool_choice'],
    ).toEqual({ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look' }] });
  });

  it("turns the chat API's web search into the tool", () => {
    expect(
      bodyOf({
        web_search_options: {
          search_context_size: 'low',
          user_location: { type: 'approximate', approximate: { country: 'FR' } },
        },
      })['tools'],
    ).toEqual([
      {
        type: 'web_search',
        search_context_size: 'low',
        user_location: { type: 'approximate', country: 'FR' },
      },
    ]);
  });

  it('puts system messages before the first turn into the instructions', () => {
    const body = bodyOf({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'developer', content: [{ type: 'text', text: 'In French.' }] },
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Now in German.' },
      ],
    });
    expect(body['instructions']).toBe('Be brief.\n\nIn French.');
    expect(body['input']).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Now in German.' },
    ]);
  });

  it('carries images and files', () => {
    expect(
      inputOf({
        role: 'user',
        content: [
          { type: 'text', text: 'See.' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
          {
            type: 'file',
            file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
          },
        ],
      }),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'See.' },
          { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' },
          { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
        ],
      },
    ]);
  });

  it('sends reasoning, calls and results back as items, but only reasoning that this provider encrypted', () => {
    const sealed = {
      type: 'reasoning.encrypted',
      id: 'rs_1',
      data: 'XXX',
      summary: 'Thought.',
      format: 'openai-responses-v1',
      provider: 'openai-responses',
    };
    expect(
      inputOf(
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: '',
          reasoning_content: 'Thought.',
          reasoning_details: [
            sealed,
            { ...sealed, provider: 'xai' },
            { type: 'reasoning.text', text: 'x', signature: 'y' },
            null,
          ],
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'a cat' },
        { role: 'assistant', content: 'A cat.' },
        { role: 'assistant', content: null, refusal: 'No.' },
      ),
    ).toEqual([
      { role: 'user', content: 'Hi' },
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Thought.' }],
        encrypted_content: 'XXX',
      },
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'a cat' },
      { role: 'assistant', content: 'A cat.' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    ]);
  });

  it.each<[string, Partial<ChatRequest>]>([
    ['several choices', { n: 2 }],
    ['audio', { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }],
  ])('refuses %s, so that the next candidate is tried', (_what, request) => {
    expect(failureOf(() => built(request)).code).toBe('request_refused');
  });
});

const usage = {
  input_tokens: 30,
  input_tokens_details: {
    cached_tokens: 20,
    cache_write_tokens: 4,
    cache_write_tokens_details: { ttl_12h_tokens: 3, ttl_30m_tokens: 1 },
  },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 42,
};
const counted = {
  promptTokens: 30,
  completionTokens: 12,
  reasoningTokens: 5,
  cachedTokens: 20,
  cacheWriteTokens: 4,
  hourCacheWriteTokens: 3,
  estimated: false,
};
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000.5,
  model: 'm-1',
  status: 'completed',
  error: null,
  incomplete_details: null,
  output: [] as object[],
  usage,
};
const message = (...content: object[]): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content,
});
const said = (text: string, annotations: object[] = []): object => ({
  type: 'output_text',
  text,
  annotations,
  logprobs: [],
});
const citation = (from: number, to: number): object => ({
  type: 'url_citation',
  url: 'https://example.com',
  title: 'T',
  start_index: from,
  end_index: to,
});
const functionCall = (name: string, args: string): object => ({
  id: `fc_${name}`,
  type: 'function_call',
  status: 'completed',
  call_id: `call_${name}`,
  name,
  arguments: args,
});
const thought = (encrypted: string | null, ...summary: string[]): object => ({
  id: 'rs_1',
  type: 'reasoning',
  encrypted_content: encrypted,
  summary: summary.map((text) => ({ type: 'summary_text', text })),
});

describe('an answer of the Responses API', () => {
  it('becomes a completion', () => {
    const { completion, usage: found } = answerOf({
      ...response,
      output: [
        thought('XXX', 'One.', 'Two.'),
        { type: 'web_search_call', id: 'ws_1' },
        message(said('A')),
        message(said('Zoë', [citation(0, 3), { type: 'file_citation' }])),
      ],
    });
    expect(completion).toEqual({
      id: 'resp_1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'm-1',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: {
            role: 'assistant',
            content: 'AZoë',
            reasoning_content: 'One.\n\nTwo.',
            reasoning_details: [
              {
                type: 'reasoning.encrypted',
                id: 'rs_1',
                data: 'XXX',
                summary: 'One.\n\nTwo.',
                format: 'openai-responses-v1',
                provider: 'openai-responses',
              },
            ],
            annotations: [
              {
                type: 'url_citation',
                url_citation: {
                  url: 'https://example.com',
                  title: 'T',
                  start_index: 1,
                  end_index: 4,
                },
              },
            ],
          },
        },
      ],
      usage: toOpenAIUsage(makeUsage(counted)),
    });
    expect(found).toEqual({ ...counted, webSearches: 1 });
  });

  it('gives calls, with an object where arguments are missing', () => {
    const { completion } = answerOf({
      ...response,
      output: [functionCall('look', '{"q":1}'), functionCall('now', '')],
    });
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [
          { id: 'call_look', function: { name: 'look', arguments: '{"q":1}' } },
          { id: 'call_now', function: { name: 'now', arguments: '{}' } },
        ],
      },
    });
  });

  it('gives refusals, open reasoning and log probabilities', () => {
    const open = {
      type: 'reasoning',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'Hm.' }],
    };
    const logprob = { token: 'A', logprob: -0.1, bytes: [65], top_logprobs: [] };
    expect(
      answerOf({ ...response, output: [open, message({ type: 'refusal', refusal: 'No.' })] })
        .completion.choices[0]!.message,
    ).toEqual({ role: 'assistant', content: null, refusal: 'No.', reasoning_content: 'Hm.' });
    expect(
      answerOf({ ...response, output: [message({ ...said('A'), logprobs: [logprob] })] }).completion
        .choices[0]!.logprobs,
    ).toEqual({ content: [logprob] });
  });

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
  ])('that is incomplete for %s ends with %s', (reason, expected) => {
    const { completion } = answerOf({
      ...response,
      status: 'incomplete',
      incomplete_details: { reason },
      output: [message(said('A'))],
    });
    expect(completion.choices[0]!.finish_reason).toBe(expected);
  });

  it.each<[object, string]>([
    [
      { ...response, status: 'failed', error: { code: 'server_error', message: 'it broke' } },
      'upstream_error',
    ],
    [
      {
        ...response,
        status: 'failed',
        error: { code: 'rate_limit_exceeded', message: 'slow down' },
      },
      'rate_limited',
    ],
    [
      { ...response, status: 'failed', error: { code: 'invalid_prompt', message: 'no' } },
      'request_refused',
    ],
    [{ ...response, status: 'cancelled' }, 'upstream_error'],
    [{ error: { message: 'bad', type: 'invalid_request_error', code: null } }, 'request_refused'],
    [{ object: 'chat.completion', choices: [] }, 'unreadable_answer'],
  ])('that failed is a failure: %j', (body, code) => {
    expect(failureOf(() => answerOf(body)).code).toBe(code);
  });

  it('without usage has none', () => {
    expect(answerOf({ ...response, usage: null }).usage).toBeNull();
    expect(failureOf(() => adapter.readCompletion('<html>', callOf())).code).toBe(
      'unreadable_answer',
    );
  });
});

const started = {
  type: 'response.created',
  response: { ...response, status: 'in_progress', usage: null },
};
const completed = { type: 'response.completed', response };
const added = (index: number, item: object): object => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
});
const done = (index: number, item: object): object => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
});
const delta = (kind: string, index: number, text: string, more: object = {}): object => ({
  type: `response.${kind}.delta`,
  output_index: index,
  item_id: `i${index}`,
  content_index: 0,
  delta: text,
  ...more,
});
const collect = (...events: object[]) => collectPieces(adapter, [Buffer.from(typedEvents(events))]);

const spoken = typedEvents(
  [
    started,
    { type: 'response.in_progress', response: started.response },
    added(0, thought('half')),
    delta('reasoning_summary_text', 0, 'Ça '),
    delta('reasoning_summary_text', 0, 'va.'),
    { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 1 },
    delta('reasoning_summary_text', 0, 'Bon.'),
    done(0, thought('XXX', 'Ça va.', 'Bon.')),
    added(1, { type: 'web_search_call', id: 'ws_1' }),
    { type: 'response.web_search_call.searching', output_index: 1 },
    done(1, { type: 'web_search_call', id: 'ws_1' }),
    added(2, message()),
    { type: 'response.content_part.added', output_index: 2, part: said('') },
    delta('output_text', 2, 'Zoë "said"\n'),
    delta('output_text', 2, '🌧 \\ rain', { obfuscation: 'xyz' }),
    { type: 'response.output_text.annotation.added', output_index: 2, annotation: citation(0, 3) },
    { type: 'response.output_text.done', output_index: 2, text: 'Zoë "said"\n🌧 \\ rain' },
    done(2, message(said('Zoë "said"\n🌧 \\ rain', [citation(0, 3)]))),
    completed,
  ],
  'data: [DONE]\n\n',
);

describe('a stream of the Responses API', () => {
  it('reads the same however its bytes are cut', () => {
    const expected = {
      text: 'Zoë "said"\n🌧 \\ rain',
      reasoning: 'Ça va.\n\nBon.',
      refusal: '',
      calls: [],
      logprobs: [],
      citations: [],
      reasoningDetails: [
        {
          type: 'reasoning.encrypted',
          id: 'rs_1',
          data: 'XXX',
          summary: 'Ça va.\n\nBon.',
          format: 'openai-responses-v1',
          provider: 'openai-responses',
        },
      ],
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'https://example.com', title: 'T', start_index: 0, end_index: 3 },
        },
      ],
      heads: ['resp_1 m-1'],
      finishReason: 'stop',
      ends: 1,
      usage: { ...counted, webSearches: 1 },
    };
    for (const pieces of everyCut(spoken)) expect(collectPieces(adapter, pieces)).toEqual(expected);
  });

  it('streams calls piece by piece, and whole where a server sends no pieces', () => {
    const collected = collect(
      started,
      added(0, functionCall('look', '')),
      delta('function_call_arguments', 0, '{"q":'),
      delta('function_call_arguments', 0, '1}'),
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"q":1}' },
      done(0, functionCall('look', '{"q":1}')),
      added(1, functionCall('see', '')),
      { type: 'response.function_call_arguments.done', output_index: 1, arguments: '{"q":2}' },
      done(1, functionCall('see', '{"q":2}')),
      done(2, functionCall('hear', '{"q":3}')),
      added(3, functionCall('now', '')),
      done(3, functionCall('now', '')),
      completed,
    );
    expect(collected).toMatchObject({
      finishReason: 'tool_calls',
      calls: [
        { id: 'call_look', name: 'look', arguments: '{"q":1}' },
        { id: 'call_see', name: 'see', arguments: '{"q":2}' },
        { id: 'call_hear', name: 'hear', arguments: '{"q":3}' },
        { id: 'call_now', name: 'now', arguments: '{}' },
      ],
    });
  });

  it('takes from the closing events what was not streamed', () => {
    const items = [thought('XXX', 'Hm.'), message(said('Ab'), said('cd', [citation(0, 2)]))];
    const expected = {
      text: 'Abcd',
      reasoning: 'Hm.',
      reasoningDetails: [{ data: 'XXX' }],
      annotations: [{ url_citation: { start_index: 2, end_index: 4 } }],
      ends: 1,
    };
    expect(
      collect(started, ...items.map((item, index) => done(index, item)), completed),
    ).toMatchObject(expected);
    expect(
      collect(started, { ...completed, response: { ...response, output: items } }),
    ).toMatchObject(expected);
    expect(
      collect(
        started,
        delta('output_text', 1, 'Abcd'),
        ...items.map((item, index) => done(index, item)),
        completed,
      ),
    ).toMatchObject(expected);
  });

  it('passes reasoning on once where it arrives both as text and as a summary, and separates its items', () => {
    const collected = collect(
      started,
      delta('reasoning_text', 0, 'Hm.'),
      delta('reasoning_summary_text', 0, 'Hm.'),
      done(0, thought(null, 'Hm.')),
      delta('reasoning_text', 1, 'So.'),
      done(1, thought(null, 'So.')),
      completed,
    );
    expect(collected).toMatchObject({ reasoning: 'Hm.\n\nSo.', reasoningDetails: [] });
  });

  it('contains refusals, and log probabilities where they were requested', () => {
    expect(
      collect(
        started,
        delta('refusal', 0, 'No'),
        delta('refusal', 0, '.'),
        done(0, message({ type: 'refusal', refusal: 'No.' })),
        completed,
      ),
    ).toMatchObject({ text: '', refusal: 'No.' });
    const body = Buffer.from(
      typedEvents([
        started,
        delta('output_text', 0, 'A', { logprobs: [{ token: 'A', logprob: -0.1 }] }),
        completed,
      ]),
    );
    expect(collectPieces(adapter, [body], callOf({ logprobs: true }))).toMatchObject({
      text: 'A',
      logprobs: [{ token: 'A' }],
    });
    expect(collectPieces(adapter, [body])).toMatchObject({ text: 'A', logprobs: [] });
  });

  it('ends with length or content_filter where the answer is incomplete', () => {
    const incomplete = (reason: string): object => ({
      type: 'response.incomplete',
      response: { ...response, status: 'incomplete', incomplete_details: { reason } },
    });
    expect(
      collect(started, delta('output_text', 0, 'A'), incomplete('max_output_tokens')),
    ).toMatchObject({ finishReason: 'length', usage: counted });
    expect(
      collect(started, delta('output_text', 0, 'A'), incomplete('content_filter')),
    ).toMatchObject({ finishReason: 'content_filter' });
  });

  it('fails where it ends without its end marker, even after [DONE]', () => {
    const cut = spoken.slice(0, spoken.indexOf('event: response.completed'));
    expect(failureOf(() => collectPieces(adapter, [Buffer.from(cut)])).code).toBe(
      'connection_failed',
    );
    expect(
      failureOf(() => collectPieces(adapter, [Buffer.from(`${cut}data: [DONE]\n\n`)])).code,
    ).toBe('connection_failed');
  });

  it.each<[string, object, string]>([
    [
      'a flat error event',
      { type: 'error', code: 'server_error', message: 'it broke', param: null },
      'upstream_error',
    ],
    [
      'a nested error event',
      {
        type: 'error',
        error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'no quota' },
      },
      'quota_exhausted',
    ],
    [
      'an error without a type',
      { error: { message: 'overloaded', code: 'overloaded' } },
      'upstream_overloaded',
    ],
    [
      'a failed answer',
      {
        type: 'response.failed',
        response: {
          ...response,
          status: 'failed',
          error: { code: 'rate_limit_exceeded', message: 'slow down' },
        },
      },
      'rate_limited',
    ],
    [
      'a prompt that is not wanted',
      {
        type: 'response.failed',
        response: {
          ...response,
          status: 'failed',
          error: { code: 'invalid_prompt', message: 'no' },
        },
      },
      'request_refused',
    ],
    [
      'a failed answer without a reason',
      { type: 'response.failed', response: { ...response, status: 'failed' } },
      'upstream_error',
    ],
  ])('fails for %s', (_what, event, code) => {
    expect(failureOf(() => collect(started, event)).code).toBe(code);
    expect(failureOf(() => collect(started, delta('output_text', 0, 'A'), event)).code).toBe(code);
  });

  it('fails for an event that is not JSON', () => {
    expect(failureOf(() => collectPieces(adapter, [Buffer.from('data: {"type"\n\n')])).code).toBe(
      'unreadable_answer',
    );
  });
});

describe('an error of the Responses API', () => {
  it.each<[number, object, string]>([
    [
      400,
      {
        error: {
          message: 'too long',
          type: 'invalid_request_error',
          param: 'input',
          code: 'context_length_exceeded',
        },
      },
      'request_refused',
    ],
    [
      400,
      {
        error: {
          message: 'no such model',
          type: 'invalid_request_error',
          param: 'model',
          code: 'model_not_found',
        },
      },
      'request_refused',
    ],
    [
      401,
      { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } },
      'provider_auth',
    ],
    [429, { error: { message: 'slow down', code: 'rate_limit_exceeded' } }, 'rate_limited'],
    [500, { error: { message: 'it broke' } }, 'upstream_error'],
  ])('of status %i with %j is %s', (status, body, code) => {
    expect(adapter.readFailure(status, {}, JSON.stringify(body))).toMatchObject({
      code,
      upstreamStatus: status,
    });
  });
});
