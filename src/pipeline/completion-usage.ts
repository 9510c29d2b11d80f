import { makeUsage, type Usage, usageOfBoth } from '../usage.js';
import type { Attempt, FailedUse } from '../dispatch/attempt-log.js';
import { charactersPerToken } from '../dispatch/commit-gate.js';
import type { ChatAnswer } from '../dispatch/chat-call.js';
import { addCosts, cacheSavingOf, costOf, type Costs } from '../models/cost.js';
import { statedAnswerTokens } from '../models/max-cost.js';
import type { Candidate } from '../chooser/plan.js';
import type { PlannedCompletion } from './completion-call.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import type { GatewayRequest } from './request.js';

/** What the model calls of a request used. */
export interface CallFigures {
  readonly usage: Usage;
  readonly costs: Costs;
  /** What prompt caches saved; null: unknown. */
  readonly cacheSavedUsd: number | null;
}

/** Counts what the model calls of one completion use, into the request's record. */
export class CompletionUsage {
  /** The cost of failed attempts, after which others may follow. */
  private lostUsd = 0;
  /** The estimated part of the cost of all attempts before the last one. */
  private estimatedUsd = 0;
  /** The cost of searches and tools. */
  private besideUsd = 0;
  /** What the calls before the last one used; null: there was one call. */
  earlier: CallFigures | null = null;
  /** What tools have added to the prompt of the next call, in tokens. */
  addedPromptTokens = 0;

  constructor(
    private readonly parts: GatewayParts,
    private readonly request: GatewayRequest,
    private readonly planned: PlannedCompletion,
  ) {}

  /** The usage of a call that succeeded. Charges it to the reservation. */
  usageOf(candidate: Candidate, answer: ChatAnswer, reservation = this.request.reservation): Usage {
    const { usage: stated, contentLength } = answer;
    // a count that answers begin with (Anthropic's is 1) is not the answer's, where no other follows
    const isTold = stated && (stated.completionTokens > 1 || contentLength < longerThanToken);
    let usage = isTold ? stated : this.estimate(contentLength);
    if (stated && !isTold)
      usage = { ...stated, completionTokens: usage.completionTokens, estimated: true };
    if (!isTold) this.parts.metrics.usageMissing(candidate.provider ?? '');
    reservation?.answered(usage);
    return usage;
  }

  /** Adds a cost beside tokens. */
  addBeside(costUsd: number): void {
    this.besideUsd += costUsd;
    const { record } = this.request;
    record.costUsd = (record.costUsd ?? 0) + costUsd;
  }

  /** Adds a call after which another one follows. */
  add(candidate: Candidate, usage: Usage): void {
    this.earlier = this.account(candidate, usage, null);
    this.estimatedUsd = this.request.record.estimatedUsd;
  }

  /** A failed attempt's usage, as stated or estimated. Null: none, as far as is known. */
  usageOfFailed({ mayBeBilled, usage, contentLength, isFinal }: FailedUse): Usage | null {
    if (!mayBeBilled) return null;
    if (usage) return usage;
    return isFinal || contentLength !== null ? this.estimate(contentLength ?? 0) : null;
  }

  /** Records a failed attempt after which another may follow: the provider charges for it. */
  lose({ provider, model }: Attempt, usage: Usage): void {
    const { record, snapshot } = this.request;
    const facts = snapshot.catalog.lookup(provider, model);
    const costUsd = costOf(usage, facts).total_tokens_cost ?? 0;
    if (costUsd === 0) return;
    this.lostUsd += costUsd;
    if (usage.estimated) this.estimatedUsd += costUsd;
    record.costUsd = (record.costUsd ?? 0) + costUsd;
    record.estimatedUsd = this.estimatedUsd;
  }

  /** Records who answered, and the usage and costs of all calls. */
  account(candidate: Candidate, lastUsage: Usage, ttftMs: number | null): CallFigures {
    const { record, snapshot } = this.request;
    const facts = snapshot.catalog.lookup(candidate.provider, candidate.model);
    const lastCosts = costOf(lastUsage, facts);
    const cacheSavedUsd = plus(this.earlier?.cacheSavedUsd, cacheSavingOf(lastUsage, facts));
    const { grounding } = this.parts.metrics;
    if (lastUsage.webSearches) grounding.nativeSearches(lastUsage.webSearches);
    if (lastCosts.web_search_cost) grounding.cost(lastCosts.web_search_cost);
    const { earlier } = this;
    const usage = earlier ? usageOfBoth(earlier.usage, lastUsage) : lastUsage;
    const costs = earlier ? addCosts(earlier.costs, lastCosts) : lastCosts;
    record.provider = candidate.provider;
    record.model = candidate.model;
    if (ttftMs !== null) record.ttftMs = ttftMs;
    record.promptTokens = usage.promptTokens;
    record.completionTokens = usage.completionTokens;
    record.reasoningTokens = usage.estimated ? null : usage.reasoningTokens;
    record.cacheSavedUsd = cacheSavedUsd;
    if (costs.total_tokens_cost !== null)
      record.costUsd = costs.total_tokens_cost + this.lostUsd + this.besideUsd;
    const lastEstimatedUsd = lastUsage.estimated ? (lastCosts.total_tokens_cost ?? 0) : 0;
    record.estimatedUsd = this.estimatedUsd + lastEstimatedUsd;
    if (record.attempts.length > 1) record.fallbacks = modelsIn(record.attempts) - 1;
    return { usage, costs, cacheSavedUsd };
  }

  /**
   * Usage that no provider reported. Not for limits: a prompt may be written to look smaller than
   * it is, so reservations use a cautious count.
   */
  estimate(contentLength: number): Usage {
    const { call, plan } = this.planned;
    const { chat } = call;
    const max = (statedAnswerTokens(chat) ?? Infinity) * (chat.n ?? 1);
    return makeUsage({
      promptTokens: plan.promptTokens + this.addedPromptTokens,
      completionTokens: Math.min(Math.ceil(contentLength / charactersPerToken), max),
      estimated: true,
    });
  }
}

/** In characters; no tokenizer makes one token of so many. */
const longerThanToken = 1_000;

/** The sum of the known values; null if both are unknown. */
const plus = (one: number | null | undefined, other: number | null): number | null =>
  one === null || one === undefined ? other : one + (other ?? 0);

/** How many different models were tried, one after the other. */
const modelsIn = (attempts: readonly Attempt[]): number => {
  const tried = attempts.filter(({ outcome }) => outcome !== 'hedge_lost');
  return new Set(tried.map(({ provider, model }) => `${provider}/${model}`)).size;
};
