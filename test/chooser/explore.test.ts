import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { drawOf, explored, plausiblePlaces } from '../../src/chooser/explore.js';
import type { Explanation } from '../../src/chooser/figures.js';
import type { RankedCandidate } from '../../src/chooser/plan.js';

const candidate = (
  model: string,
  quality: number,
  why: Partial<Explanation> = {},
): RankedCandidate => ({
  label: `p/${model}`,
  provider: 'p',
  model,
  score: quality,
  why: { quality, price: null, latency: null, uncertainty: 0.1, cost: 1, reason: '', ...why },
});
const ranked = (): RankedCandidate[] => [
  candidate('best', 0.8),
  candidate('near', 0.75),
  candidate('dear', 0.75, { cost: 3 }),
  candidate('far', 0.5),
  candidate('stated', 0.79, { uncertainty: 0 }),
  candidate('unpriced', 0.78, { cost: null }),
];
const ids = Array.from({ length: 4_000 }, () => randomUUID());
const chosen = (share: number, depth?: number): string[] =>
  ids.map((id) => explored(ranked(), share, id, depth)[0]!.model);

describe('exploration', () => {
  it('happens in the configured share of decisions, and never if it is 0', () => {
    expect(new Set(chosen(0))).toEqual(new Set(['best']));
    const share = chosen(0.2).filter((model) => model !== 'best').length / ids.length;
    expect(share).toBeGreaterThan(0.17);
    expect(share).toBeLessThan(0.23);
    expect(chosen(1).filter((model) => model !== 'best').length / ids.length).toBeLessThan(0.23);
    expect(new Set(chosen(NaN))).toEqual(new Set(['best']));
  });

  it('tries candidates that may be the best, at no more than twice the cost', () => {
    expect(plausiblePlaces(ranked().map(({ why }) => why))).toEqual([1]);
    const [first, ...others] = [
      candidate('best', 0.8, { cost: null }),
      candidate('unpriced', 0.78, { cost: null }),
      candidate('priced', 0.79),
    ];
    expect(plausiblePlaces([first, ...others].map(({ why }) => why))).toEqual([1]);
    expect(new Set(chosen(0.2))).toEqual(new Set(['best', 'near']));
    expect(new Set(chosen(0.2, 1))).toEqual(new Set(['best']));
    expect(plausiblePlaces([])).toEqual([]);
  });

  it('does not try candidates with a stated quality: there is nothing to learn about them', () => {
    expect(
      plausiblePlaces(
        [candidate('best', 0.8), candidate('stated', 0.8, { uncertainty: 0 })].map(
          ({ why }) => why,
        ),
      ),
    ).toEqual([]);
  });

  it('does not try candidates that are more than twice as slow if the request asks for speed', () => {
    const figures = [
      candidate('best', 0.8, { latency: 0.4 }),
      candidate('near', 0.8, { latency: 0.8 }),
      candidate('slow', 0.8, { latency: 0.9 }),
      candidate('unmeasured', 0.8),
    ].map(({ why }) => why);
    expect(plausiblePlaces(figures, 4, true)).toEqual([1]);
    expect(plausiblePlaces(figures)).toEqual([1, 2, 3]);
  });

  it('depends on the id only, keeps all candidates, and is reported', () => {
    const id = ids.find((one) => explored(ranked(), 0.2, one)[0]!.model === 'near')!;
    const plan = explored(ranked(), 0.2, id);
    expect(explored(ranked(), 0.2, id)).toEqual(plan);
    expect(plan.map(({ model }) => model)).toEqual([
      'near',
      'best',
      'dear',
      'far',
      'stated',
      'unpriced',
    ]);
    expect(plan[0]).toMatchObject({
      score: 0.8,
      why: {
        explored: true,
        reason: "explored: predicted quality 0.75 ± 0.1, the first candidate's is 0.8",
      },
    });
  });

  it('draws evenly and independently for each salt', () => {
    for (const salt of [0, 1])
      expect(ids.reduce((sum, id) => sum + drawOf(id, salt), 0) / ids.length).toBeCloseTo(0.5, 1);
    expect(drawOf('a', 0)).not.toBe(drawOf('a', 1));
  });
});
