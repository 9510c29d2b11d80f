import { describe, expect, it } from 'vitest';
import {
  cutAtMarkers,
  hostOf,
  openableUrl,
  verificationOf,
} from '../../src/dashboard/components/conversation/answer-parts.js';
import {
  type Answer,
  type Chunk,
  emptyAnswer,
  isUsable,
  withChunk,
} from '../../src/dashboard/components/conversation/answer.js';
import { turnsOf } from '../../src/dashboard/components/conversation/stored-turns.js';
import type { ResearchPhase } from '../../src/grounding/research/research-notes.js';
import { texts } from '../../src/dashboard/texts/texts.js';
import { formatBytes } from '../../src/dashboard/format/numbers.js';
import {
  historyOf,
  newConversation,
  rangeOf,
  requestOf,
  withAnswer,
  withMoreLanes,
  withoutLane,
  withQuestion,
  withResults,
} from '../../src/dashboard/pages/playground/conversation-state.js';
import { chooseFiles } from '../../src/dashboard/pages/playground/image-files.js';
import { eventReader } from '../../src/dashboard/pages/playground/event-reader.js';
import { plainSettings, readTools } from '../../src/dashboard/pages/playground/settings.js';

describe('the summary of lanes', () => {
  const lane = (model: string, ...costs: (number | null)[]) =>
    costs.map((costUsd) => ({
      answer: { ...emptyAnswer, provider: 'p', model, figures: { costUsd } as Answer['figures'] },
      results: null,
    }));

  it('names the lane with the least, and nothing until all lanes have the figure', () => {
    const lanes = [lane('a', 3), lane('b', 1, 1), lane('c', 9)];
    expect(rangeOf({ lanes }, 'costUsd')).toEqual({ model: 'p/b', least: 2, most: 9 });
    expect(rangeOf({ lanes: [lane('a', 1), lane('b', null), lane('c', 3)] }, 'costUsd')).toBeNull();
    expect(rangeOf({ lanes: [lane('a', 1), lane('b', 1)] }, 'costUsd')).toBeNull();
    expect(rangeOf({ lanes: [] }, 'costUsd')).toBeNull();
  });
});

describe('every phase of search and research', () => {
  it('has words', () => {
    const words: Record<ResearchPhase | 'search' | 'read', string> = texts.playground.work.phase;
    for (const [phase, text] of Object.entries(words)) expect(text).not.toBe(phase);
  });
});

const named = { provider: 'up', model: 'good', responseMessageId: 'r1' };
const chunkOf = (fields: Partial<Chunk> & Pick<Chunk, 'type'>): Chunk => ({
  ...named,
  text: '',
  message: { role: 'assistant', type: 'text', content: [] },
  ...fields,
});
const done = (fields: Partial<Answer>): Answer => ({ ...emptyAnswer, state: 'done', ...fields });
const call = { id: 'c1', function: { name: 'f', arguments: '{}' } };

describe('an answer', () => {
  it('grows by its chunks, in any order of work and text, to the figures at its end', () => {
    const chunks = [
      chunkOf({ type: 'plan', decision: { reason: 'best', candidates: [] } }),
      chunkOf({ type: 'progress', phase: 'search', detail: 'sky' }),
      chunkOf({ type: 'tool', callId: 'a', tool: 't', toolkit: 'k', status: 'running' }),
      chunkOf({ type: 'tool', callId: 'a', tool: 't', toolkit: 'k', status: 'ok', latency: 5 }),
      chunkOf({ type: 'tool', callId: 'a', tool: 'again', toolkit: 'k', status: 'running' }),
      chunkOf({ type: 'source', source: { id: 1, title: 'T', url: 'https://a.org', snippet: '' } }),
      chunkOf({ type: 'reasoning', text: 'hm' }),
      chunkOf({ type: 'text', text: 'Bl' }),
      chunkOf({ type: 'text', text: 'ue' }),
    ];
    const growing = chunks.reduce(withChunk, emptyAnswer);
    expect(growing).toMatchObject({
      state: 'growing',
      text: 'Blue',
      reasoning: 'hm',
      decision: { reason: 'best' },
      sources: [{ id: 1 }],
      work: [
        { kind: 'progress', phase: 'search' },
        { kind: 'tool', phase: 'ok', latency: 5 },
        { kind: 'tool', phase: 'running', detail: 'k · again' },
      ],
    });
    const usage = {
      promptTokens: 3,
      completionTokens: 2,
      totalTokens: 5,
      reasoningTokens: 0,
      costs: { input_tokens_cost: 0.05, output_tokens_cost: 0.05, total_tokens_cost: 0.1 },
    };
    const end = withChunk(growing, chunkOf({ type: 'text', usage, latency: 20, ttft: 7 }));
    expect(end).toMatchObject({ state: 'done', text: 'Blue', figures: { costUsd: 0.1, ttft: 7 } });
  });
});

describe('a stream of events', () => {
  const read = (pieces: readonly string[]) => {
    const chunks: Chunk[] = [];
    const failures: unknown[] = [];
    const events = eventReader({
      begun: () => undefined,
      chunk: (chunk) => void chunks.push(chunk),
      failed: (failed) => void failures.push(failed),
    });
    pieces.forEach((piece) => events.feed(piece));
    events.end();
    return { text: chunks.map(({ text }) => text).join(''), failures };
  };
  const whole = `: ping\n\ndata: ${JSON.stringify(chunkOf({ type: 'text', text: 'ä1' }))}\n\ndata: ${JSON.stringify(chunkOf({ type: 'text', text: '2' }))}\n\n`;

  it('is read wherever it is cut', () => {
    const text = `${whole}data: [DONE]\n\n`;
    for (let cut = 0; cut <= text.length; cut += 1)
      expect(read([text.slice(0, cut), text.slice(cut)])).toEqual({ text: 'ä12', failures: [] });
  });

  it('that ends without its end was cut off', () => {
    expect(read([whole])).toEqual({
      text: 'ä12',
      failures: [{ message: 'The connection broke off.', trace: [] }],
    });
  });

  it('that fails has the message and the attempts once', () => {
    const error = { message: 'up: overloaded', errorTrace: [{ error: 'x' }] };
    const { failures } = read([
      whole,
      `event: error\ndata: ${JSON.stringify(error)}\n\n`,
      'data: [Error] up: overloaded\n\n',
    ]);
    expect(failures).toEqual([{ message: 'up: overloaded', trace: [{ error: 'x' }] }]);
  });
});

describe('the history of a lane', () => {
  const asked = (text: string) => withQuestion(newConversation, { text, pictures: [] });
  const place = { turn: 0, lane: 0, step: 0 };

  it('has calls with their results, and leaves out turns without an answer', () => {
    let state = asked('One?');
    state = withAnswer(state, place, () => done({ text: '', toolCalls: [call] }));
    state = withResults(state, place, { c1: '42' });
    state = withAnswer(state, { ...place, step: 1 }, () => done({ text: 'It is 42.' }));
    state = withQuestion(state, { text: 'Failed?', pictures: [] });
    state = withAnswer(state, { ...place, turn: 1 }, (one) => ({ ...one, state: 'failed' }));
    state = withQuestion(state, { text: 'And this?', pictures: ['data:image/png;base64,AA'] });
    expect(historyOf(state.turns, 0)).toEqual([
      { role: 'user', content: 'One?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: '42' },
      { role: 'assistant', content: 'It is 42.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        ],
      },
    ]);
  });

  it('is taken along by a lane that joins later, and goes with a lane that is removed', () => {
    let state = withAnswer(asked('One?'), place, () => done({ text: 'First' }));
    state = withMoreLanes(state, ['up/b']);
    expect(historyOf(state.turns, 1)).toEqual(historyOf(state.turns, 0));
    state = withoutLane(state, 0);
    expect(state.lanes).toEqual([{ models: ['up/b'], conversationId: null }]);
  });

  it('is sent with what the options ask for, and nothing else', () => {
    const { turns, lanes } = asked('Hi');
    const plain = requestOf(turns, 0, lanes[0]!, plainSettings);
    expect(Object.keys(plain).sort()).toEqual(['explain', 'messages', 'models', 'stream']);
    const researched = requestOf(turns, 0, lanes[0]!, {
      ...plainSettings,
      research: 'low',
      toolkits: ['files'],
      instructions: 'Be brief.',
    });
    expect(researched).toMatchObject({
      research: { effort: 'low' },
      messages: [{ role: 'system' }, {}],
    });
    expect(researched).not.toHaveProperty('toolkits');
  });
});

it('stored messages become turns with their answers, calls and results', () => {
  const stored = (fields: object) => ({
    object: 'message' as const,
    id: 'm',
    type: 'text' as const,
    createdAt: '2026-01-01T00:00:00.000Z',
    content: [],
    role: 'user',
    ...fields,
  });
  const text = (value: string) => [{ type: 'text', text: value }];
  const [turn] = turnsOf([
    stored({ role: 'system', content: text('Be brief') }),
    stored({ content: [...text('Hi'), { type: 'image_url', image_url: { url: 'data:x' } }] }),
    stored({ role: 'assistant', model: 'm', provider: 'p', tool_calls: [call] }),
    stored({ role: 'tool', tool_call_id: 'c1', content: text('42') }),
    stored({ role: 'assistant', content: text('It is 42.'), model: 'm', provider: 'p' }),
  ]);
  expect(turn).toMatchObject({
    text: 'Hi',
    pictures: ['data:x'],
    lanes: [[{ results: { c1: '42' } }, { answer: { text: 'It is 42.' }, results: null }]],
  });
  expect(turn?.lanes[0]?.every(({ answer }) => isUsable(answer))).toBe(true);
});

it('markers of known sources are cut out of a text, and nothing else is', () => {
  const known = (id: number): boolean => id <= 2;
  expect(cutAtMarkers('A [1] and [2, 1], a[9] [0].', (id) => id > 0 && known(id))).toEqual([
    'A ',
    [1],
    ' and ',
    [2, 1],
    ', a[9] [0].',
  ]);
});

it.each([
  ['https://a.org/x', 'https://a.org/x'],
  ['mailto:a@b.org', 'mailto:a@b.org'],
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['/relative', null],
])('of the address %s a click opens %s', (url, opened) => {
  expect(openableUrl(url)).toBe(opened);
});

it('a source counts as verified only if all that is cited of it is', () => {
  const cited = (...verified: ('text' | 'provider' | false)[]) =>
    verificationOf(
      verified.map((one) => ({ source: 1, start: 0, end: 1, quote: '', verified: one })),
    );
  expect([cited(), cited('text'), cited('text', false), cited(false), cited('provider')]).toEqual([
    'uncited',
    'text',
    'some',
    'none',
    'provider',
  ]);
  expect(hostOf('https://www.a.org/x')).toBe('a.org');
});

it.each([
  ['', 0],
  ['{"name": "f"}', 1],
  ['[{"type": "function", "function": {"name": "f"}}, {"name": "g", "parameters": {}}]', 2],
  ['[{"name": ""}]', null],
  ['[1]', null],
  ['{', null],
])('the tools of %s are read, or the text is refused', (text, count) => {
  const { tools, problem } = readTools(text);
  expect(tools?.length ?? null).toBe(count);
  expect(problem === null).toBe(count !== null);
});

it('pictures are taken as long as the request has room for them', () => {
  const file = (type: string, size: number) => ({ type, size });
  const chosen = chooseFiles(
    [file('image/png', 300), file('image/png', 600), file('image/jpeg', 30)],
    0,
    1_000,
  );
  expect(chosen).toMatchObject({ taken: [{ size: 300 }, { size: 30 }], refused: 'size' });
  expect(chooseFiles([file('text/plain', 1)], 0, 1_000)).toEqual({ taken: [], refused: 'type' });
  expect([formatBytes(0), formatBytes(1_500), formatBytes(18_874_368)]).toEqual([
    '0 B',
    '1.5 kB',
    '19 MB',
  ]);
});
