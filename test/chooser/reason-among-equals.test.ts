import { describe, expect, it } from 'vitest';
import type { CandidateFigures, RankedCandidate } from '../../src/chooser/plan.js';
import { rankByTradeoff } from '../../src/chooser/rank-by-tradeoff.js';

/** Models by what an answer of each costs, of one quality where none is given. */
const ranked = (
  costs: Record<string, number | null>,
  qualities: Record<string, number> = {},
): RankedCandidate[] =>
  rankByTradeoff(
    { messages: [] },
    Object.entries(costs).map(([model, cost]): CandidateFigures => ({
      candidate: { label: model, provider: 'p', model },
      figures: {
        quality: qualities[model] ?? 0.8,
        uncertainty: 0.03,
        price: cost,
        cost,
        latency: null,
      },
    })),
    { tolerance: 0.05, affinity: 0, economy: 5 },
  );
const reasons = (costs: Record<string, number | null>): string[] =>
  ranked(costs).map(({ why }) => why.reason);
const found = 'candidates answer this equally well;';
const quality = 'predicted quality 0.8';

describe('the reason for a place among equals', () => {
  it('names the cheaper only where both prices are known', () => {
    expect(reasons({ a: 1, b: 2 })).toEqual([
      `both ${found} this is the cheaper: ${quality}, about 1 USD`,
      `${quality}, as good as the best, but not cheaper`,
    ]);
  });

  it('says that no price is known where none is', () => {
    expect(reasons({ 'gpt-6': null, 'gpt-6-mini': null })).toEqual([
      `both ${found} no price of them is known: ${quality}`,
      `${quality}, as good as the best; no price is known`,
    ]);
  });

  it('compares with known prices only', () => {
    expect(reasons({ a: null, b: 2 })).toEqual([
      `both ${found} only the price of this is known: ${quality}, about 2 USD`,
      `${quality}, as good as the best, but its price is not known`,
    ]);
    expect(reasons({ a: null, b: 2, c: 1 })).toEqual([
      `all 3 ${found} this is the cheapest whose price is known: ${quality}, about 1 USD`,
      `${quality}, as good as the best, but not cheaper`,
      `${quality}, as good as the best, but its price is not known`,
    ]);
  });

  it('calls none the cheaper of two that cost the same', () => {
    expect(reasons({ a: 1, b: 1, c: 2 })[0]).toBe(
      `all 3 ${found} none is cheaper: ${quality}, about 1 USD`,
    );
  });

  it('knows the price of one that stands after another of less quality', () => {
    const costs = { a: 0.0026, cheap: 0.00017, b: 0.0037, c: 0.0049 };
    const order = ranked(costs, { a: 0.959, cheap: 0.95, b: 0.96, c: 0.963 });
    expect(order.map(({ label }) => label)).toEqual(['a', 'cheap', 'b', 'c']);
    expect(order[3]?.why.reason).toBe(
      'predicted quality 0.963, as good as the best, but not cheaper',
    );
  });
});
