import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../src/completion.js';
import { GatewayError } from '../../src/errors.js';
import type { UpstreamRequest } from '../../src/providers/adapter.js';
import { cohere } from '../../src/providers/cohere/index.js';
import { callOf, collectPieces, everyCut, typedEvents } from '../helpers/collect-stream.js';

const adapter = cohere.create({ name: 'cohere', api: 'cohere' });

function built(request: Partial<ChatRequest>, stream = false): UpstreamRequest {
  return adapter.buildRequest(callOf(request, stream), 'key-1') as UpstreamRequest;
}
type SentBody = Record<string, unknown> & { messages: { content: unknown }[] };
const bodyOf = (request: Partial<ChatRequest>, stream = false): SentBody =>
  JSON.parse(built(request, stream).body as string) as SentBody;
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

const tool = (name: string, strict?: boolean): never =>
  ({
    type: 'function',
    function: { name, description: `does ${name}`, parameters: { type: 'object' }, strict },
  }) as never;

describe('a request to Cohere', () => {
  it('goes to /v2/chat with the key as a bearer token', () => {
    expect(built({})).toMatchObject({
      method: 'POST',
      url: 'https://api.cohere.com/v2/chat',
      headers: { authorization: 'Bearer key-1' },
    });
    expect(bodyOf({}, true)).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
    });
  });

  it("uses Cohere's names of the sampling fields", () => {
    const body = bodyOf({
      max_completion_tokens: 50,
      temperature: 0.5,
      top_p: 1,
      top_k: 40,
      seed: 7,
      stop: 'END',
      presence_penalty: 0,
      frequency_penalty: 0.4,
      logprobs: true,
      user: 'u1',
    });
    expect(body).toEqual({
      model: 'm',
      stream: false,
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 50,
      temperature: 0.5,
      p: 0.99,
      k: 40,
      seed: 7,
      stop_sequences: ['END'],
      frequency_penalty: 0.4,
      logprobs: true,
    });
  });

  it("passes on Cohere's own fields", () => {
    const own = {
      documents: [{ data: { text: 'a' } }],
      citation_options: { mode: 'fast' },
      safety_mode: 'STRICT',
      k: 3,
    };
    expect(bodyOf(own)).toMatchObject(own);
  });

  it.each([
    ['auto', undefined],
    ['required', 'REQUIRED'],
    ['none', 'NONE'],
  ])('turns tool_choice %s into %s', (choice, expected) => {
    const body = bodyOf({ tools: [tool('a'), tool('b')], tool_choice: choice as 'auto' });
    expect(body['tool_choice']).toBe(expected);
    expect(body['tools']).toHaveLength(2);
  });

  it('offers only the tool that must be called', () => {
    const body = bodyOf({
      tools: [tool('a', true), tool('b')],
      tool_choice: { type: 'function', function: { name: 'a' } },
    });
    expect(body).toMatchObject({
      tool_choice: 'REQUIRED',
      strict_tools: true,
      tools: [
        {
          type: 'function',
          function: { name: 'a', description: 'does a', parameters: { type: 'object' } },
        },
      ],
    });
    expect(body['tools']).toHaveLength(1);
  });

  it('requests JSON by schema, and thinking by effort', () => {
    const schema = { type: 'object', properties: {} };
    expect(
      bodyOf({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } })[
        'response_format'
      ],
    ).toEqual({ type: 'json_object', json_schema: schema });
    expect(bodyOf({ response_format: { type: 'json_object' } })['response_format']).toEqual({
      type: 'json_object',
    });
    expect(bodyOf({ reasoning_effort: 'none' })['thinking']).toEqual({ type: 'disabled' });
    expect(bodyOf({ reasoning_effort: 'low' })['thinking']).toEqual({
      type: 'enabled',
      token_budget: 1024,
    });
    expect(bodyOf({ reasoning_effort: 'high' })['thinking']).toEqual({ type: 'enabled' });
  });

  it('translates a conversation with images, calls and their results', () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const { messages } = bodyOf({
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] },
        {
          role: 'assistant',
          content: '',
          reasoning_content: 'I will look.',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'a cat' }] },
        { role: 'assistant', content: 'A cat.', reasoning_content: 'done' },
        { role: 'user', content: 'Is it?' },
      ],
    });
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] },
      {
        role: 'assistant',
        tool_plan: 'I will look.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'a cat' }] },
      { role: 'assistant', content: 'A cat.' },
      { role: 'user', content: 'Is it?' },
    ]);
  });

  it('sends a text file as a document', () => {
    const file = {
      type: 'file',
      file: {
        filename: 'a.txt',
        file_data: `data:text/plain;base64,${Buffer.from('déjà').toString('base64')}`,
      },
    };
    const body = bodyOf({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Read.' }, file] }],
    });
    expect(body['documents']).toEqual([{ data: { title: 'a.txt', text: 'déjà' } }]);
    expect(body.messages[0]!.content).toEqual([{ type: 'text', text: 'Read.' }]);
  });

  it.each<[string, Partial<ChatRequest>]>([
    ['several choices', { n: 2 }],
    ['audio', { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }],
    [
      'a file that is not text',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }],
          },
        ],
      },
    ],
    ['a tool that is no function', { tools: [{ type: 'web_search' } as never] }],
  ])('refuses %s, so that the next candidate is tried', (_what, request) => {
    expect(failureOf(() => built(request)).code).toBe('request_refused');
  });
});

describe('an answer of Cohere', () => {
  it('becomes a completion with thinking, text and usage that counts tokens, and which are not billed', () => {
    const { completion, usage } = answerOf({
      id: 'a1',
      finish_reason: 'COMPLETE',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'text', text: 'Blue' },
          { type: 'text', text: '!' },
        ],
      },
      usage: {
        billed_units: { input_tokens: 3, output_tokens: 2 },
        tokens: { input_tokens: 100, output_tokens: 9, reasoning_tokens: 4, image_tokens: 20 },
        cached_tokens: 64,
      },
    });
    expect(completion).toMatchObject({
      id: 'a1',
      object: 'chat.completion',
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'Blue!', reasoning_content: 'Hm.' },
        },
      ],
    });
    expect(usage).toEqual({
      promptTokens: 120,
      completionTokens: 9,
      reasoningTokens: 4,
      cachedTokens: 64,
      cacheWriteTokens: 0,
      freePromptTokens: 117,
      freeCompletionTokens: 7,
      estimated: false,
    });
  });

  it('gives calls with their plan, and an object where arguments are missing', () => {
    const { completion } = answerOf({
      id: 'a1',
      finish_reason: 'TOOL_CALL',
      message: {
        tool_plan: 'I will look.',
        tool_calls: [
          { id: 't1', type: 'function', function: { name: 'look', arguments: 'null' } },
          { id: 't2', type: 'function', function: { name: 'see', arguments: '{"a":1}' } },
        ],
      },
    });
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        reasoning_content: 'I will look.',
        tool_calls: [
          { id: 't1', type: 'function', function: { name: 'look', arguments: '{}' } },
          { id: 't2', function: { arguments: '{"a":1}' } },
        ],
      },
    });
  });

  it('turns citations with an address into annotations and keeps the others', () => {
    const kept = {
      start: 5,
      end: 9,
      text: 'rain',
      sources: [{ type: 'tool', id: 't', tool_output: { content: 'rain' } }],
      type: 'TEXT_CONTENT',
    };
    const { completion } = answerOf({
      id: 'a1',
      finish_reason: 'COMPLETE',
      message: {
        content: [{ type: 'text', text: 'Snow, rain' }],
        citations: [
          {
            start: 0,
            end: 4,
            text: 'Snow',
            type: 'TEXT_CONTENT',
            sources: [
              {
                type: 'document',
                id: 'd',
                document: { url: 'https://example.com', title: 'T', snippet: 'S' },
              },
            ],
          },
          kept,
        ],
      },
    });
    expect(completion.choices[0]!.message).toMatchObject({
      annotations: [
        {
          type: 'url_citation',
          url_citation: {
            url: 'https://example.com',
            title: 'T',
            content: 'S',
            start_index: 0,
            end_index: 4,
          },
        },
      ],
      citations: [kept],
    });
  });

  it("has log probabilities in OpenAI's format", () => {
    const { completion } = answerOf({
      id: 'a',
      finish_reason: 'COMPLETE',
      message: { content: [{ type: 'text', text: 'Hé' }] },
      logprobs: [{ text: 'Hé', token_ids: [1, 2], logprobs: [-0.5, -0.25] }],
    });
    expect(completion.choices[0]!.logprobs).toEqual({
      content: [{ token: 'Hé', logprob: -0.75, bytes: [72, 195, 169], top_logprobs: [] }],
    });
  });

  it.each([
    ['COMPLETE', 'stop'],
    ['STOP_SEQUENCE', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['TOOL_CALL', 'tool_calls'],
    ['ERROR_TOXIC', 'content_filter'],
    ['ERROR_LIMIT', 'length'],
  ])('translates %s to %s', (reason, expected) => {
    // an answer that ends for calls has some
    const calls = reason === 'TOOL_CALL' ? [{ id: 'f1', function: { name: 'f' } }] : [];
    expect(
      answerOf({ id: 'a', finish_reason: reason, message: { content: [], tool_calls: calls } })
        .completion.choices[0]!.finish_reason,
    ).toBe(expected);
  });

  it('takes a finish reason that it does not know for an ordinary end, and names it', () => {
    const { completion, unknownFinish } = answerOf({
      ...{ id: 'a', finish_reason: 'SOMETHING_NEW' },
      message: { content: [] },
    });
    expect(completion.choices[0]!.finish_reason).toBe('stop');
    expect(unknownFinish).toBe('SOMETHING_NEW');
  });

  it.each([
    ['ERROR', 'upstream_error'],
    ['TIMEOUT', 'upstream_timeout'],
  ])('fails where the answer ended in %s', (reason, code) => {
    expect(
      failureOf(() => answerOf({ id: 'a', finish_reason: reason, message: { content: [] } })).code,
    ).toBe(code);
  });

  it('fails where a 200 contains an error or no answer', () => {
    expect(failureOf(() => answerOf({ id: 'a', message: 'internal server error' })).code).toBe(
      'upstream_error',
    );
    expect(failureOf(() => answerOf({ id: 'a' })).code).toBe('unreadable_answer');
    expect(failureOf(() => adapter.readCompletion('<html>', callOf())).code).toBe(
      'unreadable_answer',
    );
  });

  it("is read in the older API's format too", () => {
    const { completion, usage } = answerOf({
      generation_id: 'g1',
      text: 'I will look.',
      finish_reason: 'COMPLETE',
      tool_calls: [{ name: 'look', parameters: { q: 'cat' } }],
      meta: { tokens: { input_tokens: 8, output_tokens: 3 } },
    });
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        reasoning_content: 'I will look.',
        tool_calls: [{ id: 'call_g1_0', function: { name: 'look', arguments: '{"q":"cat"}' } }],
      },
    });
    expect(usage).toMatchObject({ promptTokens: 8, completionTokens: 3 });
  });
});

const start = {
  id: 's1',
  type: 'message-start',
  delta: {
    message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] },
  },
};
const content = (index: number, piece: object): object => ({
  type: 'content-delta',
  index,
  delta: { message: { content: piece } },
});
const callEvent = (type: string, index: number, call?: object): object => ({
  type,
  index,
  ...(call ? { delta: { message: { tool_calls: call } } } : {}),
});
const end = (finishReason: string, more: object = {}): object => ({
  type: 'message-end',
  delta: {
    finish_reason: finishReason,
    usage: { tokens: { input_tokens: 20, output_tokens: 6 }, cached_tokens: 16 },
    ...more,
  },
});

const spoken = typedEvents(
  [
    start,
    { type: 'debug', prompt: 'ignored' },
    {
      type: 'content-start',
      index: 0,
      delta: { message: { content: { type: 'thinking', thinking: '' } } },
    },
    content(0, { thinking: 'Hm, ' }),
    content(0, { thinking: 'naïve.' }),
    { type: 'content-end', index: 0 },
    {
      type: 'content-start',
      index: 1,
      delta: { message: { content: { type: 'text', text: '' } } },
    },
    content(1, { text: 'Zoë "said"\n' }),
    content(1, { text: '🌧 \\ rain' }),
    {
      type: 'citation-start',
      index: 0,
      delta: {
        message: {
          citations: {
            start: 0,
            end: 3,
            text: 'Zoë',
            sources: [{ type: 'document', id: 'd', document: { url: 'https://example.com/z' } }],
            type: 'TEXT_CONTENT',
          },
        },
      },
    },
    { type: 'citation-end', index: 0 },
    {
      type: 'citation-start',
      index: 1,
      delta: {
        message: {
          citations: { start: 4, end: 8, text: 'said', sources: [], type: 'TEXT_CONTENT' },
        },
      },
    },
    { type: 'content-end', index: 1 },
    end('COMPLETE'),
  ],
  'data: [DONE]\n\n',
);

describe('a stream of Cohere', () => {
  it('reads the same however its bytes are cut', () => {
    const expected = {
      text: 'Zoë "said"\n🌧 \\ rain',
      reasoning: 'Hm, naïve.',
      refusal: '',
      calls: [],
      reasoningDetails: [],
      logprobs: [],
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'https://example.com/z', start_index: 0, end_index: 3 },
        },
      ],
      citations: [{ start: 4, end: 8, text: 'said', sources: [], type: 'TEXT_CONTENT' }],
      heads: ['s1 m'],
      finishReason: 'stop',
      ends: 1,
      usage: {
        promptTokens: 20,
        completionTokens: 6,
        reasoningTokens: 0,
        cachedTokens: 16,
        cacheWriteTokens: 0,
        estimated: false,
      },
    };
    for (const pieces of everyCut(spoken)) expect(collectPieces(adapter, pieces)).toEqual(expected);
  });

  it('streams calls piece by piece, and {} for a call without arguments', () => {
    const body = typedEvents([
      start,
      { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I will look.' } } },
      callEvent('tool-call-start', 0, {
        id: 't1',
        type: 'function',
        function: { name: 'look', arguments: '' },
      }),
      callEvent('tool-call-delta', 0, { function: { arguments: '{"q":' } }),
      callEvent('tool-call-delta', 0, { function: { arguments: '"cat"}' } }),
      callEvent('tool-call-end', 0),
      callEvent('tool-call-start', 1, {
        id: 't2',
        type: 'function',
        function: { name: 'now', arguments: '' },
      }),
      callEvent('tool-call-end', 1),
      callEvent('tool-call-start', 2, {
        id: 't3',
        type: 'function',
        function: { name: 'nil', arguments: '' },
      }),
      callEvent('tool-call-delta', 2, { function: { arguments: 'null' } }),
      callEvent('tool-call-end', 2),
      end('TOOL_CALL'),
    ]);
    expect(collectPieces(adapter, [Buffer.from(body)])).toMatchObject({
      text: '',
      reasoning: 'I will look.',
      finishReason: 'tool_calls',
      calls: [
        { id: 't1', name: 'look', arguments: '{"q":"cat"}' },
        { id: 't2', name: 'now', arguments: '{}' },
        { id: 't3', name: 'nil', arguments: '{}' },
      ],
    });
  });

  it('carries log probabilities with the text they belong to', () => {
    const body = typedEvents([
      start,
      { ...content(0, { text: 'Hi' }), logprobs: { text: 'Hi', token_ids: [4], logprobs: [-0.1] } },
      end('COMPLETE'),
    ]);
    expect(collectPieces(adapter, [Buffer.from(body)])).toMatchObject({
      text: 'Hi',
      logprobs: [{ token: 'Hi', logprob: -0.1 }],
    });
  });

  it('fails where it ends without message-end', () => {
    const cut = spoken.slice(0, spoken.indexOf('event: message-end'));
    expect(failureOf(() => collectPieces(adapter, [Buffer.from(cut)])).code).toBe(
      'connection_failed',
    );
    expect(failureOf(() => collectPieces(adapter, [])).code).toBe('connection_failed');
  });

  it("fails for an error in the stream, with the provider's message", () => {
    const ended = failureOf(() =>
      collectPieces(adapter, [
        Buffer.from(typedEvents([start, end('ERROR', { error: 'model crashed' })])),
      ]),
    );
    expect(ended).toMatchObject({
      code: 'upstream_error',
      message: 'cohere answered 500: model crashed',
    });
    expect(
      failureOf(() => collectPieces(adapter, [Buffer.from(typedEvents([start, end('TIMEOUT')]))]))
        .code,
    ).toBe('upstream_timeout');
    expect(
      failureOf(() =>
        collectPieces(adapter, [Buffer.from('data: {"id":"x","message":"overloaded"}\n\n')]),
      ).code,
    ).toBe('upstream_error');
    expect(failureOf(() => collectPieces(adapter, [Buffer.from('data: {"type":\n\n')])).code).toBe(
      'unreadable_answer',
    );
  });

  it('is read as lines of JSON where the older API answers', () => {
    const lines = [
      { is_finished: false, event_type: 'stream-start', generation_id: 'g1' },
      { is_finished: false, event_type: 'text-generation', text: 'Ça ' },
      { is_finished: false, event_type: 'text-generation', text: 'va' },
      {
        is_finished: true,
        event_type: 'stream-end',
        finish_reason: 'MAX_TOKENS',
        response: {
          text: 'Ça va',
          generation_id: 'g1',
          meta: { tokens: { input_tokens: 5, output_tokens: 2 } },
          citations: [{ start: 0, end: 2, text: 'Ça', document_ids: ['d1'] }],
          documents: [{ id: 'd1', url: 'https://example.com/d1', title: 'D' }],
        },
      },
    ]
      .map((line) => JSON.stringify(line))
      .join('\n');
    for (const pieces of everyCut(lines)) {
      expect(collectPieces(adapter, pieces)).toMatchObject({
        text: 'Ça va',
        finishReason: 'length',
        ends: 1,
        usage: { promptTokens: 5, completionTokens: 2 },
        annotations: [{ url_citation: { url: 'https://example.com/d1', title: 'D' } }],
      });
    }
  });

  it("reads the older API's calls in pieces or whole, each once", () => {
    const lines = [
      { event_type: 'stream-start', generation_id: 'g2' },
      { event_type: 'tool-calls-chunk', text: 'I will look.' },
      { event_type: 'tool-calls-chunk', tool_call_delta: { index: 0, name: 'look' } },
      { event_type: 'tool-calls-chunk', tool_call_delta: { index: 0, parameters: '{"q":1}' } },
      {
        event_type: 'tool-calls-generation',
        tool_calls: [
          { name: 'look', parameters: { q: 1 } },
          { name: 'now', parameters: {} },
        ],
      },
      { event_type: 'stream-end', finish_reason: 'COMPLETE', response: {} },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
    expect(collectPieces(adapter, [Buffer.from(lines)])).toMatchObject({
      reasoning: 'I will look.',
      finishReason: 'tool_calls',
      calls: [
        { id: 'call_g2_0', name: 'look', arguments: '{"q":1}' },
        { id: 'call_g2_1', name: 'now', arguments: '{}' },
      ],
    });
  });
});

describe('an error of Cohere', () => {
  it.each<[number, object | string, string]>([
    [400, { id: 'e', message: 'too many tokens' }, 'request_refused'],
    [400, { message: 'invalid api token' }, 'provider_auth'],
    [400, { message: "model 'x' not found" }, 'request_refused'],
    [401, { message: 'invalid api token' }, 'provider_auth'],
    [402, { message: 'please add or update your payment method' }, 'provider_auth'],
    [404, { id: 'e', message: "model 'x' was removed" }, 'model_not_found'],
    [422, { message: 'unprocessable' }, 'request_refused'],
    [
      429,
      { message: 'You are using a Trial key, which is limited to 20 API calls / minute.' },
      'rate_limited',
    ],
    [498, { message: 'blocked' }, 'request_refused'],
    [499, { message: 'request cancelled' }, 'upstream_error'],
    [500, { message: 'internal server error' }, 'upstream_error'],
    [503, '<html>busy</html>', 'upstream_overloaded'],
  ])('of status %i with %j is %s', (status, body, code) => {
    const failure = adapter.readFailure(
      status,
      {},
      typeof body === 'string' ? body : JSON.stringify(body),
    );
    expect(failure).toMatchObject({ code, upstreamStatus: status });
  });

  it('contains the wait and the reason', () => {
    const failure = adapter.readFailure(
      429,
      { 'retry-after': '3' },
      JSON.stringify({ message: 'You are past the limit. Try again.' }),
    );
    expect(failure.retryAfterMs).toBe(3000);
    expect(failure.message).toBe('cohere answered 429: You are past the limit. Try again.');
  });
});

describe('embeddings of Cohere', () => {
  const embeddings = adapter.embeddings!;
  const embedBody = (body: Record<string, unknown>): unknown =>
    JSON.parse((embeddings.buildRequest(body, 'e', 'key-1') as UpstreamRequest).body as string);

  it("are requested from /v2/embed in Cohere's format", () => {
    expect(embeddings.buildRequest({ input: 'a' }, 'e', 'key-1')).toMatchObject({
      url: 'https://api.cohere.com/v2/embed',
      method: 'POST',
    });
    expect(embedBody({ input: 'a', user: 'u' })).toEqual({
      model: 'e',
      texts: ['a'],
      input_type: 'search_document',
      embedding_types: ['float'],
    });
    expect(
      embedBody({
        input: ['a', 'b'],
        dimensions: 256,
        input_type: 'search_query',
        encoding_format: 'base64',
      }),
    ).toEqual({
      model: 'e',
      texts: ['a', 'b'],
      input_type: 'search_query',
      embedding_types: ['base64'],
      output_dimension: 256,
    });
  });

  it('refuse token numbers', () => {
    expect(failureOf(() => embedBody({ input: [1, 2, 3] })).code).toBe('request_refused');
  });

  it("are returned in OpenAI's format", () => {
    const body = {
      id: 'x',
      embeddings: {
        float: [
          [0.5, -1],
          [1, 2],
        ],
      },
      texts: ['a', 'b'],
      meta: { billed_units: { input_tokens: 4 } },
    };
    expect(embeddings.readAnswer(JSON.stringify(body), 'e', {})).toEqual({
      answer: {
        object: 'list',
        model: 'e',
        usage: { prompt_tokens: 4, total_tokens: 4 },
        data: [
          { object: 'embedding', index: 0, embedding: [0.5, -1] },
          { object: 'embedding', index: 1, embedding: [1, 2] },
        ],
      },
      promptTokens: 4,
    });
    const packed = Buffer.from(Float32Array.of(0.5, -1).buffer).toString('base64');
    expect(
      embeddings.readAnswer(JSON.stringify({ embeddings: { base64: [packed] } }), 'e', {}),
    ).toMatchObject({ promptTokens: null, answer: { data: [{ embedding: packed }] } });
    expect(failureOf(() => embeddings.readAnswer('{}', 'e', {})).code).toBe('unreadable_answer');
  });
});
