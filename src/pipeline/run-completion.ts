import { setImmediate as nextTurn } from 'node:timers/promises';
import { isLargeBody } from '../text/json-pieces.js';
import { completeChat, type CompletionHooks } from './complete-chat.js';
import type { CompletionCall, CompletionWriter, PlannedCompletion } from './completion-call.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import { planCompletion } from './plan-request.js';
import { type GatewayRequest, plannedOf } from './request.js';
import { reserveCompletion } from './reserve-completion.js';

/** What a caller of `runCompletion` adds. */
export interface CompletionRun extends CompletionHooks {
  /** Makes the writer of the answer. Called once, after the reservation. */
  writer(planned: PlannedCompletion): CompletionWriter;
  /** The caller's limits were checked, and may have refused: see `request.rateLimits`. */
  reserved?(): void;
}

/**
 * Runs a completion, whoever asks for it: plans it, reserves what it may use of its caller's
 * limits, makes the writer, writes the answer and settles. No other place knows this order. Skips a
 * step whose result the request has already: a stage on a host's route may have made the plan, and
 * a shadow answer comes with its plan and its reservation.
 *
 * A new surface gives `call` and `writer`, and nothing here changes. If providers speak its
 * dialect, its `CompletionCall` has `original: { dialect, body }` beside `chat`: planning, limits
 * and logs read `chat`, and only `ChatCall` hands the original to an adapter of the same dialect,
 * whose events reach the writer as they are. An answer of several model calls belongs into
 * `completeChat`, as a `GroundedRun` that executes several rounds into one writer; the reservation
 * here counts all of its attempts. What only observes an answer is an `AnswerTap`.
 * @throws GatewayError as `planCompletion`, `reserveCompletion` and `completeChat`
 */
export async function runCompletion(
  parts: GatewayParts,
  request: GatewayRequest,
  call: CompletionCall,
  run: CompletionRun,
): Promise<void> {
  if (request.plan) request.call = call;
  else await planCompletion(parts, request, call);
  // the next steps translate the whole body at once
  if (isLargeBody(request.bodyBytes)) await nextTurn();
  if (!request.reservation) await reserveCompletion(parts, request).finally(() => run.reserved?.());
  try {
    const planned = plannedOf(request);
    request.record.stream = planned.call.stream;
    const { reason } = request.cancellation;
    if (reason) throw reason;
    await completeChat(parts, request, run.writer(planned), run);
  } finally {
    request.reservation?.settle();
    request.sharedReservation?.settle();
  }
}
