import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.js';
import { defaultBudgets } from '../../../src/grounding/research/research-effort.js';
import type { ResearchOptions } from '../../../src/grounding/research/run-research.js';
import { parseNotes } from '../../../src/grounding/research/parse-notes.js';
import { runs } from '../../helpers/runs.js';
import {
  ample,
  longPageOf,
  ScriptedWorld,
  type StartedRun,
  startRun,
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
      const { outcome, world } = run({ page: longPageOf }, { effort, budget });
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
    const { stoppedBy, text, notes } = await outcome;
    expect(stoppedBy).toBe(limit);
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
          const { outcome, heard, saved } = startRun(world, {
            budget,
            effort,
            signal: leaving.signal,
          });
          const result = await outcome.catch((error: unknown) => error as Error);
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
      { resume: parseNotes(noted), budget: { ...ample, maxTokens: 100 } },
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
