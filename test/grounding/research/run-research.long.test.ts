import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.js';
import { defaultBudgets } from '../../../src/grounding/research/research-effort.js';
import type {
  ResearchCall,
  ResearchOptions,
} from '../../../src/grounding/research/research-dependencies.js';
import type { SearchResult } from '../../../src/grounding/search/search-engine.js';
import { measureRequest } from '../../../src/models/tokens.js';
import { isWholeRun, runs } from '../../helpers/runs.js';
import {
  ample,
  longPageOf,
  ScriptedWorld,
  type StartedRun,
  startRun,
  textOf,
  type WorldOptions,
} from '../../helpers/researching.js';

const run = (world: WorldOptions = {}, options: Partial<ResearchOptions> = {}): StartedRun =>
  startRun(new ScriptedWorld(world), options);

describe('a research run', () => {
  it('plans, searches, reads, checks and writes an answer that names its sources', async () => {
    const { world, outcome, heard, progress } = run();
    const { text, sources, stoppedBy, spent, notes, isPlain } = await outcome;
    expect(stoppedBy).toBeNull();
    expect(isPlain).toBe(false);
    expect(heard.join('')).toBe(text);
    expect(sources.length).toBeGreaterThan(4);
    for (const { id } of sources) expect(text).toContain(`[${id}]`);
    expect(sources[0]).toMatchObject({ id: 1, via: 'searxng', publishedAt: '2026-01-02' });
    expect(sources[0]!.text).toContain('FACT');
    expect(notes.phase).toBe('done');
    expect(notes.questions.every(({ answered }) => answered)).toBe(true);
    expect(spent.queries).toEqual(world.searches);
    expect(spent.pagesRead).toBe(world.reads.length);
    expect(spent.modelCalls).toBe(world.calls.length);
    expect(spent.steps).toBe(world.used.steps);
    expect(spent.tokens).toBe(world.used.tokens);
    expect(spent.costUsd).toBeCloseTo(world.used.costUsd, 9);
    expect(progress[0]).toBe('Planning the research.');
    expect(progress.at(-1)).toBe('The answer is written.');
  });
});

describe('the budget of a run', () => {
  it('has defaults for each effort, with which pages of several hosts are read', async () => {
    const read = { low: 0, medium: 0, high: 0 };
    for (const effort of ['low', 'medium', 'high'] as const) {
      const budget = defaultBudgets[effort];
      // a check that is never content: only the budget ends the run
      const check = (_call: unknown, nth: number): string =>
        `{"questions": [{"id": 1, "answered": false, "queries": ["tower again ${nth}"]}]}`;
      const { outcome, world } = run({ page: longPageOf, script: { check } }, { effort, budget });
      const { spent, sources } = await outcome;
      read[effort] = spent.pagesRead;
      expect(new Set(world.reads.map((url) => new URL(url).host)).size).toBeGreaterThan(1);
      expect(sources).toHaveLength(spent.pagesRead);
      expect(spent.steps).toBeLessThanOrEqual(budget.maxSteps);
    }
    expect(read.low).toBeGreaterThanOrEqual(2);
    expect(read.medium).toBeGreaterThan(read.low);
    expect(read.high).toBeGreaterThan(2 * read.medium);
  });

  it.each([
    ['steps', { maxSteps: 5 }],
    ['tokens', { maxTokens: 12_000 }],
    ['cost', { maxCostUsd: 0.05 }],
    ['time', { maxSeconds: 1 }],
  ] as const)('of %s ends it with an answer, and is not exceeded', async (limit, budget) => {
    const { world, outcome, heard } = run(
      {
        duration: (what) => (what === 'delta' ? 1 : 150),
        tokenPrice: 2e-6,
        wasted: () => 1,
        page: longPageOf,
      },
      { budget: { ...ample, ...budget } },
    );
    const { stoppedBy, text, notes, isPlain } = await outcome;
    expect(stoppedBy).toBe(limit);
    expect(isPlain).toBe(false);
    expect(text).not.toBe('');
    expect(heard.join('')).toBe(text);
    expect(notes.questions.some(({ answered }) => !answered)).toBe(true);
    const { maxSteps, maxTokens, maxCostUsd, maxSeconds } = { ...ample, ...budget };
    expect(world.peak.steps).toBeLessThanOrEqual(maxSteps);
    expect(world.peak.tokens).toBeLessThanOrEqual(maxTokens);
    expect(world.peak.costUsd).toBeLessThanOrEqual((maxCostUsd ?? 0) + 1e-9);
    expect(world.clock.now()).toBeLessThanOrEqual(maxSeconds * 1_000);
  });

  it('is never exceeded, whatever takes how long, fails, or ignores that it is cancelled', async () => {
    const numbers = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          maxSteps: fc.integer({ min: 1, max: 60 }),
          maxSeconds: fc.double({ min: 0.1, max: 60, noNaN: true }),
          maxCostUsd: fc.option(fc.double({ min: 0, max: 0.3, noNaN: true })),
          maxTokens: fc.integer({ min: 1, max: 300_000 }),
        }),
        fc.constantFrom('low', 'medium', 'high'),
        fc.record({
          slow: fc.double({ min: 0, max: 8_000, noNaN: true }),
          failing: fc.double({ min: 0, max: 0.6, noNaN: true }),
          deaf: fc.double({ min: 0, max: 0.5, noNaN: true }),
          leavesAt: fc.option(fc.integer({ min: 0, max: 30_000 }), { freq: 4 }),
          contextTokens: fc.constantFrom(null, 4_000, 128_000),
          isWasteful: fc.boolean(),
          askedLength: fc.constantFrom(10, 10, 4_000, 30_000),
        }),
        numbers,
        async (budget, effort, odds, stream) => {
          const next = (): number => stream.next().value as number;
          const world = new ScriptedWorld({
            duration: () => next() * odds.slow,
            fails: () => next() < odds.failing,
            isDeaf: () => next() < odds.deaf,
            wasted: () => (odds.isWasteful ? 1 : next()),
            ...(odds.isWasteful ? { page: longPageOf } : {}),
            contextTokens: odds.contextTokens,
          });
          const leaving = new AbortController();
          if (odds.leavesAt !== null)
            world.clock.after(odds.leavesAt, () => leaving.abort(new Error('the client left')));
          const content = 'How high is the tower? '.repeat(Math.ceil(odds.askedLength / 23));
          const { outcome, heard, saved } = startRun(
            world,
            { budget, effort, signal: leaving.signal },
            [{ role: 'user', content }],
          );
          const result = await outcome.catch((error: unknown) => error as Error);
          expect(world.unreserved).toEqual([]);
          expect(world.peak.steps).toBeLessThanOrEqual(budget.maxSteps);
          expect(world.peak.tokens).toBeLessThanOrEqual(budget.maxTokens);
          expect(world.peak.costUsd).toBeLessThanOrEqual((budget.maxCostUsd ?? Infinity) + 1e-9);
          expect(world.clock.now()).toBeLessThanOrEqual(budget.maxSeconds * 1_000 + 1e-6);
          expect(world.maxAtOnce).toBeLessThanOrEqual(odds.deaf > 0 ? Infinity : 4);
          expect(saved.length).toBeGreaterThan(0);
          if (leaving.signal.aborted) expect(result).toBe(leaving.signal.reason);
          else if (result instanceof Error)
            expect(result.message).toMatch(/^the (answer|search) failed$/);
          else {
            expect(heard.join('')).toBe(result.text);
            expect(result.text).not.toBe('');
            // what was cancelled is counted in full, by the run and by the world
            expect(result.spent.steps).toBeLessThanOrEqual(budget.maxSteps);
            expect(result.spent.tokens).toBeLessThanOrEqual(budget.maxTokens);
          }
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  it('must have prices for all that is used, where it is in USD', async () => {
    const failure = async (world: WorldOptions): Promise<unknown> =>
      run(world, { budget: { ...ample, maxCostUsd: 1 } }).outcome.catch((error: unknown) => error);
    for (const world of [{ tokenPrice: null }, { searchPrice: null }]) {
      const error = await failure(world);
      expect(error).toBeInstanceOf(GatewayError);
      expect(error).toMatchObject({ status: 422, field: 'research[maxCostUsd]' });
    }
    const { outcome } = run({ tokenPrice: null }, { budget: { ...ample, maxCostUsd: null } });
    expect((await outcome).spent.costUsd).toBeNull();
  });

  it('lists the notes where it does not allow an answer', async () => {
    const { saved, outcome } = run();
    await outcome;
    const noted = saved.find(({ facts }) => facts.length > 3)!;
    const { outcome: second, world } = run(
      {},
      { resume: noted, budget: { ...ample, maxTokens: 100 } },
    );
    const { text, isPlain, stoppedBy, sources } = await second;
    expect(isPlain).toBe(true);
    expect(stoppedBy).toBe('tokens');
    expect(world.used.tokens).toBe(0);
    expect(text).toContain('No answer could be written within the budget');
    expect(text).toContain('The height of the tower');
    expect(sources.length).toBeGreaterThan(0);
    for (const { id } of sources) expect(text).toContain(`[${id}]`);
  });
});

describe('a run in which something fails', () => {
  const failing =
    (...failed: string[]) =>
    (what: string): boolean =>
      failed.includes(what);

  it('searches for the question itself where the planner fails', async () => {
    const { world, outcome } = run({ fails: failing('plan') });
    const { notes, text } = await outcome;
    expect(world.searches[0]).toBe('How high is the tower, and who built it when?');
    expect(notes.questions).toHaveLength(1);
    expect(text).toContain('[1]');
  });

  it('fails with the failure of the search where none succeeded', async () => {
    const { outcome, saved, heard, world } = run({ fails: failing('search') });
    await expect(outcome).rejects.toThrow('the search failed');
    expect(heard).toEqual([]);
    expect(world.callsOf('answer')).toEqual([]);
    expect(saved.at(-1)!.searched).toEqual([]);
    // a later run searches for the same
    const later = run({}, { resume: saved.at(-1)! });
    expect((await later.outcome).text).toContain('[1]');
    expect(later.world.searches).toEqual(expect.arrayContaining(world.searches));
  });

  it('says so where searches find nothing', async () => {
    const { outcome, world } = run({ results: () => [] });
    const { sources, text } = await outcome;
    expect(sources).toEqual([]);
    expect(text).toBe('I know nothing.');
    const [answer] = world.callsOf('answer');
    expect(answer!.messages.at(-1)!.content).toContain('Nothing was found.');
  });

  it('writes from what the engines say of pages where none can be read', async () => {
    const { outcome, world } = run({ fails: failing('read') });
    const { sources, text, notes } = await outcome;
    expect(notes.sources).toEqual([]);
    expect(sources.length).toBeGreaterThan(3);
    expect(sources[0]).toMatchObject({ id: 1, fetchedAt: null, text: sources[0]!.snippet });
    expect(text).toContain('[1]');
    expect(world.callsOf('notes')).toEqual([]);
  });

  it('reads the text that an engine sent where a page cannot be read', async () => {
    const content = `FACT The tower is 90 m high. ${'More is said about the tower. '.repeat(30)}`;
    const results = (query: string): SearchResult[] => [
      {
        title: query,
        url: 'https://a.example/',
        snippet: '',
        publishedAt: null,
        engine: 'exa',
        content,
      },
    ];
    const { outcome } = run({ fails: failing('read'), results });
    const { sources, spent } = await outcome;
    expect(spent.pagesRead).toBe(0);
    expect(sources).toHaveLength(1);
    expect(sources[0]).toMatchObject({ url: 'https://a.example/', fetchedAt: null, via: 'exa' });
    expect(sources[0]!.text).toContain('90 m high');
  });

  it('writes from passages of the pages where no notes can be taken', async () => {
    const { outcome, world } = run({ fails: failing('notes') });
    const { sources, text } = await outcome;
    expect(sources.length).toBeGreaterThan(3);
    expect(text).toContain('[1]');
    expect(textOf(world.callsOf('answer')[0]!)).toContain('FACT The height');
  });

  it('ends its rounds where checks fail', async () => {
    const { outcome, world } = run({ fails: failing('check') });
    const { stoppedBy, text } = await outcome;
    expect(stoppedBy).toBeNull();
    expect(text).toContain('[1]');
    expect(world.callsOf('check').length).toBeLessThanOrEqual(4);
  });

  it('stops when two rounds found nothing new', async () => {
    const { outcome, world } = run(
      { script: { notes: () => '{"notes": []}' } },
      { effort: 'high' },
    );
    const { stoppedBy } = await outcome;
    expect(stoppedBy).toBeNull();
    expect(world.callsOf('check')).toHaveLength(1);
  });

  it('lists the notes where the writer answers nothing', async () => {
    const { outcome } = run({ script: { answer: () => ' \n' } });
    const { isPlain, text } = await outcome;
    expect(isPlain).toBe(true);
    expect(text).toContain('The height of the tower');
  });

  it('keeps what was written when its time is over, and says that it ends there', async () => {
    const long = 'The tower is high, as a source says [1].\n'.repeat(100);
    const { outcome, heard, world } = run(
      { script: { answer: () => long }, duration: (what) => (what === 'delta' ? 400 : 100) },
      { budget: { ...ample, maxSeconds: 20 } },
    );
    const { text, stoppedBy } = await outcome;
    expect(stoppedBy).toBe('time');
    expect(heard.join('')).toBe(text);
    expect(text).toMatch(/^The tower is high, as a source says \[1\]\.\n/);
    expect(text).toMatch(/because the time of this research is over\.$/);
    expect(text.length).toBeLessThan(long.length);
    expect(world.clock.now()).toBe(20_000);
  });

  it('passes on what was written before the writer failed', async () => {
    const world = new ScriptedWorld();
    const ask = world.model.ask;
    const broken = {
      clock: world.clock,
      web: world.web,
      model: {
        ...world.model,
        ask: async (call: ResearchCall) => {
          if (!call.onText) return ask(call);
          call.onText('The tower is 90 m high and was');
          throw new GatewayError('upstream_error', 'the provider broke off');
        },
      },
    };
    const { outcome, heard } = startRun(broken);
    await expect(outcome).rejects.toMatchObject({ code: 'upstream_error' });
    expect(heard.join('')).toBe('The tower is 90 m high and was');
  });
});

describe('research on one topic with 310 sources', () => {
  const manyResults = (query: string): SearchResult[] =>
    Array.from({ length: 50 }, (_, index) => ({
      title: `${query} ${index}`,
      url: `https://host${index}.example/${encodeURIComponent(query)}`,
      snippet: '',
      publishedAt: null,
      engine: 'searxng',
    }));
  const check = (_call: unknown, nth: number): string =>
    JSON.stringify({
      questions: [1, 2, 3].map((id) => ({
        id,
        answered: false,
        queries: [1, 2, 3].map((n) => `tower ${id} ${nth} ${n}`),
      })),
    });

  it.each(isWholeRun ? [8_000, 32_000, 128_000] : [8_000])(
    'fits into a context of %i tokens',
    async (contextTokens) => {
      const { outcome, world, saved } = run(
        { contextTokens, results: manyResults, script: { check }, page: longPageOf },
        { effort: 'high', budget: { ...ample, maxSteps: 420 } },
      );
      const { notes, sources, text, spent } = await outcome;
      expect(notes.sources.length).toBeGreaterThanOrEqual(310);
      expect(new Set(world.reads).size).toBe(world.reads.length);
      expect(spent.costUsd).toBeCloseTo(world.used.costUsd, 9);
      for (const call of world.calls)
        expect(measureRequest(call.messages).tokens + call.maxTokens).toBeLessThan(contextTokens);
      // only what the writer saw can be cited
      const shown = [...textOf(world.callsOf('answer')[0]!).matchAll(/^\[(\d+)\] /gm)].map(
        ([, id]) => Number(id),
      );
      expect(sources.map(({ id }) => id)).toEqual(shown);
      expect(sources.length).toBeLessThanOrEqual(notes.sources.length);
      expect(sources.length).toBeGreaterThan(contextTokens / 1_000);
      for (const question of notes.questions.slice(0, 3))
        expect(textOf(world.callsOf('answer')[0]!)).toContain(`Question ${question.id}:`);
      expect(text).toContain(`[${sources.at(-1)!.id}]`);
      expect(Buffer.byteLength(JSON.stringify(saved.at(-1)))).toBeLessThanOrEqual(1_000_000);
    },
  );
});
