import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../src/completion.js';
import { GatewayError } from '../../../src/errors.js';
import { choosePages, quoteFinder } from '../../../src/grounding/research/read-pages.js';
import { packFacts } from '../../../src/grounding/research/gather-material.js';
import { ResearchState } from '../../../src/grounding/research/research-state.js';
import { estimateTokens } from '../../../src/models/tokens.js';
import { ScriptedWorld, startRun } from '../../helpers/researching.js';

describe('the pages that are read next', () => {
  const page = (url: string, rank: number, question = 1) => ({
    url,
    rank,
    question,
    title: '',
    snippet: '',
    publishedAt: null,
    via: 'brave',
  });
  const urls = (pages: readonly { url: string }[]): string[] => pages.map(({ url }) => url);

  it('come from different hosts, also from those that were not read before', () => {
    const found = [
      page('https://a.example/1', 0),
      page('https://www.a.example/2', 1),
      page('https://b.example/1', 2),
      page('https://c.example/1', 3),
    ];
    expect(urls(choosePages(found, [], 3))).toEqual([
      'https://a.example/1',
      'https://b.example/1',
      'https://c.example/1',
    ]);
    expect(urls(choosePages(found, ['https://b.example/0'], 2))).toEqual([
      'https://a.example/1',
      'https://c.example/1',
    ]);
  });

  it('are for different questions', () => {
    const found = [
      page('https://a.example/', 0, 1),
      page('https://b.example/', 1, 1),
      page('https://c.example/', 2, 2),
    ];
    expect(urls(choosePages(found, [], 2))).toEqual(['https://a.example/', 'https://c.example/']);
  });

  it('are all of them where there are not more, each once', () => {
    const found = [page('https://a.example/1', 0), page('https://a.example/2', 1)];
    expect(new Set(urls(choosePages(found, [], 9))).size).toBe(2);
    expect(choosePages([], [], 3)).toEqual([]);
  });

  it('are no page twice that several searches found by several addresses', async () => {
    const { outcome, world } = startRun(
      new ScriptedWorld({
        results: (query) =>
          [
            `https://www.a.example/x?utm_source=${query.length}`,
            'http://a.example/x/',
            'ftp://a.example/x',
            'no address',
          ].map((url) => ({ title: query, url, snippet: '', publishedAt: null, engine: 'brave' })),
      }),
    );
    await outcome;
    expect(world.reads).toHaveLength(1);
  });
});

describe('the notes that a model receives', () => {
  const stateOf = (facts: number, questions = 3): ResearchState =>
    new ResearchState('What?', {
      version: 1,
      phase: 'write',
      asked: ['What?'],
      searched: [],
      found: [],
      seen: [],
      spent: { steps: 0, seconds: 0, tokens: 0, costUsd: 0 },
      questions: Array.from({ length: questions }, (_, n) => ({
        id: n + 1,
        text: `Question ${n}`,
        queries: [],
        answered: true,
      })),
      sources: Array.from({ length: 100 }, (_, n) => ({
        id: n + 1,
        url: `https://s${n}.example/`,
        title: `Source ${n}`,
        snippet: '',
        publishedAt: null,
        fetchedAt: null,
        via: 'brave',
        excerpt: null,
      })),
      facts: Array.from({ length: facts }, (_, n) => ({
        question: 1 + (n % questions),
        source: 1 + (n % 100),
        fact: `Fact number ${n} of the tower`,
        quote: n % 2 === 0 ? `the ${n}th of them` : '',
        rank: Math.floor(n / 100),
      })),
    });

  it.each([100, 500, 2_000, 10_000])(
    'fit into %i tokens, with some of each question',
    (maxTokens) => {
      const state = stateOf(1_000);
      const { text, sources, count } = packFacts(state, state.questions, maxTokens);
      expect(estimateTokens(text)).toBeLessThanOrEqual(maxTokens);
      expect(count).toBeGreaterThan(0);
      const counts = state.questions.map(({ id }) => {
        const part = text.split('\n\n').find((block) => block.startsWith(`Question ${id}:`)) ?? '';
        return part.split('\n').length - 1;
      });
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
      for (const { id } of sources) expect(text).toMatch(new RegExp(`Fact .*\\[${id}\\]`));
    },
  );

  it('are the ones with quotations first', () => {
    const state = stateOf(100, 1);
    const { text } = packFacts(state, state.questions, 600);
    expect(text).toContain('(“the 0th of them”)');
    expect(text).not.toContain('Fact number 1 ');
  });

  it('are none where not one fits', () => {
    const state = stateOf(10);
    expect(packFacts(state, state.questions, 20)).toEqual({ text: '', sources: [], count: 0 });
  });
});

describe('a quotation', () => {
  it.each([
    ['The tower is “90 m” high', 'the  tower\nis "90 m" high'],
    ['2019–2024', 'in 2019-2024, it'],
    ['… was built by hand …', 'It was built by hand, they say'],
    ['ﬁnished', 'It was finished in May'],
    ['塔は高い', '「塔は高い」と言う'],
  ])('%j is found in %j', (quote, text) => expect(quoteFinder(text)(quote)).toBe(true));

  it.each([
    ['The tower is 91 m high', 'The tower is 90 m high'],
    ['', 'The tower'],
    ['“…”', 'The tower “…”'],
    ['is', 'it is'],
  ])('%j is not found in %j', (quote, text) => expect(quoteFinder(text)(quote)).toBe(false));
});

describe('the conversation of a run', () => {
  const contentOf = ({ content }: ChatMessage): string => JSON.stringify(content);

  it('reaches the writer with its instructions and pictures, without calls of tools', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Answer in rhymes.' },
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'the result of a tool' },
      { role: 'assistant', content: 'Good day' },
      { role: 'user', content: [{ type: 'text', text: 'How high is this tower?' }, image] },
    ];
    const { outcome, world } = startRun(new ScriptedWorld(), {}, messages);
    await outcome;
    const [answer] = world.callsOf('answer');
    expect(answer!.messages.map(({ role }) => role)).toEqual([
      'system',
      'system',
      'user',
      'assistant',
      'user',
    ]);
    expect(answer!.messages[0]!.content).toBe('Answer in rhymes.');
    expect(answer!.messages.at(-1)!.content).toContainEqual(image);
    expect(answer!.messages.map(contentOf).join()).not.toContain('the result of a tool');
    expect(answer!.messages[1]!.content).toContain('Today is 2026-11-22.');
  });

  it('loses its oldest turns where it is longer than the context', async () => {
    const messages: ChatMessage[] = [
      ...Array.from({ length: 60 }, (_, turn) => ({
        role: turn % 2 === 0 ? 'user' : 'assistant',
        content: `Turn ${turn}. ${'We talked about the tower of the town. '.repeat(20)}`,
      })),
      { role: 'user', content: 'How high is it?' },
    ];
    const { outcome, world } = startRun(new ScriptedWorld({ contextTokens: 8_000 }), {}, messages);
    expect((await outcome).text).toContain('[1]');
    const text = world.callsOf('answer')[0]!.messages.map(contentOf).join();
    expect(text).toContain('Turn 59.');
    expect(text).not.toContain('Turn 0.');
    expect(text).toContain('How high is it?');
    // the planner needs them to understand what is asked
    const plan = world.callsOf('plan')[0]!.messages.map(contentOf).join();
    expect(plan).toContain('Turn 59.');
    expect(plan).not.toContain('Turn 10.');
  });

  it('needs a question', async () => {
    for (const messages of [
      [],
      [{ role: 'system', content: 'Hello' }],
      [{ role: 'user', content: ' ' }],
    ]) {
      const error = await startRun(new ScriptedWorld(), {}, messages).outcome.catch(
        (failure: unknown) => failure,
      );
      expect(error).toBeInstanceOf(GatewayError);
      expect(error).toMatchObject({ status: 422, field: 'research' });
    }
  });
});
