import type { Response } from 'express';
import type { Caller } from '../accounts/caller.js';
import { hasBudget, type Use } from '../accounts/rate-limiter.js';
import { invalidField } from '../errors.js';
import {
  maxCostUsd,
  maxAnswerTokens,
  maxPromptTokens,
  statedAnswerTokens,
} from '../routing/max-cost.js';
import type { Exclusion, RankedCandidate } from '../routing/plan.js';
import { measureRequest } from '../routing/tokens.js';
import { callerOf, contextOf } from '../http/context.js';
import type { Parts } from '../http/parts.js';
import { type PlannedCall, traceEntry } from './plan-request.js';
import type { GatewaySnapshot } from './snapshot.js';
import type { CompletionSurface } from '../http/surfaces/surface.js';
import { isBounded, type Settle, takeLimits, unbounded } from './limits.js';
import { searchesFirst, unpricedExtra } from '../providers/unpriced-fields.js';

/** Why a key with a budget may not use a model. */
export const unpricedReason = 'its price is not known, and this key has a budget';

/** A completion that may be carried out, as far as its key's limits go. */
export interface BoundCompletion {
  readonly planned: PlannedCall;
  /** To be called when it is over, however it ends. */
  readonly settle: Settle;
}

/**
 * Holds what a planned completion may use at most of its key's limits, before any model is called. A key with a budget gets no model
 * whose price nobody knows, nothing that costs more than its tokens, and an answer no longer than what was reserved for it. Immediate
 * where nothing bounds the key, or the numbers are in memory.
 * @throws GatewayError as `takeLimits`, and the surface's code for an invalid field where no candidate is left, or for what has no price
 */
export function boundCompletion(
  parts: Parts,
  res: Response,
  planned: PlannedCall,
  surface: CompletionSurface,
): BoundCompletion | Promise<BoundCompletion> {
  const caller = callerOf(res);
  if (!isBounded(caller)) return { planned, settle: unbounded };
  const context = contextOf(res);
  const runtime = (context.runtime ??= parts.current());
  const bounded = hasBudget(caller.limits) ? withinBudget(planned, runtime, surface) : planned;
  context.planned = bounded;
  context.plan = bounded.plan;
  const settle = takeLimits(parts, res, caller, mostOf(bounded, runtime, caller));
  return settle instanceof Promise
    ? settle.then((late) => ({ planned: bounded, settle: late }))
    : { planned: bounded, settle };
}

/** The same completion without candidates that have no price, and held to the configured length where it states none. */
function withinBudget(
  planned: PlannedCall,
  runtime: GatewaySnapshot,
  surface: CompletionSurface,
): PlannedCall {
  const { call } = planned;
  const { allowUnpriced, maxOutputTokens } = runtime.budgets;
  const extra = allowUnpriced ? null : unpricedExtra(call.chat);
  if (extra !== null)
    throw invalidField(
      extra,
      'what it costs is not known, and this key has a budget',
      surface.invalidCode,
    );
  const priced = allowUnpriced ? planned : withoutUnpriced(planned, runtime, surface);
  if (maxOutputTokens === null || statedAnswerTokens(call.chat) !== null) return priced;
  return { ...priced, call: { ...call, chat: { ...call.chat, max_tokens: maxOutputTokens } } };
}

function withoutUnpriced(
  planned: PlannedCall,
  runtime: GatewaySnapshot,
  surface: CompletionSurface,
): PlannedCall {
  const { plan, call } = planned;
  const isPriced = (candidate: RankedCandidate): boolean =>
    !searchesFirst(candidate.model) &&
    highestCostOf({ promptTokens: 1, completionTokens: 1 }, candidate, runtime) !== null;
  const [first, ...others] = plan.candidates.filter(isPriced);
  if (!first)
    throw invalidField(
      call.modelsField === 'models' ? 'models[0]' : call.modelsField,
      unpricedReason,
      surface.invalidCode,
    );
  if (others.length + 1 === plan.candidates.length) return planned;
  const excluded: Exclusion[] = plan.candidates
    .filter((candidate) => !isPriced(candidate))
    .map((candidate) => ({ candidate, reason: unpricedReason, figures: candidate.why }));
  return {
    call,
    plan: { ...plan, candidates: [first, ...others], excluded: [...plan.excluded, ...excluded] },
    passedOver: [...planned.passedOver, ...excluded.map(traceEntry)],
  };
}

/** What a completion may use at most: a fallback may be the dearest. */
function mostOf(
  { call: { chat }, plan }: PlannedCall,
  runtime: GatewaySnapshot,
  { limits }: Caller,
): Use {
  const tokens =
    limits.tokensPerMinute === null
      ? null
      : measureRequest(chat.messages, chat.tools ?? []).tokens +
        (statedAnswerTokens(chat) ?? 0) * (chat.n ?? 1);
  return {
    requests: 1,
    tokens,
    costUsd: hasBudget(limits) ? dearest(chat, plan.candidates, runtime) : null,
  };
}

function dearest(
  chat: PlannedCall['call']['chat'],
  candidates: readonly RankedCandidate[],
  runtime: GatewaySnapshot,
): number {
  const promptTokens = maxPromptTokens(chat);
  const costs = candidates.map((candidate) => {
    const completionTokens = maxAnswerTokens(
      chat,
      runtime.catalog.lookup(candidate.provider, candidate.model),
      runtime.budgets.maxOutputTokens,
    );
    return highestCostOf({ promptTokens, completionTokens }, candidate, runtime);
  });
  return Math.max(...costs.map((cost) => cost ?? 0));
}

function highestCostOf(
  usage: Parameters<typeof maxCostUsd>[0],
  { provider, model }: RankedCandidate,
  runtime: GatewaySnapshot,
): number | null {
  return maxCostUsd(usage, runtime.catalog.lookup(provider, model));
}
