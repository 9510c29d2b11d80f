import { setTimeout as sleep } from 'node:timers/promises';
import { abortError } from '../../async/until-aborted.js';
import type { Breaker } from '../../dispatch/breaker.js';
import type { KeyRing } from '../../dispatch/key-ring.js';
import { type ErrorCode, GatewayError } from '../../errors.js';
import { isUnbilledStatus } from '../../providers/failure.js';
import { type SearchEngine, searchPriceOf } from './search-engine.js';

// how long an engine rests after a failure that says no time itself
const rateLimitedRestMs = 60_000;
const brokenRestMs = 30_000;
/** Failures for which the query may be to blame: another one may be answered. */
const noRest: ReadonlySet<ErrorCode> = new Set(['request_refused']);

/** How long a rate limit lasts, in ms; infinite for other failures. */
export const waitOf = ({ code, retryAfterMs }: GatewayError): number =>
  code === 'rate_limited' && retryAfterMs !== null ? retryAfterMs : Infinity;

/** Waits. @throws GatewayError the reason of the signal once it is aborted */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  // one signal may end many searches, and Node warns of more than ten listeners of one
  const own = signal ? { signal: AbortSignal.any([signal]) } : {};
  await sleep(ms, undefined, own).catch(() => {
    throw abortError(signal!);
  });
}

/** Failures of one key: another one may be answered. */
export const isOfKey = ({ code, recovery }: GatewayError): boolean =>
  recovery === 'next_key' || code === 'rate_limited';

/** Starts the rest that a failure asks for: of the key that was used, or of all of the engine. */
export function startRest(
  breaker: Breaker,
  keys: KeyRing,
  apiKey: string | null,
  error: GatewayError,
): void {
  if (noRest.has(error.code)) return;
  const [marks, restMs] = isOfKey(error)
    ? [[keys.markOf(apiKey)], rateLimitedRestMs]
    : [keys.marks, brokenRestMs];
  for (const mark of marks) breaker.rest('', mark, error, error.retryAfterMs ?? restMs);
}

/**
 * What an engine charges for one call by the configured price, in USD; null: unknown. A call that was
 * answered with an error is not charged, one that was not answered may be.
 */
export function costOfAttempt(engine: SearchEngine, error: GatewayError | null): number | null {
  const isFree =
    error !== null &&
    (error.upstreamStatus === null
      ? error.code === 'connection_failed' || error.code === 'request_refused'
      : isUnbilledStatus(error.upstreamStatus));
  return isFree ? 0 : searchPriceOf(engine);
}
