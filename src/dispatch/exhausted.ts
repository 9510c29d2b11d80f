import { type ErrorCode, type ErrorTraceEntry, GatewayError } from '../errors.js';

/** How long a client should wait where no provider states a wait, in ms. */
const defaultWaitMs = 5_000;

/** Codes that are kept where all attempts failed with the same one. */
const sharedCodes: readonly ErrorCode[] = [
  'rate_limited',
  'upstream_overloaded',
  'upstream_timeout',
  'request_refused',
];

/**
 * The error for a request whose candidates all failed: `all_failed`, or the code that all failures
 * share; `not_configured` where no candidate could be called.
 */
export function exhausted(
  failures: readonly GatewayError[],
  errorTrace: readonly ErrorTraceEntry[],
): GatewayError {
  const last = failures.at(-1);
  if (!last)
    return new GatewayError(
      'not_configured',
      errorTrace.at(-1)?.error ?? 'no candidate could be called',
      { errorTrace },
    );
  const code = sharedCodes.find((shared) => failures.every((failure) => failure.code === shared));
  if (!code)
    return new GatewayError('all_failed', summary(failures, last), { cause: last, errorTrace });
  const isTemporary = code === 'rate_limited' || code === 'upstream_overloaded';
  return new GatewayError(code, summary(failures, last), {
    cause: last,
    errorTrace,
    retryAfterMs: isTemporary ? shortestWaitMs(failures) : null,
    upstreamStatus: last.upstreamStatus,
  });
}

function shortestWaitMs(failures: readonly GatewayError[]): number {
  const waits = failures.map((failure) => failure.retryAfterMs).filter((ms) => ms !== null);
  return waits.length > 0 ? Math.min(...waits) : defaultWaitMs;
}

const summary = (failures: readonly GatewayError[], last: GatewayError): string =>
  failures.length === 1
    ? last.message
    : `all ${failures.length} attempts failed; the last: ${last.message}`;
