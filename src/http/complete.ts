import type { Request, RequestHandler, Response } from 'express';
import type { Candidate } from '../chooser/plan.js';
import type { CompletionWriter, PlannedCompletion } from '../pipeline/completion-call.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import type { GatewayRequest } from '../pipeline/request.js';
import { type CompletionRun, runCompletion } from '../pipeline/run-completion.js';
import { answerHold, refuseWhereUnread } from './bodies/body-limits.js';
import { clientLeft, contextOf, sendRateLimits } from './context.js';
import { isRecorded, openStream, recordAnswer } from './resume/record-answer.js';
import { routingHeader } from './routing-header.js';
import { answer } from './stage.js';
import { dialectHeaders, sessionOf } from './passthrough/headers.js';
import type { CompletionSurface, SentAlong } from './surfaces/surface.js';

/**
 * The last stage of a completion: runs it and answers, streamed or whole.
 * @param bodyOf the valid body. Default: `req.body`
 */
export const complete = (
  parts: GatewayParts,
  surface: CompletionSurface,
  bodyOf: (req: Request, res: Response) => unknown = ({ body }) => body as unknown,
): RequestHandler =>
  answer(async (req, res) => {
    const { request } = contextOf(parts, res);
    request.promptCacheKey = sessionOf(req.headers);
    const sent = bodyOf(req, res);
    const body = (await surface.begin?.(parts, request, sent, res)) ?? sent;
    const call = surface.readCall(body, new RequestParts(req));
    if (isRecorded(req, request, call)) {
      const asked = { surface, request, req, res, sent, call };
      if (await recordAnswer(parts, asked)) return;
    }
    const run: CompletionRun = {
      reserved: () => sendRateLimits(request, res),
      writer: (planned) => openAnswer(parts, surface, request, res, planned),
      answered: (candidate) => nameModel(res, 'X-Signalbox-Model', candidate),
      hedged: (candidate) => nameModel(res, 'X-Signalbox-Hedge', candidate),
    };
    const { recording } = request;
    if (recording)
      await recording.run(request.record, () => runCompletion(parts, request, call, run));
    else await runCompletion(parts, request, call, run);
  });

/** Getters, because Express parses a query only when it is read: most surfaces read neither. */
class RequestParts implements SentAlong {
  constructor(private readonly req: Request) {}

  get headers(): SentAlong['headers'] {
    return dialectHeaders(this.req.headers);
  }

  get query(): SentAlong['query'] {
    return this.req.query;
  }
}

function openAnswer(
  parts: GatewayParts,
  surface: CompletionSurface,
  request: GatewayRequest,
  res: Response,
  { call, plan }: PlannedCompletion,
): CompletionWriter {
  if (request.snapshot.routing.explainHeader && !res.headersSent)
    explainRouting(request, res, plan);
  // if the client left during a host's own stages, `close` was emitted before and will not be again
  if (res.closed) throw clientLeft();
  refuseWhereUnread(parts, request);
  const stream = openStream(parts, surface, request, res, call.stream);
  return surface.writer({ res, request, call, stream, hold: answerHold(parts, request, res) });
}

function explainRouting(
  { snapshot: { providers } }: GatewayRequest,
  res: Response,
  plan: PlannedCompletion['plan'],
): void {
  const header = routingHeader(plan, ({ provider, model }) => {
    const { breaker, keys } = providers.get(provider ?? '') ?? {};
    return keys && breaker?.demotion(model, keys.marks)?.code;
  });
  if (header !== null) res.setHeader('x-signalbox-routing', header);
}

function nameModel(res: Response, header: string, { provider, model }: Candidate): void {
  if (!res.headersSent) res.setHeader(header, encodeURI(`${provider ?? ''}/${model}`));
}
