import { describe, expect, it } from 'vitest';
import { keptPlan } from '../../../src/telemetry/requests/kept-plan.js';
import type { Plan, RankedCandidate } from '../../../src/chooser/plan.js';

const candidate = (label: string): RankedCandidate => ({
  label,
  provider: 'up',
  model: label,
  score: 1,
  why: { quality: 0.5, price: 1, latency: null, reason: 'best predicted quality, 0.5' },
  attributes: { secret: 'what a caller says of it' },
});
const planOf = (first: RankedCandidate, ...more: RankedCandidate[]): Plan => ({
  id: 'plan',
  candidates: [first, ...more],
  excluded: [
    {
      candidate: { label: 'no', provider: null, model: 'no' },
      reason: 'its context length is 10 tokens, but the request needs about 20',
    },
  ],
  promptTokens: 5,
  limits: { retriesPerCandidate: 2, firstEventTimeoutMs: 1, idleTimeoutMs: 1, totalTimeoutMs: 1 },
  reason: 'best predicted quality, 0.5',
});

describe('a stored plan', () => {
  it('has each candidate with its figures, the excluded ones with their reason, and the rule that decided', () => {
    expect(keptPlan(planOf(candidate('a')))).toEqual({
      reason: 'best predicted quality, 0.5',
      candidates: [
        {
          label: 'a',
          provider: 'up',
          model: 'a',
          quality: 0.5,
          price: 1,
          latency: null,
          score: 1,
          reason: 'best predicted quality, 0.5',
        },
        {
          label: 'no',
          provider: null,
          model: 'no',
          quality: null,
          price: null,
          latency: null,
          score: null,
          excluded: 'its context length is 10 tokens, but the request needs about 20',
        },
      ],
    });
  });

  it('has the sixteen best candidates, and the number of omitted ones', () => {
    const many = Array.from({ length: 1_000 }, (_, index) =>
      candidate(`${index} ${'x'.repeat(400)}`),
    );
    const kept = keptPlan(planOf(candidate('a'), ...many));
    expect(kept.candidates).toHaveLength(16);
    expect(kept.candidates[0]?.label).toBe('a');
    expect(kept.candidates.length + (kept.omitted ?? 0)).toBe(1_002);
  });

  it('is bounded even if only the names are long', () => {
    const kept = keptPlan(
      planOf(
        ...([
          candidate('x'.repeat(1_000_000)),
          ...Array.from({ length: 50 }, () => candidate('y'.repeat(1_000_000))),
        ] as [ReturnType<typeof candidate>]),
      ),
    );
    expect(JSON.stringify(kept).length).toBeLessThan(40_000);
    expect(kept.candidates[0]?.label).toHaveLength(512);
  });
});
