import type { RequestHandler, Response } from 'express';
import type { Caller } from '../accounts/caller.js';
import {
  type Granted,
  isLimited,
  isMoney,
  type Refused,
  type LimitStatus,
  type Use,
} from '../accounts/rate-limiter.js';
import { GatewayError } from '../errors.js';
import { callerOf, contextOf, type RequestContext } from '../http/context.js';
import type { Parts } from '../http/parts.js';
import { stage } from '../http/stage.js';

/** Puts down what a request really used of its key's limits. The second call does nothing. */
export type Settle = () => void;

/** For requests that nothing bounds. */
export const unbounded: Settle = () => undefined;

/**
 * Takes from a caller's limits what a request may use at most, and says in its headers what is left. Immediate where the numbers are in
 * memory. Whoever gets the `Settle` calls it when the request is over: what it used is then what the request's record says.
 * @throws GatewayError `too_many_requests` or `budget_spent`, with when to come back; `unavailable`
 */
export function takeLimits(
  parts: Parts,
  res: Response,
  caller: Caller,
  most: Use,
): Settle | Promise<Settle> {
  const context = contextOf(res);
  // a host may have its stages one after another on one route: that is one request
  const outcome = parts.memory.limits.reserve(
    caller,
    context.isCounted ? { ...most, requests: null } : most,
  );
  const admit = (told: Granted | Refused): Settle => {
    if (told.outcome === 'refused') throw refusal(parts, res, told);
    context.isCounted = true;
    for (const status of told.statuses) setHeaders(res, status, null);
    return () => told.settle(useOf(context.record));
  };
  return outcome instanceof Promise ? outcome.then(admit) : admit(outcome);
}

/** Counts a request that calls no model. */
export function countRequest(parts: Parts): RequestHandler {
  const counted: Use = { requests: 1, tokens: null, costUsd: null };
  return stage((_req, res) => {
    const caller = callerOf(res);
    if (caller.limits.requestsPerMinute === null) return;
    const settle = takeLimits(parts, res, caller, counted);
    if (settle instanceof Promise) return settle.then((late) => late());
    settle();
  });
}

/** Whether anything bounds a caller: the one check that all others pay. */
export const isBounded = (caller: Caller): boolean => isLimited(caller.limits);

function useOf({ promptTokens, completionTokens, costUsd }: RequestContext['record']): Use {
  return {
    requests: 1,
    tokens: (promptTokens ?? 0) + (completionTokens ?? 0),
    costUsd: costUsd ?? 0,
  };
}

/** In OpenAI's spelling; money has none. A minute's count is gone a minute later at the latest. */
function setHeaders(
  res: Response,
  { measure, limit, used }: LimitStatus,
  waitMs: number | null,
): void {
  if (isMoney(measure) || res.headersSent) return;
  res.setHeader(`x-ratelimit-limit-${measure}`, limit);
  res.setHeader(`x-ratelimit-remaining-${measure}`, Math.max(0, limit - used));
  res.setHeader(
    `x-ratelimit-reset-${measure}`,
    waitMs === null ? '1m0s' : `${Math.ceil(waitMs / 1000)}s`,
  );
}

function refusal(
  parts: Parts,
  res: Response,
  { status, wanted, retryAfterMs }: Refused,
): GatewayError {
  const { measure, limit, used } = status;
  parts.metrics.limited(measure);
  setHeaders(res, status, retryAfterMs);
  if (!isMoney(measure))
    return new GatewayError(
      'too_many_requests',
      `limits: this key may use ${limit} ${measure} a minute, ${used} are used and this request needs ${wanted}`,
      { retryAfterMs },
    );
  // what only others hold is free again in a moment
  const code = retryAfterMs > soonMs ? 'budget_spent' : 'too_many_requests';
  const budget = `limits: this key may spend ${limit} USD a ${measure === 'usd_day' ? 'day' : 'month'} (UTC), ${rounded(used)} USD are spent or reserved for requests under way`;
  return new GatewayError(
    code,
    `${budget} and this request may cost up to ${rounded(wanted)} USD; a smaller \`max_tokens\` (\`maxTokens\`) lowers that`,
    { retryAfterMs },
  );
}

/** A wait that clients' own retries can sit out. */
const soonMs = 60_000;

/** To a hundredth of a cent, upwards. */
const rounded = (usd: number): number => Math.ceil(usd * 1e4) / 1e4;
