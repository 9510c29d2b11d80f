import { describe, expect, it } from 'vitest';
import { unescapeJson, type CompletionChunk, type Usage } from '../../src/completion.js';
import { GatewayError } from '../../src/errors.js';
import { readConverseStream } from '../../src/providers/bedrock/events.js';
import { event, exception, frame } from '../helpers/event-stream.js';

interface Heard {
  text: string;
  chunks: CompletionChunk['choices'][];
  ends: [string | null, Usage | null][];
}

function reader(): { heard: Heard; reader: ReturnType<typeof readConverseStream> } {
  const heard: Heard = { text: '', chunks: [], ends: [] };
  return {
    heard,
    reader: readConverseStream('bedrock', 'amazon.nova-lite-v1:0', {
      text: (escaped) => (heard.text += unescapeJson(escaped)),
      chunk: (chunk) => heard.chunks.push(chunk.choices),
      end: (finishReason, usage) => heard.ends.push([finishReason, usage]),
    }),
  };
}

function hear(bytes: Buffer, pieceBytes = bytes.length): Heard {
  const { heard, reader: events } = reader();
  for (let at = 0; at < bytes.length; at += pieceBytes)
    events.push(bytes.subarray(at, at + pieceBytes));
  events.close();
  return heard;
}

const deltas = (heard: Heard): unknown[] => heard.chunks.map(([choice]) => choice?.delta);

function failureOf(...frames: Buffer[]): GatewayError {
  try {
    hear(Buffer.concat(frames));
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  throw new Error('expected a GatewayError');
}

const delta = (index: number, content: unknown): Buffer =>
  event('contentBlockDelta', { contentBlockIndex: index, delta: content });
const start = (index: number, toolUse: unknown): Buffer =>
  event('contentBlockStart', { contentBlockIndex: index, start: { toolUse } });
const stop = (index: number): Buffer => event('contentBlockStop', { contentBlockIndex: index });
const begun = event('messageStart', { role: 'assistant' });
const ended = (stopReason: string): Buffer => event('messageStop', { stopReason });
const metadata = event('metadata', {
  metrics: { latencyMs: 7 },
  usage: {
    inputTokens: 10,
    outputTokens: 20,
    cacheReadInputTokens: 300,
    cacheWriteInputTokens: 4000,
    totalTokens: 4330,
  },
});

const everything = Buffer.concat([
  begun,
  delta(0, { reasoningContent: { text: 'Größer ' } }),
  delta(0, { reasoningContent: { text: 'als 3?' } }),
  delta(0, { reasoningContent: { signature: 'c2ln' } }),
  stop(0),
  delta(1, { text: 'Ja, ' }),
  delta(1, { text: '"π" > 3 🚂\n' }),
  stop(1),
  start(2, { toolUseId: 'tooluse_1', name: 'weather' }),
  delta(2, { toolUse: { input: '{"city":' } }),
  delta(2, { toolUse: { input: '"Köln"}' } }),
  stop(2),
  ended('tool_use'),
  metadata,
]);

describe('a stream of Converse', () => {
  it('brings text, reasoning, tool calls and usage', () => {
    const heard = hear(everything);
    expect(heard.text).toBe('Ja, "π" > 3 🚂\n');
    expect(deltas(heard)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Größer ' },
      { reasoning_content: 'als 3?' },
      { reasoning_details: [{ type: 'reasoning.text', text: 'Größer als 3?', signature: 'c2ln' }] },
      {
        tool_calls: [
          {
            index: 0,
            id: 'tooluse_1',
            type: 'function',
            function: { name: 'weather', arguments: '' },
          },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"Köln"}' } }] },
    ]);
    expect(heard.ends).toEqual([
      [
        'tool_calls',
        {
          promptTokens: 4310,
          completionTokens: 20,
          reasoningTokens: 0,
          cachedTokens: 300,
          cacheWriteTokens: 4000,
          estimated: false,
        },
      ],
    ]);
  });

  it('reads the same wherever the bytes are cut', () => {
    const whole = hear(everything);
    for (const pieceBytes of [1, 2, 7, 11, 12, 13, 100])
      expect(hear(everything, pieceBytes)).toEqual(whole);
    for (let cut = 1; cut < everything.length; cut++) {
      const { heard, reader: events } = reader();
      events.push(everything.subarray(0, cut));
      events.push(everything.subarray(cut));
      events.close();
      expect(heard).toEqual(whole);
    }
  });

  it('ends as soon as both the end and the usage are there, in either order', () => {
    for (const frames of [
      [ended('end_turn'), metadata],
      [metadata, ended('end_turn')],
    ]) {
      const { heard, reader: events } = reader();
      for (const bytes of frames) {
        expect(heard.ends).toEqual([]);
        events.push(bytes);
      }
      expect(heard.ends).toHaveLength(1);
      events.close();
      expect(heard.ends).toHaveLength(1);
    }
  });

  it('is complete without usage once messageStop has arrived', () => {
    expect(hear(Buffer.concat([begun, delta(0, { text: 'Hi' }), ended('end_turn')])).ends).toEqual([
      ['stop', null],
    ]);
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
  ])('calls %s %s', (stopReason, finishReason) => {
    expect(hear(Buffer.concat([delta(0, { text: 'Hi' }), ended(stopReason)])).ends).toEqual([
      [finishReason, null],
    ]);
  });

  it('gives a tool call without arguments an empty object, even where its block is never closed', () => {
    const heard = hear(
      Buffer.concat([
        start(0, { toolUseId: 'a', name: 'now' }),
        delta(0, { toolUse: { input: '' } }),
        ended('tool_use'),
      ]),
    );
    expect(deltas(heard).at(-1)).toEqual({
      tool_calls: [{ index: 0, function: { arguments: '{}' } }],
    });
  });

  it('counts tool calls by themselves, not by their blocks', () => {
    const heard = hear(
      Buffer.concat([
        delta(0, { text: 'Two calls' }),
        start(1, { toolUseId: 'a', name: 'f' }),
        delta(1, { toolUse: { input: '{}' } }),
        stop(1),
        start(3, { toolUseId: 'b', name: 'g' }),
        delta(3, { toolUse: { input: '{}' } }),
        stop(3),
        ended('tool_use'),
      ]),
    );
    expect(
      deltas(heard).map(
        (found) => (found as { tool_calls: { index: number }[] }).tool_calls[0]?.index,
      ),
    ).toEqual([0, 0, 1, 1]);
  });

  it('keeps calls that AWS runs by itself from the client', () => {
    const heard = hear(
      Buffer.concat([
        start(0, { toolUseId: 'a', name: 'nova_code_interpreter', type: 'server_tool_use' }),
        delta(0, { toolUse: { input: '{"snippet":"1+1"}' } }),
        stop(0),
        event('contentBlockStart', {
          contentBlockIndex: 1,
          start: { toolResult: { toolUseId: 'a', status: 'success' } },
        }),
        delta(1, { toolResult: [{ json: { stdOut: '2' } }] }),
        stop(1),
        delta(2, { text: 'Two.' }),
        ended('end_turn'),
      ]),
    );
    expect(heard.chunks).toEqual([]);
    expect(heard.text).toBe('Two.');
    expect(heard.ends).toEqual([['stop', null]]);
  });

  it('decodes encrypted thinking to what Anthropic itself sends', () => {
    const sealed = (text: string): unknown => ({
      reasoningContent: { redactedContent: Buffer.from(text).toString('base64') },
    });
    const heard = hear(
      Buffer.concat([
        delta(0, sealed('EtkE')),
        delta(0, sealed('CkgI')),
        stop(0),
        delta(1, { text: 'Hi' }),
        ended('end_turn'),
      ]),
    );
    expect(deltas(heard)).toEqual([
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'EtkECkgI' }] },
    ]);
  });

  it('hands out no detail for a thought without a signature', () => {
    const heard = hear(
      Buffer.concat([
        delta(0, { reasoningContent: { text: 'Hm.' } }),
        stop(0),
        delta(1, { text: 'Hi' }),
        ended('end_turn'),
      ]),
    );
    expect(deltas(heard)).toEqual([{ reasoning_content: 'Hm.' }]);
  });

  it('turns citations with an address into annotations of the cited text', () => {
    const heard = hear(
      Buffer.concat([
        delta(0, { text: 'Well: ' }),
        stop(0),
        delta(1, {
          citation: {
            title: 'Trains',
            source: 'https://example.org/trains',
            sourceContent: [{ text: 'Trains run.' }],
            location: { searchResultLocation: { start: 0, end: 1 } },
          },
        }),
        delta(1, {
          citation: {
            location: { web: { url: 'https://example.org/web', domain: 'example.org' } },
          },
        }),
        delta(1, {
          citation: {
            title: 'a page of a file',
            location: { documentPage: { documentIndex: 0, start: 1, end: 2 } },
          },
        }),
        delta(1, { text: 'they run' }),
        stop(1),
        ended('end_turn'),
      ]),
    );
    expect(deltas(heard)).toEqual([
      {
        annotations: [
          {
            type: 'url_citation',
            url_citation: {
              url: 'https://example.org/trains',
              title: 'Trains',
              content: 'Trains run.',
              start_index: 6,
              end_index: 14,
            },
          },
          {
            type: 'url_citation',
            url_citation: { url: 'https://example.org/web', start_index: 6, end_index: 14 },
          },
        ],
      },
    ]);
  });
});

describe('a stream of Converse that fails', () => {
  it.each([
    ['throttlingException', 'Too many tokens, please wait', 'rate_limited', 429],
    ['modelStreamErrorException', 'broke', 'upstream_error', 424],
    ['internalServerException', 'oops', 'upstream_error', 500],
    ['modelTimeoutException', 'too slow', 'upstream_error', 408],
    ['serviceUnavailableException', 'come back', 'upstream_overloaded', 503],
    ['validationException', 'Input is too long for requested model.', 'request_refused', 400],
    ['validationException', 'The provided model identifier is invalid.', 'request_refused', 400],
    ['somethingNewException', 'what?', 'upstream_error', 500],
  ])('%s (%s) is %s', (type, message, code, status) => {
    const failure = failureOf(begun, delta(0, { text: 'Hi' }), exception(type, message));
    expect(failure.code).toBe(code);
    expect(failure.upstreamStatus).toBe(status);
    expect(failure.message).toBe(`bedrock answered ${status}: ${message}`);
  });

  it('reads an unmodelled error too', () => {
    const failure = failureOf(
      frame(
        { ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'gone' },
        {},
      ),
    );
    expect(failure.code).toBe('upstream_error');
    expect(failure.message).toContain('gone');
  });

  it('is a fault where the model wrote what Bedrock could not read', () => {
    expect(failureOf(delta(0, { text: 'Hi' }), ended('malformed_tool_use')).code).toBe(
      'upstream_error',
    );
  });

  it('is cut short where it stops before its end, even between two frames', () => {
    expect(failureOf(begun, delta(0, { text: 'Hi' }), stop(0)).code).toBe('connection_failed');
    expect(failureOf(begun, delta(0, { text: 'Hi' }).subarray(0, 40)).code).toBe(
      'connection_failed',
    );
    expect(failureOf().code).toBe('connection_failed');
  });

  it('is unreadable where any single byte is wrong', () => {
    const good = delta(0, { text: 'Hi' });
    for (let at = 0; at < good.length; at++) {
      const bad = Buffer.from(good);
      bad[at] = bad[at]! ^ 0x10;
      const failure = failureOf(bad);
      expect(failure.code).toBe('unreadable_answer');
      expect(failure.message).not.toContain('Hi');
    }
  });

  it('notices a wrong length at once instead of waiting for it', () => {
    const { reader: events } = reader();
    const bad = Buffer.from(begun);
    bad.writeUInt32BE(0x00ff_ffff, 0);
    expect(() => events.push(bad.subarray(0, 12))).toThrow(
      expect.objectContaining({ code: 'unreadable_answer' }),
    );
  });

  it('is unreadable where a payload is not JSON, or the body is not an event stream', () => {
    for (const payload of ['{"delta":', 'null'])
      expect(
        failureOf(frame({ ':event-type': 'contentBlockDelta', ':message-type': 'event' }, payload))
          .code,
      ).toBe('unreadable_answer');
    expect(failureOf(Buffer.from('event: message\ndata: {}\n\n')).code).toBe('unreadable_answer');
  });
});
