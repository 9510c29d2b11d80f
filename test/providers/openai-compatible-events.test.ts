import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CompletionSink, unescapeJson, type Usage } from '../../src/completion.js';
import { GatewayError } from '../../src/errors.js';
import { openAIEvents } from '../../src/providers/openai-compatible/events.js';
import { runs } from '../helpers/runs.js';

interface Told {
  /** Text as a client would read it, whether it arrived as text or in a chunk. */
  text: string;
  /** The parsed frame that is passed on. */
  frame: unknown;
}
interface Reading {
  told: Told[];
  /** How many events were passed on as text. */
  asText: number;
  end: { finishReason: string | null; usage: Usage | null } | null;
  failure: string | null;
}

const parse = (frame: string | null): unknown =>
  frame === null ? null : JSON.parse(Buffer.from(frame, 'latin1').toString('utf8'));

function sinkInto(reading: Reading): CompletionSink {
  return {
    text(escaped, frame) {
      reading.asText++;
      reading.told.push({ text: unescapeJson(escaped), frame: parse(frame) });
    },
    chunk: (chunk, frame) =>
      void reading.told.push({
        text: chunk.choices.map(({ delta }) => delta.content ?? '').join(''),
        frame: parse(frame),
      }),
    end: (finishReason, usage) => void (reading.end = { finishReason, usage }),
  };
}

const nothing = (): Reading => ({ told: [], asText: 0, end: null, failure: null });

/**
 * Reads pieces with one reader, which takes the fast path where a chunk resembles the previous one.
 */
function readTogether(pieces: readonly Buffer[], close = false): Reading {
  const reading = nothing();
  const reader = openAIEvents(sinkInto(reading), 'p', { n: 2 });
  try {
    for (const piece of pieces) reader.push(piece);
    if (close) reader.close();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    reading.failure = error.code;
  }
  return reading;
}

/** Reads each event with a new reader, which must parse it. */
function readApart(events: readonly Buffer[]): Reading {
  const reading = nothing();
  for (const event of events) {
    const one = readTogether([event]);
    reading.told.push(...one.told);
    if (one.failure) return { ...reading, failure: one.failure };
  }
  return reading;
}

const event = (payload: string): Buffer => Buffer.from(`data: ${payload}\n\n`);

/** A text in one of the ways that JSON may encode it. */
const spellings: ((text: string) => string)[] = [
  (text) => JSON.stringify(text),
  (text) =>
    JSON.stringify(text).replace(
      /[\u007f-\uffff]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  (text) => JSON.stringify(text).replaceAll('/', '\\/'),
];
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 10 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom(
    '',
    ' ',
    '"',
    '\\',
    '\\\\',
    '\n',
    '","role":"x',
    '"}}]}',
    '"content":"',
    '\\"content\\":\\"',
    '[DONE]',
    'é漢👩‍👧',
    '\ud800',
    '\u2028',
  ),
);
/** Possible envelopes of the text, which replaces `§`. */
const envelope = fc.constantFrom(
  '{"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":§},"finish_reason":null}]}',
  '{"id":"a","choices":[{"index":0,"delta":{"role":"assistant","content":§},"logprobs":null,"finish_reason":null}],"usage":null}',
  '{"choices":[{"delta":{"content":§},"index":0}],"id":"a"}',
  '{"choices":[{"index":0,"delta":{"content":§,"reasoning_content":null}}]}',
  '{"choices":[{"index":0,"delta":{"reasoning_content":§}}]}',
  '{"choices":[{"index":0,"delta":{"content":"x","reasoning_content":§}}]}',
  '{"choices":[{"index":1,"delta":{"content":§}}]}',
  '{"choices":[{"index":0,"delta":{"content":§}},{"index":1,"delta":{"content":"b"}}]}',
  '{"choices":[{"index":0,"delta":{"content":§},"finish_reason":"length"}]}',
  '{"choices":[{"index":0,"delta":{"content":§},"logprobs":{"content":[{"token":"x"}]}}]}',
  '{"note":"\\"content\\":\\"","choices":[{"index":0,"delta":{"content":§}}]}',
  '{"note":§,"choices":[{"index":0,"delta":{"content":"fixed"}}]}',
  '{"content":"","choices":[{"index":0,"delta":{"content":§}}]}',
  '{"choices":[{"index":0,"delta":{"content":§,"annotations":[]}}]}',
  '{"choices":[{"index":0,"delta":{"content":"a"}}],"obfuscation":§}',
  '{"choices":[{"index":0,"delta":{"content":§,"tool_calls":[{"index":0,"id":"c"}]}}]}',
  '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2},"note":§}',
);
const payload = fc
  .tuple(envelope, text, fc.constantFrom(...spellings))
  .map(([around, inside, spell]) => around.replace('§', () => spell(inside)));
/** Chunks in runs with the same envelope, as providers send them. */
const run = fc
  .tuple(
    envelope,
    fc.array(fc.tuple(text, fc.constantFrom(...spellings)), { minLength: 1, maxLength: 5 }),
  )
  .map(([around, texts]) =>
    texts.map(([inside, spell]) => around.replace('§', () => spell(inside))),
  );
const ends = (one: string): boolean => one.includes('"finish_reason":"length"');
const streams = fc
  .array(
    fc.oneof(
      run,
      payload.map((one) => [one]),
    ),
    { minLength: 1, maxLength: 5 },
  )
  // a reason that was given is not given again
  .map((runs) => runs.flat().filter((one, at, all) => !ends(one) || all.findIndex(ends) === at))
  .map((payloads) => payloads.map(event));

describe("a reader of OpenAI's stream", () => {
  it('reads a chunk that resembles the previous one as if it were the first', () => {
    fc.assert(
      fc.property(streams, (events) => {
        const together = readTogether([Buffer.concat(events)]);
        const apart = readApart(events);
        expect(together.told).toEqual(apart.told);
        expect(together.failure).toEqual(apart.failure);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('reads the same however the bytes are cut', () => {
    fc.assert(
      fc.property(streams, fc.array(fc.nat(), { maxLength: 8 }), (events, cuts) => {
        const body = Buffer.concat([
          ...events,
          event('{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'),
          event('[DONE]'),
        ]);
        const places = [...new Set([0, ...cuts.map((cut) => cut % body.length), body.length])].sort(
          (a, b) => a - b,
        );
        const whole = readTogether([body], true);
        const cut = readTogether(
          places.slice(1).map((place, n) => body.subarray(places[n], place)),
          true,
        );
        expect(cut).toEqual(whole);
        expect(
          readTogether(
            Array.from(body, (byte) => Buffer.from([byte])),
            true,
          ),
        ).toEqual(whole);
      }),
      { numRuns: runs(500) },
    );
  });

  it('reads the same with the line ends of other systems', () => {
    fc.assert(
      fc.property(streams, (events) => {
        const body = Buffer.concat(events);
        expect(
          readTogether([Buffer.from(body.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')]),
        ).toEqual(readTogether([body]));
      }),
      { numRuns: runs(500) },
    );
  });

  it('is not deceived by text that closes its own string', () => {
    const around = '{"choices":[{"index":0,"delta":{"content":"§"}}]}';
    const events = ['a', 'b","refusal":"no', 'c\\', 'd'].map((inside) =>
      event(around.replace('§', inside)),
    );
    const apart = readApart(events);
    expect(readTogether(events)).toMatchObject({ told: apart.told, failure: apart.failure });
    expect(apart.failure).toBe('unreadable_answer');
    expect(apart.told[1]?.frame).toEqual({
      choices: [{ index: 0, delta: { content: 'b', refusal: 'no' } }],
    });
  });

  it.each(['\t', '\u0001', '\u001f'])(
    'escapes a bare control character (%j), which JSON does not allow',
    (character) => {
      const around = '{"choices":[{"index":0,"delta":{"content":"§"}}]}';
      const events = ['a', character].map((inside) => event(around.replace('§', inside)));
      const { told, failure } = readTogether(events);
      expect(failure).toBeNull();
      expect(told).toMatchObject([{ text: 'a' }, { text: character }]);
    },
  );

  it('takes the fast path where it can', () => {
    const around = '{"choices":[{"index":0,"delta":{"content":"§"}}]}';
    const { asText, told } = readTogether(
      ['a', 'é', '\\n', '\\u00e9 "'.replace('"', '\\"')].map((inside) =>
        event(around.replace('§', inside)),
      ),
    );
    expect(asText).toBe(4);
    expect(told.map(({ text: each }) => each).join('')).toBe('aé\né "');
  });
});

it('reads many calls of a stream in a time that grows with their number', () => {
  const eventsOf = (count: number): Buffer[] =>
    Array.from({ length: count }, (_, index) => {
      const called = { name: 'put', arguments: '{}' };
      const calls = [{ index, id: `c${index}`, type: 'function', function: called }];
      return event(JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: calls } }] }));
    });
  const [few, many] = [eventsOf(4_000), eventsOf(16_000)];
  const timeOf = (events: readonly Buffer[]): number => {
    const start = performance.now();
    expect(readTogether(events).told).toHaveLength(events.length);
    return performance.now() - start;
  };
  const shortest = (events: readonly Buffer[]): number =>
    Math.min(...[0, 1, 2].map(() => timeOf(events)));
  // with the square of their number it would be sixteen times
  expect(shortest(many) / shortest(few)).toBeLessThan(9);
});
