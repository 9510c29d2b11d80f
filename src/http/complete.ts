import type { Request, RequestHandler, Response } from 'express';
import { anonymous } from '../accounts/caller.js';
import type { Usage } from '../completion.js';
import { makeUsage } from '../completion.js';
import { Cancellation } from '../dispatch/cancellation.js';
import { type Attempt, BrokenStream, executePlan, type Outcome } from '../dispatch/execute-plan.js';
import { charactersPerToken } from '../dispatch/commit-gate.js';
import { GatewayError } from '../errors.js';
import { costOf, type Costs } from '../routing/cost.js';
import { cautiousPromptTokens, statedAnswerTokens } from '../routing/max-cost.js';
import type { RankedCandidate } from '../routing/plan.js';
import { measureRequest } from '../routing/tokens.js';
import { boundCompletion } from '../pipeline/reserve-completion.js';
import { contextOf, type RequestContext } from './context.js';
import { rememberAnswered } from '../pipeline/continuation.js';
import { copyContent } from '../pipeline/copy-content.js';
import { EventStream } from './event-stream.js';
import { keepTurn } from '../pipeline/keep-turn.js';
import type { Parts } from './parts.js';
import type { PlannedCall } from '../pipeline/plan-request.js';
import type { GatewaySnapshot } from '../pipeline/snapshot.js';
import { routingHeader } from './routing-header.js';
import { stage } from './stage.js';
import type { NativeRequest } from './surfaces/native-request.js';
import type { CompletionSurface, FinishedAnswer, SurfaceWriter } from './surfaces/surface.js';
import { isBounded } from '../pipeline/limits.js';

const clientLeft = (): GatewayError => new GatewayError('client_closed', 'the client left');

/** The last stage of a completion: carries its plan out and answers, streamed or whole. */
export function complete(
  parts: Parts,
  surface: CompletionSurface,
  plannedCallOf: (res: Response) => PlannedCall,
): RequestHandler {
  return stage(async (req, res): Promise<'answered'> => {
    const bounding = boundCompletion(parts, res, plannedCallOf(res), surface);
    const { planned, settle } = bounding instanceof Promise ? await bounding : bounding;
    try {
      await new RunningCompletion(parts, surface, planned, req, res).run();
    } finally {
      settle();
    }
    return 'answered';
  });
}

class RunningCompletion {
  private readonly context: RequestContext;
  private readonly runtime: GatewaySnapshot;
  private readonly stream: EventStream | null;
  private readonly writer: SurfaceWriter;
  private readonly cancellation = new Cancellation();
  /** What failed attempts had cost by the time that they failed. */
  private lostUsd = 0;

  constructor(
    private readonly parts: Parts,
    surface: CompletionSurface,
    private readonly planned: PlannedCall,
    private readonly req: Request,
    private readonly res: Response,
  ) {
    this.context = contextOf(res);
    this.runtime = this.context.runtime ??= parts.current();
    const told = this.runtime.routing.explainHeader ? routingHeader(planned.plan) : null;
    if (told !== null && !res.headersSent) res.setHeader('x-signalbox-routing', told);
    this.stream = planned.call.stream
      ? new EventStream(res, {
          holdMs: this.runtime.limits.holdStatusMs,
          pingMs: this.runtime.limits.pingMs,
        })
      : null;
    this.writer = surface.writer(res, planned.call, req.body, this.stream);
  }

  async run(): Promise<void> {
    const { context, parts, res } = this;
    context.record.stream = this.stream !== null;
    // before this stage, while a host was busy: nothing will tell of it any more
    if (res.closed) {
      this.stream?.discard();
      throw clientLeft();
    }
    res.once('close', () => {
      if (!res.writableFinished) this.cancellation.cancel(clientLeft());
    });
    if (this.stream) parts.metrics.streamOpened();
    parts.metrics.overhead(context, performance.now() - context.startedAt);
    try {
      const answer = this.finished(await this.executePlan());
      context.record.finishReason = answer.finishReason;
      rememberAnswered(parts, context, this.planned.call.chat.messages, answer.candidate);
      const keeping = this.keep(answer);
      if (keeping) answer.stored = await keeping;
      answer.latencyMs = Math.max(answer.ttftMs, Math.round(performance.now() - context.startedAt));
      this.writer.finish(answer);
    } catch (error) {
      this.fail(error);
    } finally {
      if (this.stream) parts.metrics.streamClosed();
    }
  }

  private executePlan(): Promise<Outcome> {
    const { plan, call, passedOver } = this.planned;
    return executePlan({
      plan,
      request: call.chat,
      stream: call.streamFromProvider,
      writer: copyContent(this.writer, this.context, this.planned, this.req.body),
      cancellation: this.cancellation,
      providerOf: (candidate) =>
        candidate.provider === null ? undefined : this.runtime.providers.get(candidate.provider),
      onAttempt: (attempt, unusedLength) => {
        this.context.record.attempts.push(attempt);
        this.runtime.onAttempt(attempt);
        if (unusedLength !== null) this.lose(attempt, unusedLength);
      },
      errorTrace: passedOver,
    });
  }

  /** What there is to tell of a whole answer. */
  private finished(outcome: Outcome): FinishedAnswer {
    const { candidate } = outcome;
    const { startedAt } = this.context;
    const usage = outcome.usage ?? this.estimate(outcome.contentLength);
    if (!outcome.usage) this.parts.metrics.usageMissing(candidate.provider ?? '');
    const ttftMs = Math.round(outcome.firstContentAt - startedAt);
    const costs = this.account(candidate, usage, ttftMs);
    if (!this.res.headersSent)
      this.res.setHeader(
        'X-Signalbox-Model',
        encodeURI(`${candidate.provider ?? ''}/${candidate.model}`),
      );
    return {
      candidate,
      finishReason: outcome.finishReason,
      usage,
      costs,
      latencyMs: 0,
      ttftMs,
      errorTrace: outcome.errorTrace,
      stored: null,
    };
  }

  /** Adds the turn to its conversation before its end is told, so that a turn that was acknowledged is there. Null: nothing is to be kept. */
  private keep(answer: FinishedAnswer): Promise<boolean> | null {
    const { conversation } = this.context;
    if (!conversation?.stores) return null;
    const message = this.writer.message(answer.finishReason);
    // what has come of the answer need not wait
    this.writer.flush();
    const { messages } = this.req.body as NativeRequest;
    return keepTurn(this.parts, this.runtime, { conversation, messages, message, answer });
  }

  private fail(thrown: unknown): void {
    const broken = thrown instanceof BrokenStream ? thrown : null;
    const error = broken ? broken.error : thrown;
    if (!(error instanceof GatewayError)) {
      this.stream?.discard();
      throw error;
    }
    this.context.record.code = error.code;
    const usage = broken ? this.estimate(broken.contentLength) : null;
    const costs =
      broken && usage ? this.account(broken.candidate, usage, this.firstContentMs(broken)) : null;
    if (this.stream?.isOpen && error.code !== 'client_closed') {
      this.writer.breakOff(error, this.context.requestId, usage, costs);
      return;
    }
    this.stream?.discard();
    throw error;
  }

  /** Puts down what a failed attempt had cost: nobody gets its answer, but it is paid for. */
  private lose({ provider, model }: Attempt, contentLength: number): void {
    this.lostUsd +=
      costOf(this.estimate(contentLength), this.runtime.catalog.lookup(provider, model))
        .total_tokens_cost ?? 0;
    if (this.lostUsd > 0) this.context.record.costUsd = this.lostUsd;
  }

  private firstContentMs(broken: BrokenStream): number | null {
    return broken.firstContentAt === null
      ? null
      : Math.round(broken.firstContentAt - this.context.startedAt);
  }

  /** Puts down who answered and what it took. */
  private account(candidate: RankedCandidate, usage: Usage, ttftMs: number | null): Costs {
    const costs = costOf(usage, this.runtime.catalog.lookup(candidate.provider, candidate.model));
    const { record } = this.context;
    record.provider = candidate.provider;
    record.model = candidate.model;
    record.ttftMs = ttftMs;
    record.promptTokens = usage.promptTokens;
    record.completionTokens = usage.completionTokens;
    if (costs.total_tokens_cost !== null) record.costUsd = costs.total_tokens_cost + this.lostUsd;
    if (record.attempts.length > 1)
      record.fallbacks =
        new Set(record.attempts.map((attempt) => `${attempt.provider}/${attempt.model}`)).size - 1;
    return costs;
  }

  /** For answers whose tokens nobody reported. Whoever holds a key with bounds could have written the prompt to look small, and left before it was counted. */
  private estimate(contentLength: number): Usage {
    const { chat } = this.planned.call;
    const most = (statedAnswerTokens(chat) ?? Infinity) * (chat.n ?? 1);
    const measured = measureRequest(chat.messages, chat.tools ?? []).tokens;
    const promptTokens = isBounded(this.context.caller ?? anonymous)
      ? cautiousPromptTokens(chat, measured)
      : measured;
    return makeUsage({
      promptTokens,
      completionTokens: Math.min(Math.ceil(contentLength / charactersPerToken), most),
      estimated: true,
    });
  }
}
