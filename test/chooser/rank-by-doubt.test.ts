import { describe, expect, it } from 'vitest';
import type { CandidateFigures } from '../../src/chooser/plan.js';
import { rankByTradeoff } from '../../src/chooser/rank-by-tradeoff.js';

const known = (
  model: string,
  quality: number,
  uncertainty: number,
  more: { cost?: number; learned?: readonly string[] } = {},
): CandidateFigures => ({
  candidate: { label: model, provider: 'p', model },
  figures: { quality, uncertainty, price: 1, latency: 1, cost: 1, ...more },
});
const rank = (...candidates: CandidateFigures[]) =>
  rankByTradeoff({ messages: [], tradeoff: 'cost' }, candidates, { tolerance: 0.05, affinity: 0 });
const first = (...candidates: CandidateFigures[]): string => rank(...candidates)[0]!.model;

const best = known('best', 0.9, 0.01);
const cheap = { cost: 0.1 };

describe('the tolerance of a tradeoff', () => {
  it('holds for a loss that is expected and for one that is a standard deviation larger', () => {
    expect(first(best, known('sure', 0.865, 0.005, cheap))).toBe('sure');
    expect(first(best, known('unsure', 0.865, 0.02, cheap))).toBe('best');
  });

  it('is left by half to models of which little is known', () => {
    expect(first(best, known('new', 0.876, 0.3, cheap))).toBe('new');
    expect(first(best, known('new', 0.874, 0.3, cheap))).toBe('best');
    expect(first(known('newest', 0.9, 0.3), known('known', 0.876, 0.01, cheap))).toBe('known');
  });

  it('does not depend on how little is known of models that are equal', () => {
    expect(first(known('one', 0.7, 0.4), known('other', 0.7, 0.4, cheap))).toBe('other');
  });

  it('is left whole to stated qualities and to what the account has taught', () => {
    expect(first(known('best', 0.9, 0), known('stated', 0.85, 0, cheap))).toBe('stated');
    const learned = ["learned from the account's evaluations"];
    expect(first(best, known('taught', 0.865, 0.3, { ...cheap, learned }))).toBe('taught');
  });

  it('says why a cheaper model within it is not chosen', () => {
    const [, unsure] = rank(best, known('unsure', 0.865, 0.02, cheap));
    expect(unsure!.why.reason).toBe(
      'predicted quality 0.865, best is 0.9; not surely within the tolerance',
    );
    const [, far] = rank(best, known('far', 0.8, 0.02, cheap));
    expect(far!.why.reason).toBe('predicted quality 0.8, best is 0.9');
  });
});
