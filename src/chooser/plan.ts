import type { ChatMessage, ReasoningEffort } from '../completion.js';
import type { Explanation, Figures, KindsOfTask } from './figures.js';
import type { Pace } from '../models/answer-paces.js';
import type { ModelFacts, Rates } from '../models/model-facts.js';
import type { Tuning } from './predictor/tuning.js';
import type { PreferenceSettings } from '../store/contracts/preferences.js';

export type { Explanation, KindsOfTask };

/** USD for a million tokens. Null: unknown. One blended figure is written as both. */
export interface Price {
  input: number | null;
  output: number | null;
}

/** One provider's offer of one model. */
export interface Candidate {
  /** As the caller wrote it: the entry's `name`, or `provider/model`. */
  label: string;
  /** Null if only a name was given and its maker is unknown. */
  provider: string | null;
  /** The provider's own name for the model. */
  model: string;
  /** The caller's own figures; they override what the catalogue says. */
  price?: Price;
  /** Seconds to the first token; overrides what was measured. */
  latency?: number;
  attributes?: Record<string, unknown>;
  /** How much the model is to reason, unless the request says. Absent: the provider's default. */
  effort?: ReasoningEffort;
}

/** A candidate and its figures, as rankers order them. */
export interface CandidateFigures {
  readonly candidate: Candidate;
  readonly figures: Figures;
}

/**
 * A candidate with all that is known of it before it is ranked. For each figure the caller's own
 * comes first, then the configuration's, then what was measured or the catalogue says.
 */
export interface Appraisal
  extends
    CandidateFigures,
    Pick<ModelFacts, 'contextLength' | 'maxOutput' | 'tools' | 'images' | 'abilityStated'> {
  /** The name that tells which model it is: the candidate's, or what its provider calls it. */
  readonly knownAs: string;
  /** True if the caller or the configuration stated the quality: then no ranker predicts it. */
  readonly qualityStated: boolean;
  /** USD per million tokens for a prompt of this length; null: unknown. */
  readonly rates: Rates;
  /**
   * How much the model will reason: as the request says, else the candidate, the configuration or
   * the model's own name. Null: as the provider does by default, or an effort that is no level.
   */
  readonly effort: ReasoningEffort | null;
  /** How fast it answers, measured or expected; null: its latency is stated, or time is unused. */
  readonly pace: Pace | null;
  /** Whether the table of families has the model: otherwise the quality before ranking is a guess. */
  readonly isFamilyKnown: boolean;
}

export interface RankedCandidate extends Candidate {
  /** What the ranking sorted by; higher is better. */
  score: number;
  why: Explanation;
}

/** A candidate that cannot serve the request, and why. */
export interface Exclusion {
  candidate: Candidate;
  reason: string;
  /** Absent if the candidate was ruled out before it was appraised. */
  figures?: Figures;
}

export interface Limits {
  retriesPerCandidate: number;
  firstEventTimeoutMs: number;
  idleTimeoutMs: number;
  totalTimeoutMs: number;
}

/** Who answered last in a conversation that goes on. */
export interface Continued {
  readonly provider: string | null;
  readonly model: string;
  /** About how many tokens of the prompt its provider has read before, and may have kept. */
  readonly cachedTokens: number;
}

/** What the account's feedback and outcomes have taught in one scope. */
export interface OnlineLearning {
  /** Asked after all other tunings, with what is expected after them. */
  readonly tuning: Tuning;
  /** 0..0.2: the share of the decisions that may try another candidate than the first. */
  readonly exploration: number;
}

/** What is known of a request when its model is chosen. */
export interface RoutingRequest {
  messages: readonly ChatMessage[];
  /** How many tools the model is offered; their JSON counts towards the context. */
  tools?: readonly unknown[];
  /** Output tokens asked for, if any. */
  maxTokens?: number | null;
  /**
   * How much the model is to reason; it holds for every candidate. Null: the request says so in a
   * way that is no level. Absent: each candidate's own effort applies.
   */
  reasoningEffort?: ReasoningEffort | null;
  tradeoff?: 'cost' | 'latency' | null;
  /** The dial from 0 (quality decides) to 10 (the price decides), as the request sets it. */
  economy?: number | null;
  /** As the API key sets it, for requests that do not. */
  keyEconomy?: number | null;
  /** How far down the quality ranking a tradeoff may reach, and how many the answer lists. */
  maxModelDepth?: number | null;
  /** About how many tokens messages and tools have; set by `makePlan`. */
  promptTokens?: number;
  /** How many pictures they have, which count as usual among the tokens; set by `makePlan`. */
  images?: number;
  /** What the caller prefers, where it named a preference. */
  preference?: PreferenceSettings | null;
  /** Whether its answer is shown while it is written; absent: not, or unknown. */
  isStreamed?: boolean;
  /** The account of the request; absent: unknown. */
  accountId?: string;
  /** What the account's own evaluations have taught, one after the other; absent: nothing. */
  tunings?: readonly Tuning[];
  onlineLearning?: OnlineLearning | null;
  /** The plan's id, set by `makePlan`: without it nothing is explored. */
  planId?: string;
  /** Absent or null: the conversation begins, or it is unknown who answered in it. */
  continued?: Continued | null;
}

/** The ordered candidates and limits of a request: plain data, to be logged and replayed. */
export interface Plan {
  /** A UUID; also the session id that model selection answers with. */
  id: string;
  candidates: readonly [RankedCandidate, ...RankedCandidate[]];
  excluded: readonly Exclusion[];
  limits: Limits;
  /** About how many tokens messages and tools have. */
  promptTokens: number;
  /** Which rule decided, in a short sentence. */
  reason: string;
  /** 0..1: how familiar the ranker is with requests like this one. Absent if it does not tell. */
  gate?: number;
  /** The kinds of task that the request is made of. Absent if the ranker does not tell. */
  kinds?: KindsOfTask;
}

/** Orders candidates, best first; scores never rise. Calls no provider, drops no candidate. */
export interface Ranker {
  readonly name: string;
  /** Whether ratings, outcomes and trainings change its predictions. */
  readonly learns?: true;
  rank(request: RoutingRequest, candidates: readonly Appraisal[]): RankedCandidate[];
  /** What it expects of a candidate that cannot serve; absent: what was known beforehand. */
  expect?(request: RoutingRequest, candidate: Appraisal): Figures;
  /** Does beforehand what the first request that needs it would else wait for. */
  prepare?(): void;
}
