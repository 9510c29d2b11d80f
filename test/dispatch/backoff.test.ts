import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryWaitMs, wait } from '../../src/dispatch/backoff.js';
import { Cancellation, Deadline } from '../../src/dispatch/cancellation.js';
import { GatewayError } from '../../src/errors.js';

const failure = (retryAfterMs: number | null = null): GatewayError =>
  new GatewayError('upstream_error', 'p answered 500', { retryAfterMs });

describe('the wait before a retry', () => {
  it('doubles from 250 ms to 8 s at the maximum of the jitter', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 10].map((retry) => retryWaitMs(retry, failure(), () => 1));
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  it('may be 0: the jitter is full', () => {
    expect(retryWaitMs(10, failure(), () => 0)).toBe(0);
  });

  it('is never negative and never above its bound', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (retry, chance) => {
          const ms = retryWaitMs(retry, failure(), () => chance);
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(ms).toBeLessThan(Math.min(8_000, 250 * 2 ** (retry - 1)));
        },
      ),
    );
  });

  it('is what the provider asked for, exactly', () => {
    expect([0, 1, 1_234, 8_000].map((ms) => retryWaitMs(1, failure(ms), () => 1))).toEqual([
      0, 1, 1_234, 8_000,
    ]);
  });

  it('is 0 before a retry with another key, or without streaming', () => {
    expect(retryWaitMs(3, new GatewayError('provider_auth', 'p answered 401'), () => 1)).toBe(0);
    expect(retryWaitMs(3, new GatewayError('stream_refused', 'p answered 400'), () => 1)).toBe(0);
  });
});

describe('waiting', () => {
  const far = new Deadline(600_000);
  const left = new GatewayError('client_closed', 'the client left');

  it('ends when the time is over', async () => {
    await expect(wait(1, new Cancellation(), far)).resolves.toBeUndefined();
  });

  it('ends at once with the reason when the request is cancelled', async () => {
    const cancellation = new Cancellation();
    const waiting = wait(60_000, cancellation, far);
    cancellation.cancel(left);
    await expect(waiting).rejects.toBe(left);
  });

  it('ends with the deadline if that comes first', async () => {
    await expect(wait(60_000, new Cancellation(), new Deadline(5))).rejects.toMatchObject({
      code: 'deadline_exceeded',
      message: 'no answer within 5 ms in total',
    });
  });

  it('does not begin for a request that is cancelled already', async () => {
    const cancellation = new Cancellation();
    cancellation.cancel(left);
    await expect(wait(60_000, cancellation, far)).rejects.toBe(left);
  });
});
