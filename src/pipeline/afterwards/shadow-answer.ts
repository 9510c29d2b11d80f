import { newRowId } from '../../row-id.js';
import { GatewayError, messageOf } from '../../errors.js';
import type { ShadowOutcome } from '../../telemetry/metrics/metrics.js';
import { recordFailure } from '../../telemetry/observed-request.js';
import { WholeCompletion } from '../direct-writers.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import { closeRecord, reportRequest } from './report-request.js';
import { type GatewayRequest, newRequest } from '../request.js';
import { RequestReservation, type AttemptUse } from '../request-reservation.js';
import { runCompletion } from '../run-completion.js';
import type { Caller } from '../../accounts/caller.js';
import { unpricedField } from '../../providers/unpriced-fields.js';
import { statedAnswerTokens } from '../../models/max-cost.js';
import type { RankedCandidate } from '../../chooser/plan.js';
import { mediaOf } from '../../models/prompt-media.js';
import { weighedFigures } from '../../store/contracts/choices.js';
import type { ComparedAnswer } from '../../store/contracts/shadows.js';
import type { CompletionCall, PlannedCompletion } from '../completion-call.js';
import { CompletionUses } from '../completion-uses.js';
import { unboundedReason } from '../unbounded-reason.js';

/**
 * Sends the share `savings.shadow` of the answered requests to a second model: in the background,
 * without any effect on the client, its conversation or the learner.
 * Never throws.
 */
export function shadowAnswer(parts: GatewayParts, request: GatewayRequest): void {
  const { shadow } = parts.current().savings;
  if (shadow <= 0 || Math.random() >= shadow) return;
  const planned = planShadow(request);
  if (planned === null) return;
  const began = parts.state.chooser.shadows.running.run((cancelled) =>
    new Shadow(parts, request, planned).run(cancelled),
  );
  if (!began) parts.metrics.shadowed('busy');
}

/** Registers what to call when the gateway stops. */
type WhenCancelled = (cancel: (reason: GatewayError) => void) => void;

class Shadow {
  constructor(
    private readonly parts: GatewayParts,
    private readonly original: GatewayRequest,
    private readonly shadowed: PlannedShadow,
  ) {}

  async run(whenCancelled: WhenCancelled): Promise<void> {
    const { parts, original } = this;
    try {
      parts.metrics.shadowed(await this.attempt(whenCancelled));
    } catch (error) {
      parts.metrics.shadowed('failed');
      const reason = messageOf(error);
      parts.log.warning(`request ${original.id} could not be shadowed: ${reason}`);
    }
  }

  private async attempt(whenCancelled: WhenCancelled): Promise<ShadowOutcome> {
    const { state, current } = this.parts;
    const { caller } = this.original;
    const { most } = this.shadowed;
    const { store } = await state.opened();
    if (!(await store.shadows.isAllowed(caller.accountId))) return 'refused';
    const budget = await state.chooser.shadows.budget.reserve(
      current().savings.maxUsdPerDay,
      most.costUsd,
    );
    if (!budget) return 'budget';
    let chargedUsd = 0;
    try {
      const granted = await state.limits.reserve(caller, { requests: 1, ...most });
      if (granted.outcome === 'refused') return 'limited';
      const request = this.requested();
      request.reservation = new RequestReservation(request, this.shadowed.uses, onlyOnce, {
        ...granted,
        settle: (use) => {
          chargedUsd = use.costUsd ?? 0;
          granted.settle(use);
        },
      });
      whenCancelled((reason) => request.cancellation.cancel(reason));
      const { call } = this.shadowed.planned;
      const writer = (): WholeCompletion => new WholeCompletion();
      const error = await runCompletion(this.parts, request, call, { writer }).then(
        () => null,
        failureOf,
      );
      return this.report(request, error);
    } finally {
      budget.settle(chargedUsd);
    }
  }

  /** A new request with the shadow's plan: the original's, but for the candidates. */
  private requested(): GatewayRequest {
    const { original, shadowed, parts } = this;
    const request = newRequest({
      id: newRowId(),
      isOwnId: true,
      snapshot: parts.current(),
      caller: original.caller,
      surface: 'shadow',
    });
    const { call, plan, passedOver } = shadowed.planned;
    request.isIdentified = original.isIdentified;
    Object.assign(request, { plan, passedOver, prompt: call.chat });
    request.record.preferenceId = original.record.preferenceId;
    return request;
  }

  private report(request: GatewayRequest, error: GatewayError | null): ShadowOutcome {
    const { chosen, shadow, isBounded } = this.shadowed;
    const { record } = request;
    record.status = error?.status ?? 200;
    if (error) recordFailure(record, error);
    const isCut = record.finishReason === 'length' && !isBounded;
    record.shadow = {
      preferenceId: record.preferenceId,
      responseId: this.original.record.responseId,
      chosen,
      shadow: { ...shadow, tokens: record.completionTokens ?? 0 },
      isPair: !error && !isCut,
      costUsd: record.costUsd ?? 0,
    };
    closeRecord(request);
    reportRequest(this.parts, request);
    if (error) return error.code === 'unavailable' ? 'cancelled' : 'failed';
    return isCut ? 'truncated' : 'answered';
  }
}

/** Refuses to reserve for a second attempt, even with another provider key. */
const onlyOnce = (): Promise<never> =>
  Promise.reject(new GatewayError('too_many_requests', 'a second answer is asked for once'));

/** @throws anything but a GatewayError: it is no failure of the call */
function failureOf(failure: unknown): GatewayError {
  if (failure instanceof GatewayError) return failure;
  throw failure;
}

/**
 * How many times longer than expected, or than the first answer, the second one may be, and how
 * many tokens it may have in any case. The longest length is reserved from the day's budget.
 */
const lengthFactor = 4;
const minBound = 1_024;

/** What is asked of a second model, and what the first one answered. */
interface PlannedShadow {
  readonly planned: PlannedCompletion;
  readonly uses: CompletionUses;
  /** The most that it may use. */
  readonly most: AttemptUse & { readonly costUsd: number };
  readonly chosen: ComparedAnswer;
  /** The second model's prediction, without its answer. */
  readonly shadow: Omit<ComparedAnswer, 'tokens'>;
  /** Whether the client's request bounds the length of answers; else only the second one is bounded. */
  readonly isBounded: boolean;
}

/**
 * How to shadow an answered request: by the other candidate with the best predicted quality, within
 * a length whose cost is known. Null: it must not be shadowed, or cannot. It must not where its
 * content may not be kept, where it continues a session (whose first request may have asked for a
 * hash of its content), and where half of one of the caller's limits is used.
 */
function planShadow(request: GatewayRequest): PlannedShadow | null {
  const { call, plan, record, snapshot, caller } = request;
  const { choice } = record;
  if (!call || !plan || !choice?.measured || !mayBeRepeated(request, call)) return null;
  // searches and tool calls cannot be repeated for a comparison
  if (call.grounding) return null;
  const found = secondBest(request);
  if (!found) return null;
  const { candidate, place } = found;
  const facts = snapshot.catalog.lookup(candidate.provider, candidate.model);
  if (unpricedField(call.chat) !== null || call.chat.web_search_options) return null;
  const asked = { media: mediaOf(call.chat), searches: 0 };
  if (unboundedReason(candidate, facts, asked, 'key') !== null) return null;
  const isBounded = statedAnswerTokens(call.chat) !== null;
  const expectedTokens = candidate.why.outputTokens ?? 0;
  const wanted = lengthFactor * Math.max(expectedTokens, choice.measured.tokens);
  const bound = Math.min(facts.maxOutput ?? Infinity, Math.max(minBound, Math.ceil(wanted)));
  const planned: PlannedCompletion = {
    call: {
      ...call,
      stream: false,
      chat: isBounded ? call.chat : { ...call.chat, max_tokens: bound },
    },
    plan: {
      ...plan,
      candidates: [candidate],
      excluded: [],
      limits: { ...plan.limits, retriesPerCandidate: 0 },
    },
    passedOver: [],
    grounding: null,
  };
  const uses = new CompletionUses(planned, snapshot, withBudget(caller));
  const most = uses.maxFrom(candidate);
  if (most.costUsd === null) return null;
  return {
    planned,
    uses,
    most: { ...most, costUsd: most.costUsd },
    chosen: {
      ...predictedAt(choice, choice.chosen),
      tokens: choice.measured.tokens,
      expectedTokens: choice.measured.expectedTokens,
    },
    shadow: { ...predictedAt(choice, place), expectedTokens },
    isBounded,
  };
}

/** Whether its content may go to another model, and half of each of its caller's limits is left. */
function mayBeRepeated({ record, rateLimits }: GatewayRequest, { store }: CompletionCall): boolean {
  return (
    store &&
    record.content?.kind !== 'digest' &&
    record.previousSession === null &&
    rateLimits.every(({ limit, used }) => used <= limit / 2)
  );
}

/** The best of the candidates of known price, and predicted quality, that did not answer. */
function secondBest({
  plan,
  record: { choice },
}: GatewayRequest): { readonly candidate: RankedCandidate; readonly place: number } | null {
  if (!plan || !choice) return null;
  const { names, figures, chosen } = choice;
  const figureOf = (place: number, at: number): number => figures[place * weighedFigures + at]!;
  const others = plan.candidates.flatMap((candidate) => {
    const place = names.indexOf(`${candidate.provider ?? ''}/${candidate.model}`);
    const isPriced = Number.isFinite(figureOf(place, 2) + figureOf(place, 3));
    const isPredicted = candidate.why.uncertainty !== undefined;
    return place !== chosen && isPriced && isPredicted ? [{ candidate, place }] : [];
  });
  others.sort((one, other) => figureOf(other.place, 0) - figureOf(one.place, 0));
  return others[0] ?? null;
}

const predictedAt = (
  { names, figures }: NonNullable<GatewayRequest['record']['choice']>,
  place: number,
): Pick<ComparedAnswer, 'model' | 'quality' | 'uncertainty'> => ({
  model: names[place]!,
  quality: figures[place * weighedFigures]!,
  uncertainty: figures[place * weighedFigures + 1]!,
});

/** The caller with an infinite budget, so that costs are counted. */
const withBudget = (caller: Caller): Caller => ({
  ...caller,
  accountLimits: { ...caller.accountLimits, dayBudgetUsd: Infinity },
});
