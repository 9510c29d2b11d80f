import { hasBudget, isLimited } from '../accounts/caller-limits.js';
import { makeUsage, type Usage, usageOfBoth } from '../usage.js';
import type { Attempt } from '../dispatch/attempt-log.js';
import { charactersPerToken } from '../dispatch/commit-gate.js';
import type { ChatAnswer } from '../dispatch/chat-call.js';
import { addCosts, cacheSavingOf, costOf, type Costs } from '../models/cost.js';
import { cautiousPromptTokens, statedAnswerTokens } from '../models/max-cost.js';
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
  /** What failed attempts had cost when they failed. */
  private lostUsd = 0;
  /** What searches and tools have cost. */
  private besideUsd = 0;
  /** What the calls before the last one used; null: there was one call. */
  private earlier: CallFigures | null = null;
  /** What tools have added to the prompt of the next call, in tokens. */
  addedPromptTokens = 0;

  constructor(
    private readonly parts: GatewayParts,
    private readonly request: GatewayRequest,
    private readonly planned: PlannedCompletion,
  ) {}

  /** The usage of a call that succeeded, and takes it from what was reserved. */
  usageOf(candidate: Candidate, answer: ChatAnswer, reservation = this.request.reservation): Usage {
    const usage = answer.usage ?? this.estimate(answer.contentLength);
    if (!answer.usage) this.parts.metrics.usageMissing(candidate.provider ?? '');
    reservation?.answered(usage);
    return usage;
  }

  /** Adds what was paid beside tokens, of a caller without a budget. */
  addBeside(costUsd: number): void {
    this.besideUsd += costUsd;
    const { record } = this.request;
    record.costUsd = (record.costUsd ?? 0) + costUsd;
  }

  /** Adds a call after which another one follows. */
  add(candidate: Candidate, usage: Usage): void {
    this.earlier = this.account(candidate, usage, null);
  }

  /**
   * Records a failed attempt: its answer is not used, but the provider charges for it. For a caller
   * with a budget its reservation knows.
   */
  lose({ provider, model }: Attempt, contentLength: number): void {
    const { record, snapshot, caller } = this.request;
    if (hasBudget(caller)) return;
    const facts = snapshot.catalog.lookup(provider, model);
    this.lostUsd += costOf(this.estimate(contentLength), facts).total_tokens_cost ?? 0;
    if (this.lostUsd > 0) record.costUsd = this.lostUsd + this.besideUsd;
  }

  /** Records who answered and what all calls took. */
  account(candidate: Candidate, lastUsage: Usage, ttftMs: number | null): CallFigures {
    const { record, snapshot, caller } = this.request;
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
    if (costs.total_tokens_cost !== null && !hasBudget(caller))
      record.costUsd = costs.total_tokens_cost + this.lostUsd + this.besideUsd;
    if (record.attempts.length > 1) record.fallbacks = modelsIn(record.attempts) - 1;
    return { usage, costs, cacheSavedUsd };
  }

  /**
   * Usage that no provider reported. A caller with limits could have written the prompt to look
   * small and left before it was counted, so its prompt is counted cautiously.
   */
  estimate(contentLength: number): Usage {
    const { call, plan } = this.planned;
    const { chat } = call;
    const max = (statedAnswerTokens(chat) ?? Infinity) * (chat.n ?? 1);
    const sentTokens = isLimited(this.request.caller)
      ? cautiousPromptTokens(chat, plan.promptTokens)
      : plan.promptTokens;
    const promptTokens = sentTokens + this.addedPromptTokens;
    return makeUsage({
      promptTokens,
      completionTokens: Math.min(Math.ceil(contentLength / charactersPerToken), max),
      estimated: true,
    });
  }
}

/** A sum of what is known. */
const plus = (one: number | null | undefined, other: number | null): number | null =>
  one === null || one === undefined ? other : one + (other ?? 0);

/** How many different models were tried. */
const modelsIn = (attempts: readonly Attempt[]): number =>
  new Set(attempts.map(({ provider, model }) => `${provider}/${model}`)).size;
