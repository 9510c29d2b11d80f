import { hasBudget } from '../accounts/caller-limits.js';
import { pausedTurn, type ChatRequest } from '../completion.js';
import { ChatCall } from '../dispatch/chat-call.js';
import { BrokenStream } from '../dispatch/attempt-log.js';
import type { AnswerWriter } from '../dispatch/answer-writer.js';
import { type ChatOutcome, executePlan } from '../dispatch/execute-plan.js';
import { GatewayError } from '../errors.js';
import type { Candidate } from '../chooser/plan.js';
import { recordFailure } from '../telemetry/observed-request.js';
import type { GroundingProgress } from './grounding/grounding-call.js';
import type { ExecuteRound, GroundedRun } from './grounding/grounded-run.js';
import { ResearchCompletion } from './grounding/research-completion.js';
import { ToolRounds } from './grounding/tool-rounds.js';
import { withTaps } from './answer-taps.js';
import type { CompletionWriter, FinishedAnswer, PlannedCompletion } from './completion-call.js';
import { ContinuedAnswer, mayContinue } from './continued-answer.js';
import { type CallFigures, CompletionUsage } from './completion-usage.js';
import { type HedgedCall, hedgedCall } from './hedged-call.js';
import { affinityOf, rememberAnswered } from './continuation.js';
import { CollectedAnswer } from './collected-answer.js';
import { copyContent } from './copied-answer.js';
import { keepTurn } from './keep-turn.js';
import { withAdvice } from './engine/model-names.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import { type GatewayRequest, plannedOf } from './request.js';

/** What a caller wants to know while its completion runs. */
export interface CompletionHooks {
  /** The answer is complete; its end has not been written yet. */
  answered?(candidate: Candidate): void;
  /** The first model is late: this second one is called beside it. */
  hedged?(candidate: Candidate): void;
}

/**
 * Executes the plan of the request's completion, writes the answer and stores its turn. Once the
 * writer has begun, a failure is written into the answer. `runCompletion` calls it, after the
 * reservation.
 * @throws GatewayError if the answer had not begun
 */
export async function completeChat(
  parts: GatewayParts,
  request: GatewayRequest,
  writer: CompletionWriter,
  hooks: CompletionHooks,
): Promise<void> {
  const completion = new RunningCompletion(parts, request, plannedOf(request), writer, hooks);
  await parts.state.running.run(request.cancellation, () => completion.run());
}

class RunningCompletion {
  private readonly figures: CompletionUsage;
  private hedge: HedgedCall | undefined;
  /** Bytes of images that are fetched for this request; null: it is over. */
  private imageBytes: number | null = 0;

  constructor(
    private readonly parts: GatewayParts,
    private readonly request: GatewayRequest,
    private readonly planned: PlannedCompletion,
    private readonly writer: CompletionWriter,
    private readonly hooks: CompletionHooks,
  ) {
    this.figures = new CompletionUsage(parts, request, planned);
  }

  async run(): Promise<void> {
    const { request, parts, planned } = this;
    const { record, startedAt } = request;
    parts.metrics.overhead(request.surface ?? 'other', performance.now() - startedAt);
    if (planned.call.stream) parts.metrics.streamOpened();
    const collected = this.writer.streams ? null : new CollectedAnswer(parts, request);
    try {
      const taps = [copyContent(request, planned), collected].filter((tap) => tap !== null);
      const out = withTaps(this.writer, taps);
      const rounds = this.roundsOf(out);
      const answer = this.finished(await (rounds ? rounds.run() : this.answer(out)));
      if (rounds) {
        answer.grounding = rounds.end(answer);
        this.writer.grounded?.(answer.grounding);
      }
      record.finishReason = answer.finishReason;
      rememberAnswered(parts, request, planned.call.chat.messages, answer.candidate);
      answer.stored = await this.keep(answer);
      answer.latencyMs = Math.max(answer.ttftMs, Math.round(performance.now() - startedAt));
      this.writer.finish(answer);
    } catch (error) {
      this.fail(error);
    } finally {
      collected?.end();
      parts.state.bytes.remove(request.caller.accountId, this.imageBytes ?? 0);
      this.imageBytes = null;
      this.hedge?.settle();
      if (planned.call.stream) parts.metrics.streamClosed();
    }
  }

  /** Null: the answer is one model call. */
  private roundsOf(out: AnswerWriter): GroundedRun | null {
    const { parts, request, planned, figures } = this;
    const { grounding } = planned;
    if (!grounding) return null;
    const execute: ExecuteRound = (round) => this.executeRound(round);
    const tell = (progress: GroundingProgress): void => this.writer.progress?.(progress);
    const input = { parts, request, planned, grounding, figures, execute, tell };
    return grounding.terms.research
      ? new ResearchCompletion(input, grounding.terms.research, out)
      : new ToolRounds(input, out);
  }

  private answer(writer: AnswerWriter): Promise<ChatOutcome> {
    const { parts, request, planned, figures } = this;
    if (!mayContinue(request, planned)) return this.execute(writer);
    const execute: ExecuteRound = (round) => this.executeRound(round);
    const input = { parts, request, planned, figures, execute };
    return new ContinuedAnswer(input, writer, this.writer).run((out) => this.execute(out));
  }

  private execute(writer: AnswerWriter): Promise<ChatOutcome> {
    const { parts, request, planned, hooks } = this;
    const { chat, original } = planned.call;
    const hedge = (this.hedge = hedgedCall(parts, request, hooks.hedged));
    return this.executeRound({
      plan: planned.plan,
      askOf: () => ({ chat, writer, original }),
      admit: request.reservation?.admit,
      errorTrace: planned.passedOver,
      hedge,
    });
  }

  /** Lowers a token limit to the model's: clients state that of the model they usually call. */
  private fitting(chat: ChatRequest, { provider, model, label }: Candidate): ChatRequest {
    const field = chat.max_completion_tokens ? 'max_completion_tokens' : 'max_tokens';
    const limit = chat[field];
    if (!limit) return chat;
    const { request, planned } = this;
    const { maxOutput } = request.snapshot.catalog.lookup(provider, model);
    if (maxOutput === null || limit <= maxOutput) return chat;
    const message = `${label} writes ${maxOutput} tokens at most`;
    // not where the gateway itself asks for more
    const isAsked = (planned.call.chat[field] ?? 0) > maxOutput;
    if (isAsked && !request.warnings.some((one) => one.message === message))
      request.warnings.push({ field, message });
    return { ...chat, [field]: maxOutput };
  }

  private readonly holdImages = (bytes: number): void => {
    const { request, parts, imageBytes } = this;
    const { caller, snapshot, cancellation, heldBytes } = request;
    const { bytes: inProgress } = parts.state;
    // what is still on its way then is not needed
    if (cancellation.reason) throw cancellation.reason;
    if (imageBytes === null) throw new GatewayError('client_closed', 'the request is over');
    const held = imageBytes + heldBytes;
    if (bytes > 0) inProgress.check(caller.accountId, bytes, held, snapshot.limits);
    inProgress.add(caller.accountId, bytes);
    this.imageBytes = imageBytes + bytes;
  };

  private executeRound(round: Parameters<ExecuteRound>[0]): Promise<ChatOutcome> {
    const { request, planned } = this;
    const { plan, askOf, admit, errorTrace, hedge, continuesAt, onFailed = null } = round;
    const { cancellation = request.cancellation, reservation = request.reservation } = round;
    // not spreads: taking the rest of an object and spreading it cost several µs
    return executePlan({
      plan,
      callOf: (target) => {
        const { chat: asked, writer, original } = askOf(target);
        const chat = this.fitting(asked, target.candidate);
        return new ChatCall(target, { chat, writer, original, hold: this.holdImages });
      },
      admit,
      errorTrace,
      stream: planned.call.streamFromProvider,
      tracer: request.trace,
      cancellation,
      owner: request.caller,
      affinity: () => affinityOf(request, planned.call.chat.messages),
      providerOf: ({ provider }) => request.snapshot.providers.get(provider ?? ''),
      onAttempt: (attempt, failed) => {
        if (continuesAt !== undefined) attempt.continuesAt = continuesAt;
        request.record.attempts.push(attempt);
        request.snapshot.onAttempt(attempt);
        const usage = failed && this.figures.usageOfFailed(failed);
        (attempt.hedged ? hedge?.reservation : reservation)?.ended(attempt, failed, usage);
        if (failed === null) return;
        onFailed?.(failed);
        if (usage && !failed.isFinal) this.figures.lose(attempt, usage);
      },
      refusal: planned.call,
      hedge,
    });
  }

  /** Counts a complete answer, and reports it to the hooks. */
  private finished(outcome: ChatOutcome): FinishedAnswer {
    const { candidate, errorTrace, hedged } = outcome;
    const finishReason = outcome.finishReason === pausedTurn ? 'stop' : outcome.finishReason;
    const { reservation } = (hedged && this.hedge) || this.request;
    const ttftMs = Math.round(outcome.firstContentAt - this.request.startedAt);
    const lastUsage = this.figures.usageOf(candidate, outcome, reservation);
    const { usage, costs } = this.figures.account(candidate, lastUsage, ttftMs);
    this.hooks.answered?.(candidate);
    return {
      candidate,
      finishReason,
      usage,
      costs,
      latencyMs: 0,
      ttftMs,
      errorTrace,
      stored: null,
      grounding: null,
    };
  }

  /** Stores the turn before the client sees the answer's end. Null: nothing is to be stored. */
  private async keep(answer: FinishedAnswer): Promise<boolean | null> {
    const { conversation, snapshot } = this.request;
    if (this.writer.storeTurn) return this.writer.storeTurn(answer);
    if (!conversation?.stores) return null;
    const message = this.writer.message?.(answer.finishReason) ?? null;
    // the client need not wait for the database to see the answer so far
    this.writer.flush?.();
    const messages = this.planned.call.sentMessages;
    // a title is charged to no budget, so a caller with a budget gets none written
    const mayAskForTitle = !hasBudget(this.request.caller);
    const turn = { conversation, messages, message, answer, mayAskForTitle };
    return keepTurn(this.parts, snapshot, turn);
  }

  private fail(thrown: unknown): void {
    const broken = thrown instanceof BrokenStream ? thrown : null;
    const failure = broken ? broken.error : thrown;
    if (!(failure instanceof GatewayError)) {
      this.writer.discard?.();
      throw failure;
    }
    const { snapshot, caller, record, id: requestId } = this.request;
    const [first] = this.planned.plan.candidates;
    const error = withAdvice(failure, snapshot.names, first, caller.models);
    recordFailure(record, error);
    const used = broken ? this.usedBy(broken) : this.figures.earlier;
    const isInside = this.writer.hasBegun || this.writer.failsInside?.(error);
    if (isInside && error.code !== 'client_closed') {
      const { usage = null, costs = null } = used ?? {};
      this.writer.breakOff({ error, requestId, usage, costs });
      return;
    }
    this.writer.discard?.();
    throw error;
  }

  private usedBy({ candidate, use, firstContentAt }: BrokenStream): CallFigures | null {
    const ttftMs = firstContentAt && Math.round(firstContentAt - this.request.startedAt);
    const usage = this.figures.usageOfFailed(use);
    return usage && this.figures.account(candidate, usage, ttftMs);
  }
}
