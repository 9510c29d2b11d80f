import { describe, expect, test } from 'vitest';
import {
  type CompletionChoice,
  type CompletionChunk,
  type CompletionMessage,
  type CompletionSink,
  type ToolDefinition,
  unescapeJson,
  type Usage,
} from '../../src/completion.js';
import type { CompletionAnswer } from '../../src/providers/adapter.js';
import { gemini } from '../../src/providers/gemini/index.js';

const adapter = gemini.create({ name: 'gemini', api: 'gemini' });
// one answer alone would be the first candidate
const call = { request: { messages: [], n: 2 }, model: 'gemini-2.5-flash', stream: true };
const usageMetadata = {
  promptTokenCount: 10,
  toolUsePromptTokenCount: 5,
  candidatesTokenCount: 7,
  thoughtsTokenCount: 3,
  cachedContentTokenCount: 4,
  totalTokenCount: 25,
};
const usage: Usage = {
  promptTokens: 15,
  completionTokens: 10,
  reasoningTokens: 3,
  cachedTokens: 4,
  cacheWriteTokens: 0,
  estimated: false,
};

type Json = Record<string, unknown>;
const createTime = '2026-01-02T03:04:05.6Z';
const event = (parts: Json[], rest: Json = {}, top: Json = {}): Json => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }],
  modelVersion: 'gemini-x',
  responseId: 'resp/1',
  createTime,
  ...top,
});
/** Events as framed on the wire; with a date, because an answer without one takes the clock's. */
const framed = (...events: Json[]): string =>
  events.map((one) => `data: ${JSON.stringify({ createTime, ...one })}\r\n\r\n`).join('');

interface Heard {
  log: unknown[];
  text: string;
  chunks: CompletionChunk[];
  end: [string | null, Usage | null] | null;
  error: { code: string; message: string } | null;
}

function listen(pieces: readonly Buffer[]): Heard {
  const heard: Heard = { log: [], text: '', chunks: [], end: null, error: null };
  const sink: CompletionSink = {
    text(escaped, frame) {
      expect(frame).toBeNull();
      heard.log.push(escaped);
      heard.text += unescapeJson(escaped);
    },
    chunk(chunk) {
      heard.log.push(chunk);
      heard.chunks.push(chunk);
    },
    end(reason, tokens) {
      heard.end = [reason, tokens];
    },
  };
  const reader = adapter.readEvents(sink, call);
  try {
    for (const piece of pieces) reader.push(piece);
    reader.close();
  } catch (error) {
    heard.error = { code: (error as { code: string }).code, message: (error as Error).message };
  }
  return heard;
}

/** Reads the stream whole, cut at every byte, and byte by byte: the result must be the same. */
function stream(text: string): Heard {
  const bytes = Buffer.from(text);
  const whole = listen([bytes]);
  for (let cut = 1; cut < bytes.length; cut++)
    expect(listen([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole);
  expect(listen([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
  return whole;
}

const deltas = (heard: Heard): unknown[] =>
  heard.chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta));
const readWhole = (body: unknown): CompletionAnswer =>
  adapter.readCompletion(JSON.stringify(body), call);
const choiceOf = (body: unknown): CompletionChoice => readWhole(body).completion.choices[0]!;
const messageOf = (body: unknown): CompletionMessage => choiceOf(body).message;

describe('a streamed answer', () => {
  test('text and reasoning are passed on unchanged, with the usage of the last event that has it', () => {
    const heard = stream(
      framed(
        event(
          [{ text: 'Let me think. ', thought: true }],
          {},
          { usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 } },
        ),
        event(
          [{ text: 'Grüße, "Welt" 🌍\n' }],
          {},
          { usageMetadata: { trafficType: 'ON_DEMAND' } },
        ),
        event([{ text: 'Ende.' }], { finishReason: 'STOP' }, { usageMetadata }),
      ),
    );
    expect(heard.text).toBe('Grüße, "Welt" 🌍\nEnde.');
    expect(heard.chunks[0]).toEqual({
      id: 'resp/1',
      object: 'chat.completion.chunk',
      created: 1767323045,
      model: 'gemini-x',
      choices: [{ index: 0, delta: { reasoning_content: 'Let me think. ' } }],
    });
    expect(heard.chunks.at(-1)?.choices).toEqual([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    expect(heard.end).toEqual(['stop', usage]);
  });

  test('usage that follows the finish reason still counts', () => {
    expect(
      stream(framed(event([{ text: 'a' }], { finishReason: 'STOP' }), { usageMetadata })).end,
    ).toEqual(['stop', usage]);
  });

  test('a stream without a finish reason was cut short', () => {
    expect(stream(framed(event([{ text: 'half' }]))).error).toMatchObject({
      code: 'connection_failed',
    });
    expect(stream('').error).toMatchObject({ code: 'connection_failed' });
  });

  test('the last event may lack its empty line', () => {
    expect(
      listen([Buffer.from(framed(event([{ text: 'a' }], { finishReason: 'STOP' })).trimEnd())]).end,
    ).toEqual(['stop', null]);
  });

  test('each tool call has its index, and an id that is the same each time', () => {
    const heard = stream(
      framed(
        event([
          { functionCall: { name: 'weather', args: { city: 'Malmö' } }, thoughtSignature: 'sig' },
        ]),
        event(
          [
            { functionCall: { id: 'given', name: 'now' } },
            { functionCall: { name: 'weather', args: {} } },
            { text: '' },
          ],
          { finishReason: 'STOP' },
        ),
      ),
    );
    const toolCall = (
      index: number,
      id: string,
      name: string,
      args: string,
      rest: Json = {},
    ): Json => ({
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: args }, ...rest }],
    });
    expect(deltas(heard)).toEqual([
      toolCall(0, 'call_0_resp1', 'weather', '{"city":"Malmö"}', {
        extra_content: { google: { thought_signature: 'sig' } },
      }),
      toolCall(1, 'given', 'now', '{}'),
      toolCall(2, 'call_1_resp1', 'weather', '{}'),
      {},
    ]);
    expect(heard.end?.[0]).toBe('tool_calls');
  });

  test('arguments in pieces are assembled, whatever their names', () => {
    const pieces = (partialArgs: Json[]): Json =>
      event([{ functionCall: { partialArgs, willContinue: true } }]);
    const heard = stream(
      framed(
        event([{ functionCall: { name: 'book', willContinue: true } }]),
        pieces([{ jsonPath: '$.title', stringValue: 'War and ', willContinue: true }]),
        pieces([
          { jsonPath: '$.title', stringValue: 'Peace' },
          { jsonPath: '$.pages[0].number', numberValue: 1 },
          { jsonPath: '$.pages[1].read', boolValue: true },
        ]),
        pieces([
          { jsonPath: '$.__proto__.polluted', boolValue: true },
          { jsonPath: "$['odd key']", nullValue: null },
          { jsonPath: '$.big[99999999]', numberValue: 1 },
        ]),
        event([{ functionCall: {} }], { finishReason: 'STOP' }),
      ),
    );
    const [delta] = deltas(heard) as [{ tool_calls: [{ function: { arguments: string } }] }];
    expect(delta.tool_calls[0].function.arguments).toBe(
      '{"title":"War and Peace","pages":[{"number":1},{"read":true}],"__proto__":{"polluted":true},"odd key":null,"big":[]}',
    );
    expect(({} as Json)['polluted']).toBeUndefined();
  });

  test('a call that the end of the answer interrupts is still passed on', () => {
    const heard = stream(
      framed(
        event([{ functionCall: { name: 'book', willContinue: true } }], {
          finishReason: 'MAX_TOKENS',
        }),
      ),
    );
    expect(deltas(heard)[0]).toMatchObject({
      tool_calls: [{ function: { name: 'book', arguments: '{}' } }],
    });
    expect(heard.end?.[0]).toBe('length');
  });

  test('an error event is the failure that it names', () => {
    const heard = stream(
      framed(event([{ text: 'a' }]), {
        error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' },
      }),
    );
    expect(heard.error).toEqual({
      code: 'upstream_overloaded',
      message: 'gemini answered 503: The model is overloaded.',
    });
  });

  test('an error that is written as bare JSON after some events is found', () => {
    const heard = stream(
      `${framed(event([{ text: 'a' }]))}{\n  "error": {\n    "code": 429,\n    "message": "slow down",\n    "status": "RESOURCE_EXHAUSTED"\n  }\n}\n`,
    );
    expect(heard).toMatchObject({ text: 'a', error: { code: 'rate_limited' } });
  });

  test('a body that is a JSON array is read too, and a truncated one is a truncated stream', () => {
    const body = `[${JSON.stringify(event([{ text: 'a' }]), null, 2)}\n,\r\n${JSON.stringify(event([{ text: 'b' }], { finishReason: 'STOP' }), null, 2)}\n]`;
    expect(stream(body)).toMatchObject({ text: 'ab', end: ['stop', null] });
    expect(stream(body.slice(0, -1)).error?.code).toBe('connection_failed');
  });

  test('events in a list, or in the field `response` as Code Assist sends them, are read', () => {
    const [first, last] = [
      event([{ text: 'a' }]),
      event([{ text: 'b' }], { finishReason: 'STOP' }),
    ];
    const wrapped = [{ response: first }, { response: last, traceId: 't' }] as Json[];
    for (const events of [framed(...wrapped), `data: ${JSON.stringify([first, last])}\n\n`])
      expect(stream(events)).toMatchObject({ text: 'ab', end: ['stop', null] });
    expect(messageOf({ response: last }).content).toBe('b');
  });

  test('an event that is not JSON makes the answer unreadable', () => {
    expect(stream('data: {"candidates": [\r\n\r\n').error?.code).toBe('unreadable_answer');
    expect(stream('data: {"candidates": 7\n\n').error?.code).toBe('unreadable_answer');
  });

  test('several candidates stay separate, and the finish reason is that of the first', () => {
    const heard = stream(
      framed({
        candidates: [
          { index: 0, content: { parts: [{ text: 'one' }] }, finishReason: 'STOP' },
          {
            index: 1,
            content: { parts: [{ text: 'two' }, { functionCall: { name: 'f' } }] },
            finishReason: 'MAX_TOKENS',
          },
        ],
        responseId: 'r',
      }),
    );
    expect(heard.text).toBe('one');
    expect(heard.chunks.map((chunk) => chunk.choices[0])).toEqual([
      { index: 1, delta: { content: 'two' } },
      {
        index: 1,
        delta: {
          tool_calls: [
            {
              index: 0,
              id: 'call_0_r',
              type: 'function',
              function: { name: 'f', arguments: '{}' },
            },
          ],
        },
      },
      { index: 0, delta: {}, finish_reason: 'stop' },
      { index: 1, delta: {}, finish_reason: 'length' },
    ]);
    expect(heard.end?.[0]).toBe('stop');
  });
});

describe('a whole answer', () => {
  test('has the same content as a stream of it', () => {
    const answer = readWhole([
      event([{ text: 'hm', thought: true }, { text: 'See ' }]),
      event(
        [
          { text: 'this', thoughtSignature: 'sig' },
          { functionCall: { name: 'f', args: { a: 1 } } },
        ],
        { finishReason: 'STOP' },
        { usageMetadata },
      ),
    ]);
    expect(answer.completion).toEqual({
      id: 'resp/1',
      object: 'chat.completion',
      created: 1767323045,
      model: 'gemini-x',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: 'See this',
            reasoning_content: 'hm',
            extra_content: { google: { thought_signature: 'sig' } },
            tool_calls: [
              {
                id: 'call_0_resp1',
                type: 'function',
                function: { name: 'f', arguments: '{"a":1}' },
              },
            ],
          },
        },
      ],
      usage: {
        prompt_tokens: 15,
        completion_tokens: 10,
        total_tokens: 25,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    });
    expect(answer.usage).toEqual(usage);
  });

  test.each([
    ['STOP', 'stop'],
    ['OTHER', 'stop'],
    ['LANGUAGE', 'stop'],
    ['MAX_TOKENS', 'length'],
    ...[
      'SAFETY',
      'RECITATION',
      'BLOCKLIST',
      'PROHIBITED_CONTENT',
      'SPII',
      'IMAGE_SAFETY',
      'MODEL_ARMOR',
    ].map((reason) => [reason, 'content_filter']),
  ])('with the finish reason %s is reported as %s', (finishReason, expected) => {
    expect(choiceOf({ candidates: [{ content: {}, finishReason }] })).toEqual({
      index: 0,
      message: { role: 'assistant', content: null },
      finish_reason: expected,
    });
  });

  test.each([
    ['MALFORMED_FUNCTION_CALL', 'unreadable_answer'],
    ['UNEXPECTED_TOOL_CALL', 'unreadable_answer'],
    ['MALFORMED_RESPONSE', 'unreadable_answer'],
    ['MISSING_THOUGHT_SIGNATURE', 'request_refused'],
  ])('that stopped for %s is a failure', (finishReason, code) => {
    expect(() => readWhole(event([], { finishReason }))).toThrow(expect.objectContaining({ code }));
    expect(stream(framed(event([], { finishReason }))).error?.code).toBe(code);
  });

  test('a blocked prompt is a refusal', () => {
    const body = {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
    };
    expect(readWhole(body).completion.choices).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          refusal: 'The prompt was blocked: PROHIBITED_CONTENT.',
        },
        finish_reason: 'content_filter',
      },
    ]);
    expect(stream(framed(body)).end).toMatchObject(['content_filter', { promptTokens: 4 }]);
  });

  test('pictures and sound are kept, and executed code where it was asked for', () => {
    const body = event(
      [
        { text: 'thinking in pictures', thought: true },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        { inlineData: { mimeType: 'audio/wav', data: 'BBBB' } },
        { executableCode: { language: 'PYTHON', code: 'print(1)\n' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } },
      ],
      { finishReason: 'STOP' },
    );
    const read = (tools: object[]): CompletionMessage | undefined =>
      adapter.readCompletion(JSON.stringify(body), {
        ...call,
        request: { messages: [], tools: tools as ToolDefinition[] },
      }).completion.choices[0]?.message;
    // other tools of Google's run code too
    expect(read([{ fileSearch: {} }])?.content ?? '').toBe('');
    expect(read([{ codeExecution: {} }])).toMatchObject({
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
      audio: { data: 'BBBB', format: 'wav' },
      content: '\n```python\nprint(1)\n```\n\n```\n1\n```\n',
    });
  });

  test('sources are cited with offsets in characters, although Google counts bytes', () => {
    const grounding = {
      groundingChunks: [
        { web: { uri: 'https://a.example', title: 'a' } },
        { retrievedContext: { fileSearchStore: 'fileSearchStores/s', text: 'snippet' } },
        { web: { uri: 'https://c.example' } },
      ],
      groundingSupports: [
        {
          segment: { startIndex: 9, endIndex: 15, text: 'Zweite' },
          groundingChunkIndices: [0, 1, 9],
        },
        { segment: { startIndex: 0, endIndex: 3, text: 'nowhere' }, groundingChunkIndices: [0] },
      ],
    };
    expect(
      messageOf(
        event([{ text: 'Größe. ' }, { text: 'Zweite.' }], {
          finishReason: 'STOP',
          groundingMetadata: grounding,
        }),
      ).annotations,
    ).toEqual([
      {
        type: 'url_citation',
        url_citation: { url: 'https://a.example', title: 'a', start_index: 7, end_index: 13 },
      },
      {
        type: 'url_citation',
        url_citation: {
          url: 'fileSearchStores/s',
          content: 'snippet',
          start_index: 7,
          end_index: 13,
        },
      },
      { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'a' } },
      { type: 'url_citation', url_citation: { url: 'https://c.example' } },
    ]);
  });

  test("log probabilities are in OpenAI's format", () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'é', tokenId: 5, logProbability: -0.5 }],
      topCandidates: [{ candidates: [{ token: 'é', logProbability: -0.5 }] }],
    };
    expect(
      choiceOf([
        event([{ text: 'é' }], { logprobsResult }),
        event([], { finishReason: 'STOP', logprobsResult }),
      ]).logprobs,
    ).toEqual({
      content: Array(2).fill({
        token: 'é',
        logprob: -0.5,
        bytes: [195, 169],
        top_logprobs: [{ token: 'é', logprob: -0.5, bytes: [195, 169] }],
      }),
    });
  });

  test('an error under 200 is the failure that it names', () => {
    expect(() =>
      readWhole([
        event([{ text: 'a' }]),
        { error: { status: 'PERMISSION_DENIED', message: 'no' } },
      ]),
    ).toThrow(expect.objectContaining({ code: 'provider_auth', upstreamStatus: 403 }));
  });

  test.each([
    '',
    'null',
    '7',
    '[1]',
    '{}',
    '[]',
    '{"candidates":[]}',
    '{"candidates":{}}',
    '{"candidates":[null]}',
    '{"candidates":[{"content":{"parts":[null]}}]}',
    '<html>',
  ])('the body %j is unreadable', (body) => {
    expect(() => adapter.readCompletion(body, call)).toThrow(
      expect.objectContaining({ code: 'unreadable_answer' }),
    );
  });

  test('a whole body without a finish reason is still an answer', () => {
    const { completion } = adapter.readCompletion(
      '{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}',
      call,
    );
    expect(completion.choices).toMatchObject([{ message: { content: 'a' } }]);
  });
});
