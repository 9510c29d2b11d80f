import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isFiltered,
  modelsOf,
  queryOf,
  withoutFilters,
} from '../../src/dashboard/pages/requests/filters.js';
import { scatterOf } from '../../src/dashboard/pages/requests/scatter.js';
import {
  axisEnd,
  lanesOf,
  type TimedAttempt,
} from '../../src/dashboard/pages/requests/waterfall.js';

describe('the filters of the address', () => {
  const now = 1_000_000_000;

  it('go to the API, with the time range that was dragged out or the last day', () => {
    expect(queryOf({ model: ' up/a ', live: 'true' }, false, now)).toEqual({
      model: 'up/a',
      from: String(now - 86_400_000),
    });
    expect(queryOf({ from: 'a', to: 'b', range: '1h', minLatency: '50' }, false, now)).toEqual({
      from: 'a',
      to: 'b',
      minLatency: 50,
    });
  });

  it('show administrators all accounts unless they ask for their own', () => {
    expect(queryOf({}, true, now).account).toBe('all');
    expect(queryOf({ account: 'own' }, true, now).account).toBeUndefined();
    expect(queryOf({}, false, now).account).toBeUndefined();
  });

  it('name any number of models', () => {
    expect(modelsOf({})).toEqual([]);
    expect(modelsOf({ model: 'up/a, up/b,,up/a' })).toEqual(['up/a', 'up/b']);
  });

  it('are all taken away at once', () => {
    expect(isFiltered({ range: '1h', account: 'own' })).toBe(false);
    for (const name of Object.keys(withoutFilters)) expect(isFiltered({ [name]: 'x' })).toBe(true);
  });
});

const attempt = (more: Partial<TimedAttempt> = {}): TimedAttempt => ({
  provider: 'up',
  model: 'a',
  number: 1,
  outcome: 'ok',
  status: 200,
  error: null,
  latencyMs: 100,
  firstContentMs: 60,
  ...more,
});

describe('the waterfall of a request', () => {
  it('shows a retry after its wait, with each phase', () => {
    const lanes = lanesOf([
      attempt({ startMs: 5, outcome: 'timeout', firstContentMs: null, sentMs: 2, headersMs: null }),
      attempt({ startMs: 355, waitMs: 250, sentMs: 10, headersMs: 40 }),
    ]);
    expect(lanes.map(({ start, end }) => [start, end])).toEqual([
      [5, 105],
      [355, 455],
    ]);
    expect(lanes[1]?.phases).toEqual([
      { name: 'wait', from: 105, to: 355 },
      { name: 'connect', from: 355, to: 365 },
      { name: 'provider', from: 365, to: 395 },
      { name: 'thinking', from: 395, to: 415 },
      { name: 'answer', from: 415, to: 455 },
    ]);
    expect(axisEnd(lanes, 460)).toBe(460);
  });

  it('counts the calls that tools and research make, and not retries and fallbacks', () => {
    const failed = attempt({ outcome: 'timeout' });
    const lanes = lanesOf([failed, attempt({ number: 2 }), failed, attempt({ model: 'b' })]);
    expect(lanes.map(({ call }) => call)).toEqual([1, 1, 2, 2]);
  });

  it('shows attempts from before their starts were kept one after the other', () => {
    const lanes = lanesOf([attempt(), attempt()]);
    expect(lanes.map(({ start, end }) => [start, end])).toEqual([
      [0, 100],
      [100, 200],
    ]);
  });

  it('never shows a phase outside of its attempt, whatever was recorded', () => {
    const ms = fc.option(fc.integer({ min: 0, max: 500 }));
    fc.assert(
      fc.property(ms, ms, ms, (sentMs, headersMs, firstContentMs) => {
        const [lane] = lanesOf([attempt({ startMs: 10, sentMs, headersMs, firstContentMs })]);
        for (const { from, to } of lane?.phases ?? []) {
          expect(from).toBeGreaterThanOrEqual(10);
          expect(to).toBeLessThanOrEqual(110);
          expect(to).toBeGreaterThan(from);
        }
      }),
    );
  });
});

describe('the scatter of candidates', () => {
  const candidate = (label: string, cost: number | null, quality: number | null) => ({
    label,
    quality,
    price: null,
    cost,
    latency: null,
    score: 1,
  });

  it('has the dear ones at the right and the good ones on top, within the plot', () => {
    const { dots, unknown } = scatterOf([
      candidate('cheap', 0.0001, 0.5),
      candidate('dear', 0.1, 0.9),
      candidate('unpriced', null, 0.8),
      { ...candidate('left out', 0.1, 0.9), excluded: 'not allowed' },
    ]);
    expect(dots.map(({ candidate: { label } }) => label)).toEqual(['cheap', 'dear']);
    expect(dots[0]!.x).toBeLessThan(dots[1]!.x);
    expect(dots[0]!.y).toBeLessThan(dots[1]!.y);
    for (const { x, y } of dots)
      for (const place of [x, y]) expect(Math.abs(place - 0.5)).toBeLessThanOrEqual(0.5);
    expect(unknown.map(({ label }) => label)).toEqual(['unpriced']);
  });

  it('keeps the labels of candidates that are equally good clear of one another', () => {
    const { dots } = scatterOf(
      ['a', 'b', 'c'].map((label, index) => candidate(label, 0.01 * (index + 1), 0.9)),
    );
    const heights = dots.map(({ labelAt }) => labelAt).sort((one, other) => one - other);
    for (const [index, height] of heights.slice(1).entries())
      expect(height - heights[index]!).toBeGreaterThan(0.06);
  });

  it('draws a single candidate, free ones, and none', () => {
    expect(scatterOf([]).dots).toEqual([]);
    for (const cost of [0, 1]) {
      const [dot] = scatterOf([candidate('only', cost, 1)]).dots;
      expect([dot?.x, dot?.y].every((place) => Number.isFinite(place))).toBe(true);
    }
  });
});
