import { describe, expect, it } from 'vitest';
import type { ChunkDelta, CompletionSink } from '../src/completion.js';
import type { ModelCall } from '../src/providers/adapter.js';
import { dialects } from '../src/providers/index.js';
import { callOf } from './helpers/collect-stream.js';
import { classify, parseEvents } from './helpers/expected.js';
import { listAt, textAt } from './helpers/json.js';
import { bodyOf, type Exchange, listRecorded, recordedDir } from './helpers/recorded.js';

const dir = recordedDir();
if (!dir) console.warn('Recorded searches: SKIPPED, there is no recorded traffic (RECORDED_DIR).');

/** Addresses and queries in an answer. */
interface Mentioned {
  /** Of citations. */
  cited: Set<string>;
  /** Of pages that were found. */
  found: Set<string>;
  queries: Set<string>;
}

const nobody = (): Mentioned => ({ cited: new Set(), found: new Set(), queries: new Set() });
const textsIn = (list: unknown[]): string[] =>
  list.filter((entry): entry is string => typeof entry === 'string' && entry !== '');

/** What one object of a body says, in any provider's words. */
function mention(into: Mentioned, value: object): void {
  const type = textAt(value, 'type');
  if (type === 'url_citation')
    into.cited.add(textAt(value, 'url') || textAt(value, 'url_citation', 'url'));
  if (type === 'web_search_result_location') into.cited.add(textAt(value, 'url'));
  if (type === 'web_search_result') into.found.add(textAt(value, 'url'));
  if (type === 'server_tool_use' && textAt(value, 'name') === 'web_search')
    into.queries.add(textAt(value, 'input', 'query'));
  if (type === 'web_search_call') {
    for (const source of listAt(value, 'action', 'sources')) into.found.add(textAt(source, 'url'));
    into.queries.add(textAt(value, 'action', 'query'));
  }
  for (const chunk of listAt(value, 'groundingChunks')) into.cited.add(textAt(chunk, 'web', 'uri'));
  for (const query of textsIn(listAt(value, 'webSearchQueries'))) into.queries.add(query);
  // Perplexity's lists
  for (const result of listAt(value, 'search_results')) into.found.add(textAt(result, 'url'));
  for (const url of textsIn(listAt(value, 'citations'))) into.found.add(url);
}

function walk(into: Mentioned, value: unknown): Mentioned {
  if (typeof value === 'object' && value !== null) {
    if (!Array.isArray(value)) mention(into, value);
    for (const inner of Object.values(value)) walk(into, inner);
  }
  for (const each of Object.values(into) as Set<string>[]) each.delete('');
  return into;
}

const mentionedIn = (exchange: Exchange): Mentioned =>
  walk(nobody(), parseEvents(bodyOf(exchange), exchange.kind));

function add(into: Mentioned, part: ChunkDelta): void {
  for (const { url_citation: citation } of part.annotations ?? []) into.cited.add(citation.url);
  for (const { url } of part.search_results ?? []) into.found.add(url);
  for (const query of part.search_queries ?? []) into.queries.add(query);
}

function readBy(exchange: Exchange, pieceLength: number): Mentioned {
  const { api } = classify(exchange);
  const adapter = dialects
    .get(api)!
    .create({ name: api, api, baseUrl: 'http://127.0.0.1:9/v1', project: 'p', region: 'r' });
  const model = textAt(exchange.meta?.request.body, 'model') || 'm';
  const call: ModelCall = { ...callOf({ web_search_options: {} }), model };
  const read = nobody();
  const bytes = bodyOf(exchange);
  if (exchange.kind === 'json') {
    const { completion } = adapter.readCompletion(bytes.toString(), call);
    const message = completion.choices[0]?.message;
    if (message) add(read, message as ChunkDelta);
    return read;
  }
  const sink: CompletionSink = {
    text: () => undefined,
    chunk: (chunk) => chunk.choices.forEach(({ delta }) => add(read, delta)),
    end: () => undefined,
  };
  const reader = adapter.readEvents(sink, call);
  for (let from = 0; from < bytes.length; from += pieceLength)
    reader.push(bytes.subarray(from, from + pieceLength));
  reader.close();
  return read;
}

const searches = (dir ? listRecorded(dir) : []).filter((exchange) => {
  if (exchange.status >= 400 || !classify(exchange).servable) return false;
  const { cited, found } = mentionedIn(exchange);
  return cited.size + found.size > 0;
});

const sorted = ({ cited, found, queries }: Mentioned): string[][] =>
  [cited, found, queries].map((each) => [...each].sort());
/** What a body names and the gateway does not. */
const missing = (sent: Set<string>, ...got: Set<string>[]): string[] =>
  [...sent].filter((value) => !got.some((each) => each.has(value)));

describe.skipIf(!dir)('a recorded search', () => {
  it('is there at all', () => {
    expect(searches.length).toBeGreaterThan(15);
  });

  it.each(searches.map((exchange) => [`${exchange.provider}/${exchange.name}`, exchange]))(
    '%s brings each citation, page and query, however it is cut',
    (_name, exchange) => {
      const sent = mentionedIn(exchange);
      const got = readBy(exchange, Infinity);
      expect(missing(sent.cited, got.cited)).toEqual([]);
      expect(missing(sent.found, got.found)).toEqual([]);
      expect(missing(sent.queries, got.queries)).toEqual([]);
      if (exchange.kind === 'json') return;
      for (const length of [1, 7, 1000])
        expect(sorted(readBy(exchange, length))).toEqual(sorted(got));
    },
  );
});
