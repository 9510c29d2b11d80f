import { describe, expect, it } from 'vitest';
import { anonymous, fixedCaller } from '../../../src/accounts/caller.js';
import { decisionOf, selectionRowOf } from '../../../src/telemetry/requests/decision.js';
import { keepDigest, keepText } from '../../../src/telemetry/requests/kept-content.js';
import type { Plan, RankedCandidate } from '../../../src/chooser/plan.js';
import { unpackCandidates } from '../../../src/store/packed-candidates.js';

const candidate = (model: string): RankedCandidate => ({
  label: `up/${model}`,
  provider: 'up',
  model,
  score: 1 / 3,
  why: {
    quality: 1 / 3,
    price: 1,
    latency: null,
    uncertainty: 0.05,
    cost: 0.001,
    outputTokens: 80.4,
    reason: 'best predicted quality, 0.333',
  },
});
const plan: Plan = {
  id: 'plan',
  candidates: [candidate('a'), candidate('b')],
  excluded: [
    {
      candidate: { label: 'gone', provider: null, model: 'gone' },
      reason: 'no such provider is configured',
    },
  ],
  promptTokens: 5,
  limits: { retriesPerCandidate: 2, firstEventTimeoutMs: 1, idleTimeoutMs: 1, totalTimeoutMs: 1 },
  reason: 'best predicted quality, 0.333',
  gate: 0.45678,
  kinds: { router: 'r', shares: [[3, 0.51234]] },
};
const links = { previousId: 'before', tradeoff: 'cost', preferenceId: 'preference', content: null };
const told = {
  provider: 'up',
  quality: 0.333333333,
  price: 1,
  latency: null,
  score: 0.333333333,
  uncertainty: 0.05,
  cost: 0.001,
  output_tokens: 80,
  reason: 'best predicted quality, 0.333',
};

describe('a decision', () => {
  it('is stored with its explained candidates; the gate is stored with the first', () => {
    const { candidates, ...row } = selectionRowOf(
      decisionOf(plan, fixedCaller({ name: 'one' }), links),
      null,
    );
    expect(row).toEqual({
      id: 'plan',
      accountId: 'fixed:one',
      keyId: 'fixed:one',
      at: expect.any(Number) as number,
      label: 'up/a',
      reason: plan.reason,
      ...links,
    });
    expect(unpackCandidates(JSON.parse(candidates))).toEqual([
      {
        label: 'up/a',
        model: 'a',
        ...told,
        gate: 0.457,
        kinds: { router: 'r', shares: [[3, 0.512]] },
      },
      { label: 'up/b', model: 'b', ...told },
      {
        label: 'gone',
        provider: null,
        model: 'gone',
        quality: null,
        price: null,
        latency: null,
        score: null,
        excluded: 'no such provider is configured',
      },
    ]);
  });

  it('keeps no object of its plan while it waits to be written', () => {
    expect(
      Object.values(decisionOf(plan, anonymous, links)).filter(
        (value) => typeof value === 'object' && value !== null,
      ),
    ).toEqual([]);
  });

  it('keeps its content as configured, a digest salted', () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const rowOf = (content: typeof links.content | ReturnType<typeof keepText>): unknown =>
      selectionRowOf(decisionOf(plan, anonymous, { ...links, content }), Buffer.from('salt'))
        .content;
    expect(rowOf(keepText(messages))).toEqual({ messages });
    expect(rowOf(keepDigest(messages))).toEqual({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });
});
