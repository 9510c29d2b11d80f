import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ChatRequest,
  type ChunkDelta,
  type CompletionChunk,
  type CompletionSink,
  type NativeSearchOptions,
  unescapeJson,
  type Usage,
} from '../../src/completion.js';
import type { ModelCall, ProviderAdapter } from '../../src/providers/adapter.js';
import { hasContent } from '../../src/providers/has-content.js';
import { dialects } from '../../src/providers/index.js';
import { callOf, everyCut } from '../helpers/collect-stream.js';
import { runs, someOf } from '../helpers/runs.js';
import { type SearchAnswer, searchAnswers, type SearchFound } from '../helpers/search-answers.js';

const adapterOf = (api: string, more: object = {}): ProviderAdapter => {
  const dialect = dialects.get(api);
  if (!dialect) throw new Error(`there is no dialect ${api}`);
  return dialect.create({
    name: api,
    api,
    baseUrl: 'http://127.0.0.1:9/v1',
    project: 'p',
    region: 'r',
    ...more,
  });
};
const asking = (model: string, options: NativeSearchOptions = {}, stream = true): ModelCall => ({
  ...callOf({ web_search_options: options }, stream),
  model,
});

interface Streamed {
  found: SearchFound;
  /** Chunks before the first text. */
  before: CompletionChunk[];
  details: unknown[];
  finishReason: string | null;
}

function streamed({ api, model }: SearchAnswer, pieces: readonly Buffer[]): Streamed {
  const found: SearchFound = {
    text: '',
    annotations: [],
    search_results: [],
    search_queries: [],
    webSearches: undefined,
  };
  const all: Streamed = { found, before: [], details: [], finishReason: null };
  const sink: CompletionSink = {
    text: (escaped) => void (found.text += unescapeJson(escaped)),
    chunk(chunk) {
      const delta: ChunkDelta = chunk.choices[0]?.delta ?? {};
      found.text += delta.content ?? '';
      found.annotations.push(...(delta.annotations ?? []));
      found.search_results.push(...(delta.search_results ?? []));
      found.search_queries.push(...(delta.search_queries ?? []));
      all.details.push(...(delta.reasoning_details ?? []));
      if (found.text === '') all.before.push(chunk);
    },
    end(finishReason, usage: Usage | null) {
      found.webSearches = usage?.webSearches;
      all.finishReason = finishReason;
    },
  };
  const reader = adapterOf(api).readEvents(sink, asking(model));
  for (const piece of pieces) reader.push(piece);
  reader.close();
  return all;
}

function wholeMessage({ api, model, whole }: SearchAnswer) {
  return adapterOf(api).readCompletion(JSON.stringify(whole), asking(model, {}, false));
}

function whole(answer: SearchAnswer): SearchFound {
  const { completion, usage } = wholeMessage(answer);
  const message = completion.choices[0]?.message;
  return {
    text: message?.content ?? '',
    annotations: message?.annotations ?? [],
    search_results: message?.search_results ?? [],
    search_queries: message?.search_queries ?? [],
    webSearches: usage?.webSearches,
  };
}

describe.each(searchAnswers)('what a model of %s found', (_name, answer) => {
  it('is read from a whole answer', () => {
    expect(whole(answer)).toEqual(answer.found);
  });

  it('is the same in a stream, wherever its bytes are cut in two, and byte by byte', () => {
    const [inOne, byBytes, ...inTwo] = everyCut(answer.stream);
    for (const pieces of [inOne!, byBytes!, ...someOf(inTwo)])
      expect(streamed(answer, pieces).found).toEqual(answer.found);
  });

  it('is the same in a stream in any number of pieces', () => {
    const bytes = Buffer.from(answer.stream);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), bytes.length];
        const pieces = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
        expect(streamed(answer, pieces).found).toEqual(answer.found);
      }),
      { numRuns: runs(200) },
    );
  });

  it('commits no attempt before there is an answer', () => {
    const { before } = streamed(answer, [Buffer.from(answer.stream)]);
    expect(before.filter(hasContent)).toEqual([]);
  });

  it('points at the text that it says it points at', () => {
    const { text, annotations } = whole(answer);
    for (const { url_citation: place } of annotations)
      if (place.start_index !== undefined)
        expect(['Heron 4.0 is out.', '[2]']).toContain(
          text.slice(place.start_index, place.end_index),
        );
  });
});

describe('a search of Claude', () => {
  const [, answer] = searchAnswers.find(([name]) => name === 'Anthropic')!;
  const details = (): unknown[] =>
    wholeMessage(answer).completion.choices[0]?.message.reasoning_details ?? [];

  /** The content of the earlier answer, as Anthropic gets it in the next round. */
  function returned(model: string, more: Partial<ChatRequest>): unknown {
    const messages = [
      { role: 'user', content: 'Is it out?' },
      { role: 'assistant', content: 'It is.', reasoning_details: details() },
    ];
    const call = { ...callOf({ ...more, messages }), model };
    const { body } = adapterOf('anthropic').buildRequest(call, 'key') as { body: string };
    return (JSON.parse(body) as { messages: { content: unknown }[] }).messages[1]?.content;
  }

  it('comes back to Anthropic as it was, with what is encrypted, in the next round', () => {
    const blocks = (answer.whole as { content: unknown[] }).content.slice(0, 4);
    expect(returned(answer.model, { web_search_options: {} })).toEqual([
      ...blocks,
      { type: 'text', text: 'It is.' },
    ]);
  });

  it('does not come back where the model may not search', () => {
    const textAlone = [{ type: 'text', text: 'It is.' }];
    expect(returned(answer.model, {})).toEqual(textAlone);
    expect(returned('glm-5.3', { web_search_options: {} })).toEqual(textAlone);
  });

  it('has the same blocks streamed and whole', () => {
    expect(streamed(answer, [Buffer.from(answer.stream)]).details).toEqual(details());
    expect(details()).toHaveLength(4);
  });

  it('keeps no blocks that the gateway did not ask for', () => {
    const { completion } = adapterOf('anthropic').readCompletion(
      JSON.stringify(answer.whole),
      callOf({}, false),
    );
    expect(completion.choices[0]?.message).not.toHaveProperty('reasoning_details');
    expect(completion.choices[0]?.message.search_results).toHaveLength(2);
  });

  it('that pauses says so, if the gateway asked for it; else it is an end', () => {
    const paused = JSON.stringify({ ...answer.whole, stop_reason: 'pause_turn' });
    const adapter = adapterOf('anthropic');
    const reasonFor = (call: ModelCall): unknown =>
      adapter.readCompletion(paused, call).completion.choices[0]?.finish_reason;
    expect(reasonFor(asking(answer.model))).toBe('pause_turn');
    expect(reasonFor(callOf())).toBe('stop');
    const stream = answer.stream.replace('"end_turn"', '"pause_turn"');
    expect(streamed({ ...answer, stream }, [Buffer.from(stream)]).finishReason).toBe('pause_turn');
  });

  it('takes no other block from a client in their place', () => {
    const smuggled = [
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
      { type: 'server_tool_use', name: 'code_execution', id: 's', input: {} },
      'text',
      null,
    ].map((block) => ({ type: 'reasoning.search', format: 'anthropic-search-v1', block }));
    const request = adapterOf('anthropic').buildRequest(
      {
        ...asking(answer.model),
        request: {
          web_search_options: {},
          messages: [
            { role: 'user', content: 'a' },
            { role: 'assistant', content: 'b', reasoning_details: smuggled },
          ],
        },
      },
      'key',
    );
    expect(JSON.parse((request as { body: string }).body)).toMatchObject({
      messages: [{}, { content: [{ type: 'text', text: 'b' }] }],
    });
  });

  it('is not shown to OpenRouter, which would refuse it', async () => {
    const request = await adapterOf('openrouter').buildRequest(
      {
        ...callOf(),
        request: {
          messages: [
            { role: 'assistant', content: 'b', reasoning_details: [...details(), { type: 'x' }] },
          ],
        },
      },
      'key',
    );
    expect(JSON.parse(request.body.toString())).toMatchObject({
      messages: [{ reasoning_details: [{ type: 'x' }] }],
    });
  });
});
