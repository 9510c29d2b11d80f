import type { Caller } from '../accounts/caller.js';
import {
  budgetOwner,
  hasBudget,
  hasTokenLimit,
  type LimitOwner,
  type Use,
} from '../accounts/caller-limits.js';
import type { ChatRequest } from '../completion.js';
import { invalidField } from '../errors.js';
import { isUnpricedModel, unpricedField } from '../providers/unpriced-fields.js';
import {
  maxCostUsd,
  maxAnswerTokens,
  maxPromptTokens,
  statedAnswerTokens,
} from '../routing/max-cost.js';
import type { Exclusion, RankedCandidate } from '../routing/plan.js';
import type { PlannedCompletion } from './completion-call.js';
import { isBounded, type Settle, takeLimits, unbounded } from './limits.js';
import type { Parts } from './parts.js';
import { traceEntry } from './plan-request.js';
import { type GatewayRequest, plannedOf } from './request.js';
import type { GatewaySnapshot } from './snapshot.js';

/** Why a key or an account with a budget may not use a model. */
export const unpricedReason = (owner: LimitOwner): string =>
  `its price is not known, and this ${owner} has a budget`;

/**
 * Reserves what the request's planned completion may use at most of its caller's limits, before any
 * model is called. A caller with a budget gets no model without a known price, nothing that costs more
 * than its tokens, and an answer no longer than what was reserved for it: the request's plan and
 * call are replaced by what is left of them.
 * @throws GatewayError as `takeLimits`; the surface's code for an invalid field where no candidate
 * is left, or for a field whose price is not known
 */
export async function reserveCompletion(parts: Parts, request: GatewayRequest): Promise<Settle> {
  const { caller, snapshot } = request;
  if (!isBounded(caller)) return unbounded;
  const planned = plannedOf(request);
  const owner = budgetOwner(caller);
  const allowed = owner === null ? planned : withinBudget(planned, snapshot, owner);
  request.plan = allowed.plan;
  request.call = allowed.call;
  request.passedOver = allowed.passedOver;
  return takeLimits(parts, request, maxUse(allowed, snapshot, caller));
}

/**
 * The same completion without candidates that have no price, and held to the configured length
 * where it states none.
 */
function withinBudget(
  planned: PlannedCompletion,
  snapshot: GatewaySnapshot,
  owner: LimitOwner,
): PlannedCompletion {
  const { call } = planned;
  const { allowUnpriced, maxOutputTokens } = snapshot.budgets;
  const field = allowUnpriced ? null : unpricedField(call.chat);
  if (field !== null) throw invalidField(field, unpricedReason(owner), call.invalidCode);
  const priced = allowUnpriced ? planned : withoutUnpriced(planned, snapshot, owner);
  if (maxOutputTokens === null || statedAnswerTokens(call.chat) !== null) return priced;
  return { ...priced, call: { ...call, chat: { ...call.chat, max_tokens: maxOutputTokens } } };
}

function withoutUnpriced(
  planned: PlannedCompletion,
  snapshot: GatewaySnapshot,
  owner: LimitOwner,
): PlannedCompletion {
  const { plan, call } = planned;
  const isPriced = (candidate: RankedCandidate): boolean =>
    !isUnpricedModel(candidate.model) &&
    highestCostOf({ promptTokens: 1, completionTokens: 1 }, candidate, snapshot) !== null;
  const [first, ...others] = plan.candidates.filter(isPriced);
  const reason = unpricedReason(owner);
  if (!first) throw invalidField(call.modelField, reason, call.invalidCode);
  if (others.length + 1 === plan.candidates.length) return planned;
  const excluded: Exclusion[] = plan.candidates
    .filter((candidate) => !isPriced(candidate))
    .map((candidate) => ({ candidate, reason, figures: candidate.why }));
  return {
    call,
    plan: { ...plan, candidates: [first, ...others], excluded: [...plan.excluded, ...excluded] },
    passedOver: [...planned.passedOver, ...excluded.map(traceEntry)],
  };
}

/** What a completion may use at most: a fallback may be the most expensive candidate. */
function maxUse(
  { call: { chat }, plan }: PlannedCompletion,
  snapshot: GatewaySnapshot,
  caller: Caller,
): Use {
  const tokens = !hasTokenLimit(caller)
    ? null
    : plan.promptTokens + (statedAnswerTokens(chat) ?? 0) * (chat.n ?? 1);
  return {
    requests: 1,
    tokens,
    costUsd: hasBudget(caller) ? maxCost(chat, plan.candidates, snapshot) : null,
  };
}

function maxCost(
  chat: ChatRequest,
  candidates: readonly RankedCandidate[],
  snapshot: GatewaySnapshot,
): number {
  const promptTokens = maxPromptTokens(chat);
  const costs = candidates.map((candidate) => {
    const completionTokens = maxAnswerTokens(
      chat,
      snapshot.catalog.lookup(candidate.provider, candidate.model),
      snapshot.budgets.maxOutputTokens,
    );
    return highestCostOf({ promptTokens, completionTokens }, candidate, snapshot);
  });
  return Math.max(...costs.map((cost) => cost ?? 0));
}

function highestCostOf(
  usage: Parameters<typeof maxCostUsd>[0],
  { provider, model }: RankedCandidate,
  snapshot: GatewaySnapshot,
): number | null {
  return maxCostUsd(usage, snapshot.catalog.lookup(provider, model));
}
