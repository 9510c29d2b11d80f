import { hasBudget, hasTokenLimit } from '../accounts/caller-limits.js';
import type { Caller } from '../accounts/caller.js';
import type { ChatRequest, Usage } from '../completion.js';
import { expectedPace } from '../models/answer-paces.js';
import { costOf } from '../models/cost.js';
import {
  cautiousPromptTokens,
  maxAnswerTokens,
  maxCostUsd,
  maxPromptTokens,
  maxPromptWithMedia,
  maxPromptWithSearches,
  minPromptTokens,
  statedAnswerTokens,
} from '../models/max-cost.js';
import type { ModelFacts } from '../models/model-facts.js';
import { mediaOf, type PromptMedia } from '../models/prompt-media.js';
import type { Candidate, Plan } from '../chooser/plan.js';
import type { PlannedCompletion } from './completion-call.js';
import type {
  AttemptCharge,
  AttemptUse,
  AttemptUses,
  EndedAttempt,
} from './request-reservation.js';
import type { GatewaySnapshot } from './engine/snapshot.js';
import { ownSearches } from './own-searches.js';

/** How long a provider may continue to write after a call was cancelled. */
const tailSeconds = 5;
/** How much faster than expected a model may write, and how fast any model may. */
const paceFactor = 4;
const minTokensPerSecond = 200;

/** What the attempts of a planned completion use of its caller's limits. */
export class CompletionUses implements AttemptUses {
  private readonly chat: ChatRequest;
  private readonly plan: Plan;
  private readonly countsTokens: boolean;
  private readonly countsMoney: boolean;
  /** Upper bound; counted only for money. */
  private readonly promptTokens: number;
  /** Lower bound. */
  private readonly minPromptTokens: number;
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
    this.minPromptTokens = minPromptTokens(call.chat);
    this.media = mediaOf(call.chat);
  }

  /** Tokens are estimated: a limit per minute need not be exact. */
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

  /** Estimated usage covers the text, not the reasoning: the model's maximum is charged for it. */
  chargeOf(candidate: Candidate, ended: EndedAttempt): AttemptCharge {
    const { usage, ranMs } = ended;
    const facts = this.factsOf(candidate);
    const most = (): number | null =>
      usage?.estimated === false
        ? costOf(this.withLongCache(usage), facts).total_tokens_cost
        : this.maxCost(candidate, this.writtenBy(candidate, ranMs));
    return {
      tokens: this.countsTokens ? this.tokensOf(candidate, ended) : null,
      costUsd: this.countsMoney ? most() : null,
      spentUsd: usage === null ? 0 : (costOf(usage, facts).total_tokens_cost ?? 0),
    };
  }

  /** The longest answer, in tokens, whose cost fits into an amount for each candidate; may be 0. */
  answerWithin(usd: number): number {
    const lengths = this.plan.candidates.map((candidate) => {
      const [none = 0, more = 0] = [0, 1e6].map((tokens) => this.maxCost(candidate, tokens) ?? 0);
      return ((usd - none) * 1e6) / Math.max(more - none, 1e-12);
    });
    return Math.max(0, Math.floor(Math.min(...lengths) / (this.chat.n ?? 1)));
  }

  private tokensOf(candidate: Candidate, { usage, ranMs, isWhole }: EndedAttempt): number {
    if (usage && !usage.estimated) return usage.promptTokens + usage.completionTokens;
    const prompt = cautiousPromptTokens(this.chat, this.plan.promptTokens);
    return prompt + (isWhole && usage ? usage.completionTokens : this.writtenBy(candidate, ranMs));
  }

  /**
   * An upper bound of the tokens that a model writes in a time, and until it notices that its
   * client has left. Rejected tokens of a prediction are charged too, whatever the pace.
   */
  private writtenBy(candidate: Candidate, ranMs: number): number {
    const longest = this.answerTokens(candidate);
    if (this.chat['prediction']) return longest;
    const { tokensPerSecond } = expectedPace(this.factsOf(candidate));
    const pace = Math.max(minTokensPerSecond, paceFactor * tokensPerSecond);
    const each = Math.ceil((ranMs / 1_000 + tailSeconds) * pace);
    return Math.min(longest, each * (this.chat.n ?? 1));
  }

  private maxCost(
    candidate: Candidate,
    completionTokens = this.answerTokens(candidate),
  ): number | null {
    const facts = this.factsOf(candidate);
    // null only where the configuration allows unbounded searches
    const searches = ownSearches(this.chat, candidate, this.snapshot) ?? 0;
    const promptTokens = maxPromptWithSearches(
      maxPromptWithMedia(this.promptTokens, this.media, facts),
      searches,
    );
    return maxCostUsd({ promptTokens, completionTokens, searches }, facts, this.media);
  }

  /** Charges the longer cache where the provider does not tell how long it keeps cache writes. */
  private withLongCache(usage: Usage): Usage {
    return this.media.longCache && usage.hourCacheWriteTokens === undefined
      ? { ...usage, hourCacheWriteTokens: usage.cacheWriteTokens }
      : usage;
  }

  private answerTokens(candidate: Candidate): number {
    const { maxOutputTokens } = this.snapshot.budgets;
    const facts = this.factsOf(candidate);
    return maxAnswerTokens(this.chat, facts, maxOutputTokens, this.minPromptTokens);
  }

  private factsOf({ provider, model }: Candidate): ModelFacts {
    return this.snapshot.catalog.lookup(provider, model);
  }
}
