import { hasBudget, hasTokenLimit } from '../accounts/caller-limits.js';
import type { Caller } from '../accounts/caller.js';
import type { ChatRequest, Usage } from '../completion.js';
import { costOf } from '../models/cost.js';
import {
  cautiousPromptTokens,
  maxAnswerTokens,
  maxCostUsd,
  maxPromptTokens,
  maxPromptWithMedia,
  maxPromptWithSearches,
  statedAnswerTokens,
} from '../models/max-cost.js';
import type { ModelFacts } from '../models/model-facts.js';
import { mediaOf, type PromptMedia } from '../models/prompt-media.js';
import type { Candidate, Plan } from '../chooser/plan.js';
import type { PlannedCompletion } from './completion-call.js';
import type { AttemptUse, AttemptUses } from './request-reservation.js';
import type { GatewaySnapshot } from './engine/snapshot.js';
import { ownSearches } from './own-searches.js';

/** What the attempts of a planned completion use of its caller's limits. */
export class CompletionUses implements AttemptUses {
  private readonly chat: ChatRequest;
  private readonly plan: Plan;
  private readonly countsTokens: boolean;
  private readonly countsMoney: boolean;
  /** Upper bound; counted only for money. */
  private readonly promptTokens: number;
  private readonly media: PromptMedia;

  constructor(
    { call, plan }: PlannedCompletion,
    private readonly snapshot: GatewaySnapshot,
    caller: Caller,
  ) {
    this.chat = call.chat;
    this.plan = plan;
    this.countsTokens = hasTokenLimit(caller);
    this.countsMoney = hasBudget(caller);
    this.promptTokens = this.countsMoney ? maxPromptTokens(call.chat) : 0;
    this.media = mediaOf(call.chat);
  }

  /** Tokens are estimated: a limit a minute need not hold to the token. */
  maxFrom(candidate: Candidate): AttemptUse {
    const { chat, plan } = this;
    const at = plan.candidates.findIndex((each) => each === candidate);
    const costs = plan.candidates.slice(Math.max(0, at)).map((each) => this.maxCost(each));
    return {
      tokens: this.countsTokens
        ? plan.promptTokens + (statedAnswerTokens(chat) ?? 0) * (chat.n ?? 1)
        : null,
      costUsd: this.countsMoney ? Math.max(...costs.map((cost) => cost ?? 0)) : null,
    };
  }

  maxOf(candidate: Candidate): AttemptUse {
    const { chat, plan } = this;
    return {
      tokens: this.countsTokens
        ? cautiousPromptTokens(chat, plan.promptTokens) + this.answerTokens(candidate)
        : null,
      costUsd: this.countsMoney ? this.maxCost(candidate) : null,
    };
  }

  /** Estimated usage says how long an answer was, not how long its model thought about it. */
  reported(candidate: Candidate, usage: Usage): AttemptUse {
    const cost = (): number | null =>
      usage.estimated
        ? this.maxCost(candidate)
        : costOf(this.withLongCache(usage), this.factsOf(candidate)).total_tokens_cost;
    return {
      tokens: this.countsTokens ? usage.promptTokens + usage.completionTokens : null,
      costUsd: this.countsMoney ? cost() : null,
    };
  }

  private maxCost(candidate: Candidate): number | null {
    const facts = this.factsOf(candidate);
    // null only where the configuration allows what has no bound
    const searches = ownSearches(this.chat, candidate, this.snapshot) ?? 0;
    const promptTokens = maxPromptWithSearches(
      maxPromptWithMedia(this.promptTokens, this.media, facts),
      searches,
    );
    const completionTokens = this.answerTokens(candidate);
    return maxCostUsd({ promptTokens, completionTokens, searches }, facts, this.media);
  }

  /** Of cache-written tokens, a provider need not tell how long they are kept. */
  private withLongCache(usage: Usage): Usage {
    return this.media.longCache && usage.hourCacheWriteTokens === undefined
      ? { ...usage, hourCacheWriteTokens: usage.cacheWriteTokens }
      : usage;
  }

  private answerTokens(candidate: Candidate): number {
    const { maxOutputTokens } = this.snapshot.budgets;
    return maxAnswerTokens(this.chat, this.factsOf(candidate), maxOutputTokens);
  }

  private factsOf({ provider, model }: Candidate): ModelFacts {
    return this.snapshot.catalog.lookup(provider, model);
  }
}
