import { budgetOwner, isLimited, type LimitOwner, type Use } from '../accounts/caller-limits.js';
import type { Granted } from '../accounts/rate-limiter.js';
import { invalidField } from '../errors.js';
import { unpricedField, unpricedOriginalField } from '../providers/unpriced-fields.js';
import { statedAnswerTokens } from '../models/max-cost.js';
import type { Exclusion, RankedCandidate } from '../chooser/plan.js';
import { mediaOf } from '../models/prompt-media.js';
import type { PlannedCompletion } from './completion-call.js';
import { CompletionUses } from './completion-uses.js';
import { type Remedy, reserveFirst, reserveLimits } from './limits.js';
import { searchPrice } from './grounding/grounding-terms.js';
import { ownSearches } from './own-searches.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import { traceEntry } from './plan-request.js';
import { type GatewayRequest, plannedOf } from './request.js';
import { RequestReservation } from './request-reservation.js';
import { SharedReservation } from './shared-reservation.js';
import type { GatewaySnapshot } from './engine/snapshot.js';
import { unboundedReason, unpricedFieldReason } from './unbounded-reason.js';

/**
 * Reserves the most that one attempt at the request's planned completion may use of its caller's
 * limits, before any model is called. Sets `request.reservation`, which whoever runs the completion
 * settles; it stays null where no limit applies. A caller with a budget gets no model without a known price, nothing that costs more than its tokens, and an answer no longer than
 * what was reserved for it: the request's plan and call are replaced by what is left of them.
 * @throws GatewayError as `reserveLimits`; the surface's code for an invalid field where no
 * candidate is left, or for a field whose price is not known
 */
export async function reserveCompletion(
  parts: GatewayParts,
  request: GatewayRequest,
): Promise<void> {
  const { caller, snapshot } = request;
  if (!isLimited(caller)) return;
  const planned = plannedOf(request);
  const owner = budgetOwner(caller);
  const allowed = owner === null ? planned : withinBudget(planned, snapshot, owner);
  request.plan = allowed.plan;
  request.call = allowed.call;
  request.passedOver = allowed.passedOver;
  const { maxCostUsd = null } = allowed.grounding?.terms.research?.budget ?? {};
  if (owner !== null && maxCostUsd !== null) {
    await reserveRun(parts, request, maxCostUsd);
    return;
  }
  if (owner !== null) await reserveToolCall(parts, request, allowed);
  try {
    request.reservation = await reserveAttempt(parts, request, allowed, 1);
  } catch (error) {
    request.sharedReservation?.settle();
    throw error;
  }
}

/**
 * Reserves at once the least that a completion with priced tools needs: one tool call, and a model
 * call before and after it. Otherwise concurrent requests would pay for tool calls, and then have
 * nothing left for their answers.
 */
async function reserveToolCall(
  parts: GatewayParts,
  request: GatewayRequest,
  planned: PlannedCompletion,
): Promise<void> {
  const { grounding, plan } = planned;
  if (!grounding || grounding.terms.research) return;
  const [first] = plan.candidates;
  const { search } = grounding.terms;
  const mode = grounding.modeOf(first);
  const isSearched = search !== null && (mode === 'tools' || mode === 'once');
  const prices = grounding.tools.map(({ priceUsd }) => priceUsd ?? 0);
  if (isSearched) prices.push(searchPrice(request.snapshot.grounding, search.engine) ?? 0);
  const callUsd = Math.max(0, ...prices);
  if (callUsd === 0) return;
  const attempt = new CompletionUses(planned, request.snapshot, request.caller).maxFrom(first);
  const leastUsd = callUsd + 2 * (attempt.costUsd ?? 0);
  const least: Use = { requests: 1, tokens: null, costUsd: leastUsd };
  const granted = await reserveFirst(parts, request, least, [], () => '');
  request.sharedReservation = new SharedReservation(granted, leastUsd);
}

/**
 * Reserves for all calls of a research run at once, so that concurrent runs leave each other what
 * they need to end: the most that it may cost, or a part of that, which makes it shorter.
 */
async function reserveRun(
  parts: GatewayParts,
  request: GatewayRequest,
  maxUsd: number,
): Promise<void> {
  const useOf = (costUsd: number): Use => ({ requests: 1, tokens: null, costUsd });
  const smaller = [0.5, 0.25].map((share) => useOf(share * maxUsd));
  const remedy: Remedy = (usd) => `; \`research[maxCostUsd]\` may be ${usd} at most`;
  const granted = await reserveFirst(parts, request, useOf(maxUsd), smaller, remedy);
  request.sharedReservation = new SharedReservation(granted, granted.use.costUsd ?? 0);
}

/**
 * Reserves the most that one attempt at a completion may use.
 * @param requests how many requests it counts as; null: none
 * @throws GatewayError as `reserveLimits`
 */
export async function reserveAttempt(
  parts: GatewayParts,
  request: GatewayRequest,
  planned: PlannedCompletion,
  requests: number | null,
): Promise<RequestReservation> {
  const uses = new CompletionUses(planned, request.snapshot, request.caller);
  const first = uses.maxFrom(planned.plan.candidates[0]);
  const remedy: Remedy = (usd) => {
    const tokens = uses.answerWithin(usd);
    return tokens > 0
      ? `; with \`max_tokens\` (\`maxTokens\`) of at most ${tokens} it does`
      : ', not even without an answer: 0 tokens of `max_tokens` are left for it';
  };
  const granted = await reserveLimits(parts, request, { requests, ...first }, remedy);
  const further = (most: Use): Promise<Granted> => reserveLimits(parts, request, most);
  return new RequestReservation(request, uses, further, granted);
}

/** Without candidates of unbounded cost, and bounded to the configured length if it states none. */
function withinBudget(
  planned: PlannedCompletion,
  snapshot: GatewaySnapshot,
  owner: LimitOwner,
): PlannedCompletion {
  const { allowUnpriced, maxOutputTokens } = snapshot.budgets;
  const priced = allowUnpriced
    ? planned
    : withoutUnbounded(withoutUnpriced(planned, owner), snapshot, owner);
  const { call } = priced;
  if (maxOutputTokens === null || statedAnswerTokens(call.chat) !== null) return priced;
  return { ...priced, call: { ...call, chat: { ...call.chat, max_tokens: maxOutputTokens } } };
}

/**
 * Does not forward a client's own body that asks for more than tokens: every provider then gets the
 * canonical request, which does not.
 */
function withoutUnpriced(planned: PlannedCompletion, owner: LimitOwner): PlannedCompletion {
  const { original, ...call } = planned.call;
  const ofOriginal = original ? unpricedOriginalField(original) : null;
  const field = unpricedField(call.chat) ?? (original?.needs ? ofOriginal : null);
  if (field !== null) throw invalidField(field, unpricedFieldReason(owner), call.invalidCode);
  return ofOriginal === null ? planned : { ...planned, call };
}

function withoutUnbounded(
  planned: PlannedCompletion,
  snapshot: GatewaySnapshot,
  owner: LimitOwner,
): PlannedCompletion {
  const { plan, call } = planned;
  const media = mediaOf(call.chat);
  const bounded: RankedCandidate[] = [];
  const excluded: Exclusion[] = [];
  for (const candidate of plan.candidates) {
    const facts = snapshot.catalog.lookup(candidate.provider, candidate.model);
    const searches = ownSearches(call.chat, candidate, snapshot);
    const reason = unboundedReason(candidate, facts, { media, searches }, owner);
    if (reason === null) bounded.push(candidate);
    else excluded.push({ candidate, reason, figures: candidate.why });
  }
  const [first, ...others] = bounded;
  if (!first) throw invalidField(call.modelField, excluded[0]?.reason ?? '', call.invalidCode);
  if (excluded.length === 0) return planned;
  return {
    ...planned,
    plan: { ...plan, candidates: [first, ...others], excluded: [...plan.excluded, ...excluded] },
    passedOver: [...planned.passedOver, ...excluded.map(traceEntry)],
  };
}
