import { hasRequestLimit, isMoney, type Use } from '../accounts/caller-limits.js';
import type { Granted, Refused } from '../accounts/rate-limiter.js';
import { GatewayError } from '../errors.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import type { GatewayRequest } from './request.js';

/** Counts what a request really used of its caller's limits. The second call does nothing. */
type Settle = () => void;

/** Says for an error message how a request would fit into a budget of that many USD. */
export type Remedy = (budgetUsd: number) => string;

/**
 * Reserves the most that a request may use of its caller's limits. Sets `request.rateLimits` to
 * what is left, even where it refuses.
 * @throws GatewayError `too_many_requests` or `budget_spent`, with when to come back;
 * `budget_too_small` where that would not help; `unavailable`
 */
export async function reserveLimits(
  parts: GatewayParts,
  request: GatewayRequest,
  most: Use,
  remedy: Remedy = () => '',
): Promise<Granted> {
  const { sharedReservation } = request;
  const reserve = (use: Use): Promise<Granted> => reserveFirst(parts, request, use, [], remedy);
  return sharedReservation ? sharedReservation.reserve(most, reserve) : reserve(most);
}

/** As `reserveLimits`, but where `most` does not fit reserves the first of `smaller` that does. */
export async function reserveFirst(
  parts: GatewayParts,
  request: GatewayRequest,
  most: Use,
  smaller: readonly Use[],
  remedy: Remedy,
): Promise<Granted & { readonly use: Use }> {
  // a host may run several stages on one route: that is one request
  const wanted = request.isCounted ? { ...most, requests: null } : most;
  const outcome = await parts.state.limits.reserve(request.caller, wanted);
  if (outcome.outcome === 'refused') {
    const [next, ...others] = smaller;
    if (next) return reserveFirst(parts, request, next, others, remedy);
    parts.metrics.limited(outcome.status.measure);
    request.rateLimits = [{ ...outcome.status, resetMs: outcome.retryAfterMs }];
    throw refusal(outcome, remedy);
  }
  request.isCounted = true;
  if (outcome.statuses.length > 0)
    request.rateLimits = outcome.statuses.map((status) => ({ ...status, resetMs: null }));
  return { ...outcome, use: most };
}

/**
 * As `reserveLimits`, for a request without attempts of its own. Call the returned `Settle` when
 * the request is over: it charges the usage in `request.record`.
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

function refusal({ status, wanted, retryAfterMs }: Refused, remedy: Remedy): GatewayError {
  const { owner, measure, limit, used } = status;
  if (!isMoney(measure))
    return new GatewayError(
      'too_many_requests',
      `limits: this ${owner} may use ${limit} ${measure} a minute, ${used} are used and this request needs ${wanted}`,
      { retryAfterMs },
    );
  const budget = `limits: this ${owner} may spend ${limit} USD a ${measure === 'usd_day' ? 'day' : 'month'} (UTC)`;
  if (wanted > limit)
    return new GatewayError(
      'budget_too_small',
      `${budget}, and this request may cost up to ${rounded(wanted)} USD: it never fits${remedy(limit)}`,
    );
  // reservations of requests in progress are soon free again
  const code = retryAfterMs > maxShortWaitMs ? 'budget_spent' : 'too_many_requests';
  return new GatewayError(
    code,
    `${budget}, ${rounded(used)} USD are spent, held or reserved for requests in progress and this request may cost up to ${rounded(wanted)} USD; a smaller \`max_tokens\` (\`maxTokens\`) lowers that`,
    { retryAfterMs },
  );
}

/** The longest wait that clients bridge by their own retries. */
const maxShortWaitMs = 60_000;

/** Rounds up to a hundredth of a cent. */
const rounded = (usd: number): number => Math.ceil(usd * 1e4) / 1e4;
