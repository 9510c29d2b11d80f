import { hasRequestLimit, isMoney, type LimitStatus, type Use } from '../accounts/caller-limits.js';
import type { Granted, Refused } from '../accounts/rate-limiter.js';
import { GatewayError } from '../errors.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import type { GatewayRequest } from './request.js';

/** Counts what a request really used of its caller's limits. The second call does nothing. */
type Settle = () => void;

/**
 * Reserves what a request may use at most of its caller's limits, and puts what is left of them
 * into `request.rateLimits`, also where it refuses.
 * @throws GatewayError `too_many_requests` or `budget_spent`, with when to come back; `unavailable`
 */
export async function reserveLimits(
  parts: GatewayParts,
  request: GatewayRequest,
  most: Use,
): Promise<Granted> {
  // a host may run several stages on one route: that is one request
  const wanted = request.isCounted ? { ...most, requests: null } : most;
  const outcome = await parts.state.limits.reserve(request.caller, wanted);
  if (outcome.outcome === 'refused') {
    parts.metrics.limited(outcome.status.measure);
    request.rateLimits = [{ ...outcome.status, resetMs: outcome.retryAfterMs }];
    throw refusal(outcome);
  }
  request.isCounted = true;
  request.rateLimits = outcome.statuses.map((status: LimitStatus) => ({
    ...status,
    resetMs: null,
  }));
  return outcome;
}

/**
 * The same for a request without attempts of its own. Call the returned `Settle` when the request
 * is over: what it used is then what `request.record` says.
 * @throws GatewayError as `reserveLimits`
 */
export async function takeLimits(
  parts: GatewayParts,
  request: GatewayRequest,
  most: Use,
): Promise<Settle> {
  const granted = await reserveLimits(parts, request, most);
  return () => granted.settle(useOf(request));
}

/** Counts a request that calls no model. */
export async function countRequest(parts: GatewayParts, request: GatewayRequest): Promise<void> {
  if (!hasRequestLimit(request.caller)) return;
  const settle = await takeLimits(parts, request, { requests: 1, tokens: null, costUsd: null });
  settle();
}

function useOf({ record: { promptTokens, completionTokens, costUsd } }: GatewayRequest): Use {
  return {
    requests: 1,
    tokens: (promptTokens ?? 0) + (completionTokens ?? 0),
    costUsd: costUsd ?? 0,
  };
}

function refusal({ status, wanted, retryAfterMs }: Refused): GatewayError {
  const { owner, measure, limit, used } = status;
  if (!isMoney(measure))
    return new GatewayError(
      'too_many_requests',
      `limits: this ${owner} may use ${limit} ${measure} a minute, ${used} are used and this request needs ${wanted}`,
      { retryAfterMs },
    );
  // what other requests only reserve is free again in a moment
  const code = retryAfterMs > maxShortWaitMs ? 'budget_spent' : 'too_many_requests';
  const budget = `limits: this ${owner} may spend ${limit} USD a ${measure === 'usd_day' ? 'day' : 'month'} (UTC), ${rounded(used)} USD are spent or reserved for requests in progress`;
  return new GatewayError(
    code,
    `${budget} and this request may cost up to ${rounded(wanted)} USD; a smaller \`max_tokens\` (\`maxTokens\`) lowers that`,
    { retryAfterMs },
  );
}

/** A wait that clients' own retries can sit out. */
const maxShortWaitMs = 60_000;

/** To a hundredth of a cent, upwards. */
const rounded = (usd: number): number => Math.ceil(usd * 1e4) / 1e4;
