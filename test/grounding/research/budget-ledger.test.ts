import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BudgetLedger } from '../../../src/grounding/research/budget-ledger.js';
import { ample, VirtualClock } from '../../helpers/researching.js';
import { runs } from '../../helpers/runs.js';

const step = fc.record({
  tokens: fc.integer({ min: 0, max: 100 }),
  costUsd: fc.integer({ min: 0, max: 100 }).map((cents) => cents / 100),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  startsAt: fc.integer({ min: 0, max: 50 }),
  lasts: fc.integer({ min: 0, max: 50 }),
  ending: fc.constantFrom('settles', 'settles at most', 'settles twice', 'settles with NaN'),
});
const signal = new AbortController().signal;

describe('the ledger of a budget', () => {
  it('allows steps in parallel as long as all of them fit at their most, and no longer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 0, max: 600 }),
        fc.integer({ min: 0, max: 600 }).map((cents) => cents / 100),
        async (steps, maxSteps, maxTokens, maxCostUsd) => {
          const clock = new VirtualClock();
          const ledger = new BudgetLedger({ ...ample, maxSteps, maxTokens, maxCostUsd }, clock);
          const sum = { steps: 0, tokens: 0, costUsd: 0 };
          let open = 0;
          const add = (sign: number, tokens: number, costUsd: number): void => {
            sum.steps += sign;
            sum.tokens += sign * tokens;
            sum.costUsd += sign * costUsd;
            expect(sum.steps).toBeLessThanOrEqual(maxSteps);
            expect(sum.tokens).toBeLessThanOrEqual(maxTokens);
            expect(sum.costUsd).toBeLessThanOrEqual(maxCostUsd + 1e-6);
          };
          const fits = (tokens: number, costUsd: number): boolean =>
            sum.steps + 1 <= maxSteps &&
            sum.tokens + tokens <= maxTokens &&
            sum.costUsd + costUsd <= maxCostUsd + 1e-6;
          await clock.drive(
            Promise.all(
              steps.map(async ({ tokens, costUsd, share, startsAt, lasts, ending }) => {
                await clock.wait(startsAt, signal);
                const reservation = await ledger.reserve({ steps: 1, tokens, costUsd }, signal);
                if (reservation === null) {
                  expect(open === 0 && fits(tokens, costUsd + 1e-6)).toBe(false);
                  expect(ledger.stoppedBy).not.toBeNull();
                  return;
                }
                open++;
                add(1, tokens, costUsd);
                await clock.wait(lasts, signal);
                const used = ending.startsWith('settles at') ? 1 : share;
                const actual = { tokens: tokens * used, costUsd: costUsd * used };
                if (ending === 'settles with NaN')
                  reservation.settle({ steps: 1, tokens: NaN, costUsd: -1 });
                else if (ending !== 'settles at most') reservation.settle({ steps: 1, ...actual });
                reservation.settleAtMost();
                open--;
                if (ending === 'settles with NaN') return;
                add(-1, tokens, costUsd);
                add(1, actual.tokens, actual.costUsd);
              }),
            ),
          );
          expect(ledger.spent.steps).toBe(sum.steps);
          expect(ledger.spent.tokens).toBeCloseTo(sum.tokens, 6);
          expect(ledger.spent.costUsd).toBeCloseTo(sum.costUsd, 6);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  it('lets a step wait for another one that may use less than it reserved', async () => {
    const ledger = new BudgetLedger({ ...ample, maxTokens: 100 }, new VirtualClock());
    const first = await ledger.reserve({ steps: 1, tokens: 80, costUsd: 0 }, signal);
    const second = ledger.reserve({ steps: 1, tokens: 60, costUsd: 0 }, signal);
    first!.settle({ steps: 1, tokens: 40, costUsd: 0 });
    expect(await second).not.toBeNull();
    expect(ledger.stoppedBy).toBeNull();
    expect(ledger.left.tokens).toBe(0);
  });

  it('ends the wait of a step that is cancelled', async () => {
    const ledger = new BudgetLedger({ ...ample, maxTokens: 100 }, new VirtualClock());
    const leaving = new AbortController();
    await ledger.reserve({ steps: 1, tokens: 80, costUsd: 0 }, signal);
    const waiting = ledger.reserve({ steps: 1, tokens: 60, costUsd: 0 }, leaving.signal);
    leaving.abort(new Error('the client left'));
    await expect(waiting).rejects.toThrow('the client left');
  });

  it('keeps what is set aside until it is released, and names the first limit only', () => {
    const clock = new VirtualClock();
    const ledger = new BudgetLedger({ ...ample, maxSteps: 3, maxSeconds: 10 }, clock);
    ledger.setAside({ steps: 1, tokens: 0, costUsd: 0 }, 4_000);
    expect(ledger.left.steps).toBe(2);
    expect(ledger.msLeft).toBe(6_000);
    ledger.stop('steps');
    ledger.stop('time');
    ledger.release();
    expect(ledger.left.steps).toBe(3);
    expect(ledger.msLeft).toBe(10_000);
    expect(ledger.stoppedBy).toBe('steps');
  });

  it('does not let a bound that is no number pass', () => {
    const ledger = new BudgetLedger(ample, new VirtualClock());
    expect(ledger.take({ steps: 1, tokens: NaN, costUsd: 0 })).toBeNull();
    expect(ledger.take({ steps: 1, tokens: 0, costUsd: NaN })).toBeNull();
  });

  it('knows the cost as null once a part of it is unknown', () => {
    const ledger = new BudgetLedger({ ...ample, maxCostUsd: null }, new VirtualClock());
    ledger
      .take({ steps: 1, tokens: 5, costUsd: 0.5 })!
      .settle({ steps: 1, tokens: 5, costUsd: null });
    expect(ledger.spent.costUsd).toBe(0.5);
    ledger
      .take({ steps: 1, tokens: 5, costUsd: null })!
      .settle({ steps: 1, tokens: 5, costUsd: null });
    expect(ledger.spent.costUsd).toBeNull();
  });
});
