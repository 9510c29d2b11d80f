import { hasBudget } from '../accounts/caller-limits.js';
import { makeUsage, type Usage } from '../completion.js';
import { charactersPerToken } from '../dispatch/commit-gate.js';
import { chatCalls } from '../dispatch/chat-call.js';
import { type Attempt } from '../dispatch/attempt-log.js';
import { BrokenStream } from '../dispatch/broken-stream.js';
import type { AnswerWriter } from '../dispatch/answer-writer.js';
import { type ChatOutcome, executePlan } from '../dispatch/execute-plan.js';
import { GatewayError } from '../errors.js';
import { type Costs, costOf } from '../routing/cost.js';
import { cautiousPromptTokens, statedAnswerTokens } from '../routing/max-cost.js';
import type { Candidate } from '../routing/plan.js';
import { recordFailure } from '../telemetry/observed-request.js';
import type { CompletionWriter, FinishedAnswer, PlannedCompletion } from './completion-call.js';
import { rememberAnswered } from './continuation.js';
import { copyContent } from './copied-answer.js';
import { keepTurn } from './keep-turn.js';
import { isBounded } from './limits.js';
import { withAdvice } from './model-names.js';
import type { Parts } from './parts.js';
import { type GatewayRequest, plannedOf } from './request.js';
import { watchToolCalls } from './watch-tool-calls.js';

/** What the edge wants to know while a completion runs. */
export interface CompletionHooks {
  /** The answer is whole and nothing of its end has been written yet. */
  answered?(candidate: Candidate): void;
}

/**
 * Executes the plan of the request's completion, writes the answer and stores its turn. Once the
 * writer has begun, a failure is written into the answer. Call it between `reserveCompletion` and
 * its `Settle`.
 * @throws GatewayError if the answer had not begun
 */
export async function completeChat(
  parts: Parts,
  request: GatewayRequest,
  writer: CompletionWriter,
  hooks: CompletionHooks = {},
): Promise<void> {
  const completion = new RunningCompletion(parts, request, plannedOf(request), writer, hooks);
  await parts.state.running.run(request.cancellation, () => completion.run());
}

class RunningCompletion {
  /** What failed attempts had cost when they failed. */
  private lostUsd = 0;

  constructor(
    private readonly parts: Parts,
    private readonly request: GatewayRequest,
    private readonly planned: PlannedCompletion,
    private readonly writer: CompletionWriter,
    private readonly hooks: CompletionHooks,
  ) {}

  async run(): Promise<void> {
    const { request, parts, planned } = this;
    const { record, startedAt } = request;
    record.stream = planned.call.stream;
    parts.metrics.overhead(request.surface ?? 'other', performance.now() - startedAt);
    if (planned.call.stream) parts.metrics.streamOpened();
    try {
      const watched = watchToolCalls(copyContent(this.writer, request, planned), request, planned);
      const answer = this.finished(await this.execute(watched.writer));
      request.hasBadToolCall = watched.hasBadCall();
      record.finishReason = answer.finishReason;
      rememberAnswered(parts, request, planned.call.chat.messages, answer.candidate);
      answer.stored = await this.keep(answer);
      answer.latencyMs = Math.max(answer.ttftMs, Math.round(performance.now() - startedAt));
      this.writer.finish(answer);
    } catch (error) {
      this.fail(error);
    } finally {
      if (planned.call.stream) parts.metrics.streamClosed();
    }
  }

  private execute(writer: AnswerWriter): Promise<ChatOutcome> {
    const { request, planned } = this;
    const { providers } = request.snapshot;
    return executePlan({
      plan: planned.plan,
      stream: planned.call.streamFromProvider,
      callOf: chatCalls(planned.call.chat, writer),
      cancellation: request.cancellation,
      providerOf: ({ provider }) => (provider === null ? undefined : providers.get(provider)),
      onAttempt: (attempt, failed) => {
        request.record.attempts.push(attempt);
        request.snapshot.onAttempt(attempt);
        request.reservation?.ended(attempt, failed);
        const unusedLength = failed?.unusedLength ?? null;
        if (unusedLength !== null) this.lose(attempt, unusedLength);
      },
      ...(request.reservation ? { admit: request.reservation.admit } : {}),
      errorTrace: planned.passedOver,
      refusal: planned.call,
    });
  }

  /** The figures of a whole answer. */
  private finished(outcome: ChatOutcome): FinishedAnswer {
    const { candidate, finishReason, errorTrace } = outcome;
    const usage = outcome.usage ?? this.estimate(outcome.contentLength);
    if (!outcome.usage) this.parts.metrics.usageMissing(candidate.provider ?? '');
    const ttftMs = Math.round(outcome.firstContentAt - this.request.startedAt);
    this.request.reservation?.answered(usage);
    const costs = this.account(candidate, usage, ttftMs);
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
    };
  }

  /**
   * Stores the turn before the client sees the end of the answer, so that an acknowledged turn is
   * stored. Null: nothing is to be stored.
   */
  private async keep(answer: FinishedAnswer): Promise<boolean | null> {
    const { conversation, snapshot } = this.request;
    if (!conversation?.stores) return null;
    const message = this.writer.message(answer.finishReason);
    // what has come of the answer need not wait for the database
    this.writer.flush();
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
      this.writer.discard();
      throw failure;
    }
    const { snapshot, caller } = this.request;
    const [first] = this.planned.plan.candidates;
    const error = withAdvice(failure, snapshot.names, first, caller.models);
    const { record, id: requestId } = this.request;
    recordFailure(record, error);
    const usage = broken ? this.estimate(broken.contentLength) : null;
    const costs =
      broken && usage ? this.account(broken.candidate, usage, this.firstContentMs(broken)) : null;
    if (this.writer.hasBegun && error.code !== 'client_closed') {
      this.writer.breakOff({ error, requestId, usage, costs });
      return;
    }
    this.writer.discard();
    throw error;
  }

  /**
   * Records what a failed attempt cost: its answer is not used, but the provider charges for it. For
   * a caller with a budget its reservation knows.
   */
  private lose({ provider, model }: Attempt, contentLength: number): void {
    const { record, snapshot, caller } = this.request;
    if (hasBudget(caller)) return;
    const facts = snapshot.catalog.lookup(provider, model);
    this.lostUsd += costOf(this.estimate(contentLength), facts).total_tokens_cost ?? 0;
    if (this.lostUsd > 0) record.costUsd = this.lostUsd;
  }

  private firstContentMs({ firstContentAt }: BrokenStream): number | null {
    return firstContentAt === null ? null : Math.round(firstContentAt - this.request.startedAt);
  }

  /** Records who answered and what it took. */
  private account(candidate: Candidate, usage: Usage, ttftMs: number | null): Costs {
    const { record, snapshot, caller } = this.request;
    const costs = costOf(usage, snapshot.catalog.lookup(candidate.provider, candidate.model));
    record.provider = candidate.provider;
    record.model = candidate.model;
    record.ttftMs = ttftMs;
    record.promptTokens = usage.promptTokens;
    record.completionTokens = usage.completionTokens;
    record.reasoningTokens = usage.estimated ? null : usage.reasoningTokens;
    if (costs.total_tokens_cost !== null && !hasBudget(caller))
      record.costUsd = costs.total_tokens_cost + this.lostUsd;
    if (record.attempts.length > 1) record.fallbacks = modelsIn(record.attempts) - 1;
    return costs;
  }

  /**
   * Usage that no provider reported. A caller with limits could have written the prompt to look
   * small and left before it was counted, so its prompt is counted cautiously.
   */
  private estimate(contentLength: number): Usage {
    const { call, plan } = this.planned;
    const { chat } = call;
    const max = (statedAnswerTokens(chat) ?? Infinity) * (chat.n ?? 1);
    const promptTokens = isBounded(this.request.caller)
      ? cautiousPromptTokens(chat, plan.promptTokens)
      : plan.promptTokens;
    return makeUsage({
      promptTokens,
      completionTokens: Math.min(Math.ceil(contentLength / charactersPerToken), max),
      estimated: true,
    });
  }
}

/** How many different models were tried. */
const modelsIn = (attempts: readonly Attempt[]): number =>
  new Set(attempts.map(({ provider, model }) => `${provider}/${model}`)).size;
