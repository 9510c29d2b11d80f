import { describe, expect, it } from 'vitest';
import { anonymous } from '../../../src/accounts/caller.js';
import { newRequestRecord, type ObservedRequest } from '../../../src/telemetry/observed-request.js';
import { finishedRequest, requestRowOf } from '../../../src/telemetry/requests/finished-request.js';
import type { Plan } from '../../../src/chooser/plan.js';

const plan: Plan = {
  id: 'plan',
  candidates: [
    {
      label: 'up/a',
      provider: 'up',
      model: 'a',
      score: 1,
      why: { quality: 1, price: 1, latency: null, reason: 'the only one' },
    },
  ],
  excluded: [],
  promptTokens: 5,
  limits: { retriesPerCandidate: 2, firstEventTimeoutMs: 1, idleTimeoutMs: 1, totalTimeoutMs: 1 },
  reason: 'the only one',
};
const finishedOn = (surface: 'completions' | 'model_select'): ObservedRequest => ({
  id: 'request',
  isOwnId: true,
  startedAt: performance.now(),
  caller: anonymous,
  isIdentified: true,
  isLogged: true,
  trace: null,
  surface,
  plan,
  record: { ...newRequestRecord(), previousSession: 'before' },
});

describe('a finished request', () => {
  it('is stored with its plan, and with the session that it continues', () => {
    const kept = {
      reason: 'the only one',
      candidates: [
        {
          label: 'up/a',
          provider: 'up',
          model: 'a',
          quality: 1,
          price: 1,
          latency: null,
          score: 1,
          reason: 'the only one',
        },
      ],
      previousSession: 'before',
    };
    expect(requestRowOf(finishedRequest(finishedOn('completions'), false), null)).toMatchObject({
      planId: 'plan',
      plan: kept,
    });
  });

  it("of model selection has only the plan's id, because a decision has its own row", () => {
    expect(requestRowOf(finishedRequest(finishedOn('model_select'), false), null)).toMatchObject({
      planId: 'plan',
      plan: null,
    });
  });

  it('that is written only for its sums keeps no plan', () => {
    expect(requestRowOf(finishedRequest(finishedOn('completions'), true), null)).toMatchObject({
      planId: 'plan',
      plan: null,
      attempts: null,
      content: null,
    });
  });

  it('does not keep the plan object while it waits to be written', () => {
    for (const surface of ['completions', 'model_select'] as const)
      expect(Object.values(finishedRequest(finishedOn(surface), false))).not.toContain(plan);
  });
});
