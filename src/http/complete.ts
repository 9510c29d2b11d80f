import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestHandler, Response } from 'express';
import { completeChat } from '../pipeline/complete-chat.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { planCompletion } from '../pipeline/plan-request.js';
import { type GatewayRequest, plannedOf } from '../pipeline/request.js';
import { reserveCompletion } from '../pipeline/reserve-completion.js';
import type { Candidate } from '../chooser/plan.js';
import { answerHold } from './body-limits.js';
import { cancelWhenClosed, clientLeft, contextOf, sendRateLimits } from './context.js';
import { EventStream } from './event-stream.js';
import { isLargeBody } from './parse-body.js';
import { routingHeader } from './routing-header.js';
import { stage, type StageEnd } from './stage.js';
import type { CompletionSurface } from './surfaces/surface.js';

/** Plans the completion of a valid body. */
export function planCall(parts: GatewayParts, surface: CompletionSurface): RequestHandler {
  return stage(async (req, res) => {
    const { request } = contextOf(parts, res);
    await planCompletion(parts, request, surface.readCall(req.body));
    // the next stage translates the whole body
    if (isLargeBody(request.bodyBytes)) await nextTurn();
  });
}

/** The last stage of a completion: executes its plan and answers, streamed or whole. */
export function complete(parts: GatewayParts, surface: CompletionSurface): RequestHandler {
  return stage(async (_req, res): Promise<StageEnd> => {
    const { request } = contextOf(parts, res);
    const settle = await reserveCompletion(parts, request).finally(() =>
      sendRateLimits(request, res),
    );
    try {
      await answerCompletion(parts, surface, request, res);
    } finally {
      settle();
    }
    return 'answered';
  });
}

async function answerCompletion(
  parts: GatewayParts,
  surface: CompletionSurface,
  request: GatewayRequest,
  res: Response,
): Promise<void> {
  const { call, plan } = plannedOf(request);
  const { limits, routing } = request.snapshot;
  const explained = routing.explainHeader ? routingHeader(plan) : null;
  if (explained !== null && !res.headersSent) res.setHeader('x-signalbox-routing', explained);
  request.record.stream = call.stream;
  // if the client left during a host's own stages, `close` was emitted before and will not be again
  if (res.closed) throw clientLeft();
  cancelWhenClosed(request, res);
  const stream = call.stream
    ? new EventStream(res, { holdMs: limits.holdStatusMs, pingMs: limits.pingMs })
    : null;
  const hold = answerHold(parts, request, res);
  const writer = surface.writer({ res, request, call, stream, hold });
  await completeChat(parts, request, writer, { answered: (one) => nameModel(res, one) });
}

function nameModel(res: Response, { provider, model }: Candidate): void {
  if (!res.headersSent) res.setHeader('X-Signalbox-Model', encodeURI(`${provider ?? ''}/${model}`));
}
