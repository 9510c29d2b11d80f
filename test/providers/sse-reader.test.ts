import { describe, expect, it } from 'vitest';
import { sseReader } from '../../src/providers/sse-reader.js';

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
    ['LF', 'event: a\ndata: {"x":"ü"}\n\ndata: 2\n\n'],
    ['CRLF', 'event: a\r\ndata: {"x":"ü"}\r\n\r\ndata: 2\r\n\r\n'],
    ['no space after the colon', 'event:a\ndata:{"x":"ü"}\n\ndata:2\n\n'],
    [
      'comments, ids and retries',
      ': hello\n\nid: 1\nretry: 5\nevent: a\n: between\ndata: {"x":"ü"}\n\n:\n\ndata: 2\n\n',
    ],
    ['a byte order mark', '\ufeffevent: a\ndata: {"x":"ü"}\n\ndata: 2\n\n'],
    ['no empty line at its end', 'event: a\ndata: {"x":"ü"}\n\ndata: 2'],
    [
      'events without data',
      'event: ping\n\ndata:\n\ndata: \n\nevent: a\ndata: {"x":"ü"}\n\ndata: 2\n\n',
    ],
  ])('is read alike with %s, however it is cut', (_name, body) => {
    for (const size of [1, 2, 3, 7, 1000])
      expect(read(body, size)).toEqual([
        ['a', '{"x":"ü"}'],
        [undefined, '2'],
      ]);
  });
});
