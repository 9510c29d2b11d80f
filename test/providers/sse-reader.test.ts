import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unescapeJson } from '../../src/completion.js';
import { sseReader } from '../../src/providers/sse-reader.js';
import { runs } from '../helpers/runs.js';

function read(body: string, size: number): [string | undefined, string][] {
  const events: [string | undefined, string][] = [];
  const reader = sseReader(
    (name, payload) => events.push([name, payload]),
    () => undefined,
  );
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.close();
  return events;
}

describe('a stream of server-sent events', () => {
  it.each([
    ['LF', 'event: a\ndata: {"x":"ü"}\n\ndata: [2]\n\n'],
    ['CRLF', 'event: a\r\ndata: {"x":"ü"}\r\n\r\ndata: [2]\r\n\r\n'],
    ['no space after the colon', 'event:a\ndata:{"x":"ü"}\n\ndata:[2]\n\n'],
    [
      'comments, ids and retries',
      ': hello\n\nid: 1\nretry: 5\nevent: a\n: between\ndata: {"x":"ü"}\n\n:\n\ndata: [2]\n\n',
    ],
    ['a byte order mark', '\ufeffevent: a\ndata: {"x":"ü"}\n\ndata: [2]\n\n'],
    ['no empty line at its end', 'event: a\ndata: {"x":"ü"}\n\ndata: [2]'],
    [
      'events without data',
      'event: ping\n\ndata:\n\ndata: \n\nevent: a\ndata: {"x":"ü"}\n\ndata: [2]\n\n',
    ],
  ])('is read alike with %s, however it is cut', (_name, body) => {
    for (const size of [1, 2, 3, 7, 1000])
      expect(read(body, size)).toEqual([
        ['a', '{"x":"ü"}'],
        [undefined, '[2]'],
      ]);
  });
});

describe('events of text', () => {
  interface Event {
    readonly name: string | undefined;
    readonly data: string;
    readonly text: string | null;
  }
  /** Reads events; `recognised` counts those that were not parsed. */
  function readTexts(
    sent: string,
    sizes: readonly number[],
  ): { events: Event[]; recognised: number } {
    const events: Event[] = [];
    let recognised = 0;
    const reader = sseReader(
      (name, data) => {
        const { text } = JSON.parse(data) as { text?: unknown };
        events.push({ name, data, text: typeof text === 'string' ? text : null });
        return typeof text === 'string';
      },
      () => undefined,
      {
        field: 'text',
        varying: /"n":\s*\d+|"id":\s*"\w*"/,
        onText(escaped, name, data) {
          recognised++;
          const utf8 = Buffer.from(data, 'latin1').toString('utf8');
          events.push({ name, data: utf8, text: unescapeJson(escaped) });
        },
      },
    );
    const bytes = Buffer.from(sent);
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const size = sizes[turn % sizes.length] ?? bytes.length;
      reader.push(bytes.subarray(at, at + size));
      at += size;
    }
    reader.close();
    return { events, recognised };
  }

  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '"', '\\', '\n\n', '","n":1}'),
  );
  const event = fc.record({
    name: fc.constantFrom('delta', 'other', undefined),
    kind: fc.constantFrom('a', 'b.*', 'ü'),
    n: fc.nat(1_000),
    text: fc.option(text.map((value) => value.replace(/[\ud800-\udfff]/g, '?'))),
    end: fc.constantFrom('\n\n', '\n\n', '\n\n', '\r\n\r\n'),
  });

  it('are read as if each were parsed, however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(event, fc.integer({ min: 1, max: 4 }))),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
        (groups, sizes) => {
          const all = groups.flatMap(([one, times]) => Array<typeof one>(times).fill(one));
          const expected = all.map(({ name, kind, n, text: said }, at) => ({
            name,
            data: JSON.stringify({ kind, ...(said === null ? {} : { text: said }), n: n + at }),
            text: said,
          }));
          const sent = expected.map(
            ({ name, data }, at) =>
              `${name === undefined ? '' : `event: ${name}\n`}data: ${data}${all[at]!.end}`,
          );
          expect(readTexts(sent.join(''), sizes).events).toEqual(expected);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  it('are parsed once where they differ in their text and in what means nothing', () => {
    const sent = Array.from(
      { length: 50 },
      (_, n) => `event: delta\ndata: {"text":"w${n} ü\\n","n":${n}}\n\n`,
    );
    expect(readTexts(sent.join(''), [10_000]).recognised).toBe(49);
  });
});
