import { hasBudget, isLimited } from '../../accounts/caller-limits.js';
import { type ChatRequest, efforts } from '../../completion.js';
import { Cancellation } from '../../dispatch/cancellation.js';
import type { FailedUse } from '../../dispatch/attempt-log.js';
import { charactersPerToken } from '../../dispatch/commit-gate.js';
import { GatewayError } from '../../errors.js';
import type {
  PlannedCall,
  ResearchAnswer,
  ResearchCall,
  ResearchModel,
  ResearchRole,
} from '../../grounding/research/research-dependencies.js';
import { costOf } from '../../models/cost.js';
import { maxCostUsd } from '../../models/max-cost.js';
import type { ModelFacts } from '../../models/model-facts.js';
import type { Candidate } from '../../chooser/plan.js';
import { mediaOf } from '../../models/prompt-media.js';
import { measureRequest } from '../../models/tokens.js';
import { withoutOwnSearch } from '../own-searches.js';
import type { RequestReservation } from '../request-reservation.js';
import { reserveAttempt } from '../reserve-completion.js';
import type { GroundedInput } from './grounded-run.js';
import { CollectedText } from '../../dispatch/collected-text.js';
import { habitsOf } from '../../models/model-habits.js';
import { reasoningRuleOf } from '../../models/model-families.js';

/** A call and one retry, on the same model or the next one. */
const maxAttempts = 2;
/** By which factor the estimate of a prompt's tokens may be too low. */
const promptError = 1.25;
const promptOverhead = 64;
const unknownReaderRoom = 1_000;

/** The model calls of a research run: each with its own reservation, and any number at a time. */
export class ResearchCalls implements ResearchModel {
  private readonly candidates: Readonly<Record<ResearchRole, readonly Candidate[]>>;
  /** Tokens for reasoning, beside those of the answers. */
  private readonly rooms: Readonly<Record<ResearchRole, number>>;

  constructor(private readonly input: GroundedInput) {
    const requested = input.planned.plan.candidates.slice(0, maxAttempts);
    const reader = this.readerOf(input.planned.plan.candidates);
    const readers = [reader, ...requested.filter((one) => one.label !== reader.label)];
    this.candidates = {
      planner: requested,
      writer: requested,
      reader: readers.slice(0, maxAttempts).map((one) => asReader(one, this.factsOf(one))),
    };
    const roomFor = (role: ResearchRole, ifUnknown: number): number => {
      const rooms = this.candidates[role].map((one) =>
        thinkingRoom(one, this.factsOf(one), ifUnknown),
      );
      return Math.max(...rooms);
    };
    const asked = roomFor('writer', 0);
    // a page's notes are short: even a little reasoning would use up their tokens
    this.rooms = { planner: asked, writer: asked, reader: roomFor('reader', unknownReaderRoom) };
  }

  /** Whether the prices of all models are known. */
  get isPriced(): boolean {
    const call = { promptTokens: 1, maxTokens: 1 };
    const roles: ResearchRole[] = ['planner', 'reader', 'writer'];
    return roles.every((role) => this.most({ role, ...call }).costUsd !== null);
  }

  most({ role, promptTokens, maxTokens }: PlannedCall): ReturnType<ResearchModel['most']> {
    const prompt = Math.ceil(promptTokens * promptError) + promptOverhead;
    const completionTokens = maxTokens + this.roomOf(role, maxTokens);
    const use = { promptTokens: prompt, completionTokens };
    const media = mediaOf({ messages: [] });
    const costs = this.candidates[role].map((one) => maxCostUsd(use, this.factsOf(one), media));
    const isKnown = costs.every((cost) => cost !== null);
    return {
      tokens: maxAttempts * (prompt + completionTokens),
      costUsd: isKnown ? maxAttempts * Math.max(...costs) : null,
    };
  }

  contextTokens(role: ResearchRole): number | null {
    const lengths = this.candidates[role].flatMap((one) => this.factsOf(one).contextLength ?? []);
    return lengths.length === 0 ? null : Math.min(...lengths) - this.rooms[role];
  }

  async ask({ role, messages, maxTokens, signal, onText }: ResearchCall): Promise<ResearchAnswer> {
    signal.throwIfAborted();
    const { planned, figures, execute } = this.input;
    const { temperature } = planned.call.chat;
    const chat: ChatRequest = {
      messages,
      max_tokens: maxTokens + this.roomOf(role, maxTokens),
      ...(typeof temperature === 'number' ? { temperature } : {}),
    };
    const candidates = this.candidates[role];
    const promptTokens = measureRequest(messages, []).tokens;
    const cancellation = new Cancellation();
    const cancel = (): void => cancellation.cancel(cancelled(signal));
    signal.addEventListener('abort', cancel, { once: true });
    const reservation = await this.reserve(chat, candidates, promptTokens);
    const writer = new CollectedText(onText ?? null);
    const failures: FailedUse[] = [];
    try {
      const outcome = await execute({
        plan: { candidates, limits: this.limitsOf(candidates) },
        askOf: ({ candidate }) => ({
          chat: withoutOwnSearch(chat, candidate, this.input.request.snapshot),
          writer,
        }),
        errorTrace: [],
        cancellation,
        reservation,
        ...(reservation ? { admit: reservation.admit } : {}),
        onFailed: (failed) => failures.push(failed),
      });
      const usage = figures.usageOf(outcome.candidate, outcome, reservation);
      figures.add(outcome.candidate, usage);
      const lost = lostTokens(failures, promptTokens);
      return {
        text: writer.written,
        promptTokens: usage.promptTokens + lost.promptTokens,
        completionTokens: usage.completionTokens + lost.completionTokens,
        costUsd: costOf(usage, this.factsOf(outcome.candidate)).total_tokens_cost,
      };
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', cancel);
      reservation?.settle();
    }
  }

  /** Where the budget allows only short answers, reasoning gets at most a third of the tokens. */
  private roomOf(role: ResearchRole, maxTokens: number): number {
    const room = this.rooms[role];
    return role === 'reader' ? room : Math.min(room, Math.ceil(maxTokens / 2));
  }

  private async reserve(
    chat: ChatRequest,
    candidates: readonly Candidate[],
    promptTokens: number,
  ): Promise<RequestReservation | null> {
    const { parts, request, planned } = this.input;
    const [first, ...others] = candidates;
    if (!isLimited(request.caller) || !first) return null;
    // a reader that the request does not name was not ranked
    const rank = planned.plan.candidates[0];
    const head = { ...rank, ...first };
    const tail = others.map((one) => ({ ...rank, ...one }));
    const sent = {
      ...planned,
      call: { ...planned.call, chat },
      plan: { ...planned.plan, candidates: [head, ...tail] as const, promptTokens },
    };
    return reserveAttempt(parts, request, sent, null);
  }

  private limitsOf(candidates: readonly Candidate[]) {
    const { limits } = this.input.planned.plan;
    return { ...limits, retriesPerCandidate: maxAttempts - candidates.length };
  }

  private readerOf(requested: readonly Candidate[]): Candidate {
    const { snapshot, caller } = this.input.request;
    const { names, grounding } = snapshot;
    const { researchReader } = grounding;
    const [named] = researchReader === null ? [] : names.candidatesOf([researchReader]);
    const isAllowed = named && names.forbiddenReason(named, caller.models) === null;
    if (isAllowed && !this.isOverBudget(named)) return named;
    const priced = requested.map((one) => ({ one, price: priceOf(this.factsOf(one)) }));
    return priced.reduce((best, next) => (next.price < best.price ? next : best)).one;
  }

  /** A caller with a budget may use no model of unknown price. */
  private isOverBudget(candidate: Candidate): boolean {
    const { caller, snapshot } = this.input.request;
    const { inputPrice } = this.factsOf(candidate);
    return hasBudget(caller) && !snapshot.budgets.allowUnpriced && inputPrice === null;
  }

  private factsOf({ provider, model }: Candidate): ModelFacts {
    return this.input.request.snapshot.catalog.lookup(provider, model);
  }
}

const cancelled = ({ reason }: AbortSignal): GatewayError =>
  reason instanceof GatewayError
    ? reason
    : new GatewayError('deadline_exceeded', 'the time of the research is over');

/** A tiered price counts by its standard rate; an unknown one comes last. */
function priceOf({ inputPrice, outputPrice }: ModelFacts): number {
  const rate = (price: ModelFacts['inputPrice']): number =>
    price === null ? Infinity : typeof price === 'number' ? price : price.standard;
  return 4 * rate(inputPrice) + rate(outputPrice);
}

/** The tokens for which failed attempts may be charged. */
function lostTokens(
  failures: readonly FailedUse[],
  promptTokens: number,
): { promptTokens: number; completionTokens: number } {
  const billed = failures.filter(({ mayBeBilled }) => mayBeBilled);
  const written = billed.reduce((sum, { contentLength }) => sum + (contentLength ?? 0), 0);
  return {
    promptTokens: billed.length * promptTokens,
    completionTokens: Math.ceil(written / charactersPerToken),
  };
}

/** The most tokens for reasoning: more would use up the budget of a run. */
const maxRoom = 6_000;
/** How many times the mean reasoning of a model one question may take. */
const roomForOne = 2;
/** Reasoning tokens for a model that takes an effort, if nothing else is known of it. */
const guessedRoom = 1_000;
/** The largest share of a context for reasoning. */
const maxContextShare = 0.125;

/** A candidate at its lowest effort, for reading. */
function asReader(candidate: Candidate, facts: ModelFacts): Candidate {
  const { effort: _effort, ...rest } = candidate;
  const rule = reasoningRuleOf(facts.knownAs);
  // a configured effort shows that the model takes one
  const effort = rule?.lowest ?? (rule === null && facts.reasoningEffort ? 'low' : null);
  return effort === null ? rest : { ...rest, effort };
}

/**
 * The tokens that a candidate may need to reason before its answer. They count towards the answer's
 * limit, so that without them nothing might be left for a short answer.
 * @param ifUnknown for a model of which it is unknown whether it reasons
 */
function thinkingRoom({ effort }: Candidate, facts: ModelFacts, ifUnknown: number): number {
  const { knownAs, contextLength } = facts;
  const rule = reasoningRuleOf(knownAs);
  const { reasoning, defaultEffort } = habitsOf(knownAs);
  const asked = effort ?? defaultEffort;
  const mean = reasoning[efforts.indexOf(asked)] ?? 0;
  const known = Math.min(maxRoom, Math.ceil(roomForOne * mean));
  const guessed = asked === 'none' ? ifUnknown : guessedRoom;
  const room = rule === null ? guessed : known;
  return contextLength === null
    ? room
    : Math.min(room, Math.floor(contextLength * maxContextShare));
}
