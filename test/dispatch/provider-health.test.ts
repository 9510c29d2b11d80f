import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../src/dispatch/attempt-log.js';
import { healthWindowMs, ProviderHealths } from '../../src/dispatch/provider-health.js';

const attempt = (more: Partial<Attempt> = {}): Attempt => ({
  provider: 'p',
  model: 'm',
  number: 1,
  outcome: 'ok',
  status: 200,
  error: null,
  latencyMs: 100,
  startedAt: 0,
  waitMs: 0,
  keyIndex: null,
  sentMs: 1,
  headersMs: 5,
  firstContentMs: 10,
  isWhole: false,
  ...more,
});

describe('the health of a provider', () => {
  let now = 1_000_000_000;
  const watched = (): ProviderHealths => new ProviderHealths(() => now);

  it('is unknown before the first call', () => {
    expect(watched().find('p')).toBeNull();
  });

  it('counts the calls and failures of the last quarter of an hour, and forgets older ones', () => {
    const health = watched();
    health.record(attempt());
    health.record(attempt({ outcome: 'upstream_error', status: 500 }));
    expect(health.find('p')).toMatchObject({
      attempts: 2,
      failures: 1,
      lastSuccessAt: now,
      lastFailure: { at: now, model: 'm', code: 'upstream_error', status: 500 },
    });
    now += healthWindowMs;
    health.record(attempt());
    expect(health.find('p')).toMatchObject({ attempts: 1, failures: 0 });
    now += healthWindowMs;
    expect(health.find('p')).toMatchObject({ attempts: 0, lastSuccessAt: now - healthWindowMs });
  });

  it('has medians once three calls were answered', () => {
    const health = watched();
    for (const latencyMs of [300, 100]) health.record(attempt({ latencyMs }));
    expect(health.find('p')).toMatchObject({ latencyMs: null, ttftMs: null });
    health.record(attempt({ latencyMs: 200, firstContentMs: 40 }));
    expect(health.find('p')).toMatchObject({ latencyMs: 200, ttftMs: 10 });
  });

  it('has no time to the first token of answers that were asked for whole', () => {
    const health = watched();
    for (let count = 0; count < 3; count++) health.record(attempt({ isWhole: true }));
    expect(health.find('p')).toMatchObject({ latencyMs: 100, ttftMs: null });
  });

  it('is not worse where the provider does not have the model of a call', () => {
    const health = watched();
    health.record(attempt({ model: 'gone', outcome: 'model_not_found', status: 404 }));
    expect(health.find('p')).toMatchObject({
      attempts: 1,
      failures: 0,
      lastFailure: null,
      lastModelError: { at: now, model: 'gone', code: 'model_not_found', status: 404 },
    });
  });

  it('is not better where a request was refused before it was sent', () => {
    const health = watched();
    health.record(attempt({ outcome: 'connection_failed', status: null }));
    health.record(attempt({ outcome: 'request_refused', status: null }));
    expect(health.find('p')).toMatchObject({
      attempts: 1,
      lastFailure: { code: 'connection_failed' },
    });
  });

  it('is not better where it refused a request after failures, until it has answered one', () => {
    const health = watched();
    const lastCode = (): unknown => health.find('p')?.lastFailure?.code;
    health.record(attempt({ outcome: 'upstream_error', status: 500 }));
    now++;
    health.record(attempt({ outcome: 'request_refused', status: 400 }));
    expect(lastCode()).toBe('upstream_error');
    now++;
    health.record(attempt());
    now++;
    health.record(attempt({ outcome: 'request_refused', status: 400 }));
    expect(lastCode()).toBe('request_refused');
  });

  it('takes a client that left for no failure of the provider', () => {
    const health = watched();
    health.record(attempt({ outcome: 'client_closed', status: null }));
    expect(health.find('p')).toBeNull();
  });
});
