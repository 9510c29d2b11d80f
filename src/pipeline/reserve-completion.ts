import { budgetOwner, isLimited, type LimitOwner, type Use } from '../accounts/caller-limits.js';
import type { Granted } from '../accounts/rate-limiter.js';
import { invalidField } from '../errors.js';
import { unpricedField } from '../providers/unpriced-fields.js';
import { statedAnswerTokens } from '../models/max-cost.js';
import type { Exclusion, RankedCandidate } from '../chooser/plan.js';
import { mediaOf } from '../models/prompt-media.js';
import type { PlannedCompletion } from './completion-call.js';
import { CompletionUses } from './completion-uses.js';
import { reserveLimits } from './limits.js';
import { ownSearches } from './own-searches.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import { traceEntry } from './plan-request.js';
import { type GatewayRequest, plannedOf } from './request.js';
import { RequestReservation } from './request-reservation.js';
import type { GatewaySnapshot } from './engine/snapshot.js';
import { unboundedReason, unpricedFieldReason } from './unbounded-reason.js';

/**
 * Reserves what one attempt at the request's planned completion may use at most of its caller's
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
  request.reservation = await reserveAttempt(parts, request, allowed, 1);
}

/**
 * Reserves what one attempt at a completion may use at most.
 * @param requests as how many requests it counts; null: as none
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
  const granted = await reserveLimits(parts, request, { requests, ...first });
  const further = (most: Use): Promise<Granted> => reserveLimits(parts, request, most);
  return new RequestReservation(request, uses, further, granted);
}

/**
 * The same completion without candidates whose cost has no known bound, and held to the configured
 * length where it states none.
 */
function withinBudget(
  planned: PlannedCompletion,
  snapshot: GatewaySnapshot,
  owner: LimitOwner,
): PlannedCompletion {
  const { call } = planned;
  const { allowUnpriced, maxOutputTokens } = snapshot.budgets;
  const field = allowUnpriced ? null : unpricedField(call.chat);
  if (field !== null) throw invalidField(field, unpricedFieldReason(owner), call.invalidCode);
  const priced = allowUnpriced ? planned : withoutUnbounded(planned, snapshot, owner);
  if (maxOutputTokens === null || statedAnswerTokens(call.chat) !== null) return priced;
  return { ...priced, call: { ...call, chat: { ...call.chat, max_tokens: maxOutputTokens } } };
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
