import { type ErrorCode, type ErrorTraceEntry, GatewayError } from '../errors.js';

/** How long a client should wait where the providers have not said, in ms. */
const defaultWaitMs = 5_000;

/** The failures that, where all attempts failed so, are the answer themselves. */
const tellingCodes: readonly ErrorCode[] = [
  'rate_limited',
  'upstream_overloaded',
  'upstream_timeout',
  'request_refused',
];

/** The error for a request whose every candidate failed: 502, or what all of them have in common. */
export function exhausted(
  failures: readonly GatewayError[],
  errorTrace: readonly ErrorTraceEntry[],
): GatewayError {
  const first = failures[0];
  const last = failures.at(-1);
  if (!first || !last)
    return new GatewayError(
      'not_configured',
      errorTrace.at(-1)?.error ?? 'no candidate could be called',
      { errorTrace },
    );
  const common = tellingCodes.find((code) => failures.every((failure) => failure.code === code));
  if (!common)
    return new GatewayError('all_failed', summary(failures, last), { cause: last, errorTrace });
  const waits = failures.map((failure) => failure.retryAfterMs).filter((ms) => ms !== null);
  const waitMs =
    common === 'rate_limited' || common === 'upstream_overloaded'
      ? waits.length > 0
        ? Math.min(...waits)
        : defaultWaitMs
      : null;
  return new GatewayError(common, summary(failures, last), {
    cause: last,
    errorTrace,
    retryAfterMs: waitMs,
    upstreamStatus: last.upstreamStatus,
  });
}

const summary = (failures: readonly GatewayError[], last: GatewayError): string =>
  failures.length === 1
    ? last.message
    : `all ${failures.length} attempts failed; the last: ${last.message}`;
