import { randomUUID } from 'node:crypto';
import { GatewayError } from '../../errors.js';
import type { ShadowOutcome } from '../../telemetry/metrics/metrics.js';
import { recordFailure } from '../../telemetry/observed-request.js';
import { WholeCompletion } from '../direct-writers.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import { type PlannedShadow, planShadow } from './plan-shadow.js';
import { closeRecord, reportRequest } from './report-request.js';
import { type GatewayRequest, newRequest } from '../request.js';
import { RequestReservation } from '../request-reservation.js';
import { runCompletion } from '../run-completion.js';

/**
 * Sends some of the answered requests to a second model, as `savings.shadow` says: in the
 * background, and without anything that the client, its conversation or the learner would notice.
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

/** Where the running ones are told that the gateway stops. */
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
      const reason = error instanceof Error ? error.message : String(error);
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
      return this.report(request, error, chargedUsd);
    } finally {
      budget.settle(chargedUsd);
    }
  }

  /** A request of its own, with the plan of the other one but for the candidates. */
  private requested(): GatewayRequest {
    const { original, shadowed, parts } = this;
    const request = newRequest({
      id: randomUUID(),
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

  private report(
    request: GatewayRequest,
    error: GatewayError | null,
    costUsd: number,
  ): ShadowOutcome {
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
      costUsd,
    };
    closeRecord(request);
    reportRequest(this.parts, request);
    if (error) return error.code === 'unavailable' ? 'cancelled' : 'failed';
    return isCut ? 'truncated' : 'answered';
  }
}

/** What is reserved is for one attempt: another provider key is not tried. */
const onlyOnce = (): Promise<never> =>
  Promise.reject(new GatewayError('too_many_requests', 'a second answer is asked for once'));

/** @throws what is no failure of the call */
function failureOf(failure: unknown): GatewayError {
  if (failure instanceof GatewayError) return failure;
  throw failure;
}
