import type { ChatMessage } from '../completion.js';
import type { Tuning } from './predictor/tuning.js';
import type { PreferenceSettings } from './preference.js';

/** USD for a million tokens. Null: nobody knows. One blended figure is written as both. */
export interface Price {
  input: number | null;
  output: number | null;
}

/** One provider's offer of one model. */
export interface Candidate {
  /** As the caller wrote it: the entry's `name`, or `provider/model`. */
  label: string;
  /** Null where only a name was given and nobody knows whose it is. */
  provider: string | null;
  /** The provider's own name for the model. */
  model: string;
  /** The caller's own figures; they override what the catalogue says. */
  price?: Price;
  /** Seconds to the first token; overrides what was measured. */
  latency?: number;
  attributes?: Record<string, unknown>;
}

/** The kinds of task that a request is made of, by the number that a router gives them; only those that make up much of it. */
export interface KindsOfTask {
  /** The router's name: another router numbers them otherwise. */
  readonly router: string;
  readonly shares: readonly (readonly [task: number, share: number])[];
}

/** What a choice weighs. Null: nobody knows. */
export interface Figures {
  /** Predicted, 0..1: the share of everyday tasks done well. */
  quality: number;
  /** USD per million tokens, blended: three tokens read for each one written. */
  price: number | null;
  /** Seconds to the first token. */
  latency: number | null;
  /** Standard deviation of the predicted quality. Absent where the ranker does not tell. */
  uncertainty?: number;
  /** Expected USD for answering this conversation. Absent where the ranker does not tell, null where the price is not known. */
  cost?: number | null;
  /** Tokens that the answer is expected to have. Absent where the ranker does not tell. */
  outputTokens?: number;
  /** What the account's own traffic has changed in the quality, in a few words each. Absent: nothing. */
  learned?: readonly string[];
  /** The quality before the account's feedback and outcomes moved it. Absent where they did not. */
  qualityBefore?: number;
  /** 0..1: how familiar the ranker is with requests like this one; the same for all candidates. Absent where it does not tell. */
  gate?: number;
  /** The kinds of task that the request is made of; the same for all candidates. Absent where the ranker does not tell. */
  kinds?: KindsOfTask;
}

/** What tokens cost, by what is done with them: USD per million. */
export interface Rates extends Price {
  /** Of a prompt that the provider has read before. */
  cachedInput: number | null;
  /** USD for each request, whatever its tokens. Absent: none. */
  request?: number;
}

/** Why a candidate stands where it stands. */
export interface Explanation extends Figures {
  reason: string;
  /** It stands first to be tried, not for what is predicted of it. */
  explored?: true;
}

/**
 * A candidate with all that is known of it. For each figure the caller's own comes first, then the configuration's, then
 * what was measured or the catalogue says.
 */
export interface Appraisal extends Figures {
  readonly candidate: Candidate;
  /** True where the caller or the configuration stated the quality: no ranker knows better. */
  readonly qualityStated: boolean;
  /** USD per million tokens for a prompt of this length; null where nobody knows. */
  readonly rates: Rates;
  /** Tokens that prompt and answer may have together. */
  readonly contextLength: number | null;
  readonly maxOutput: number | null;
  readonly tools: boolean | null;
  readonly images: boolean | null;
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
  /** Absent where the candidate was ruled out before it was appraised. */
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
export interface Taught {
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
  tradeoff?: 'cost' | 'latency' | null;
  /** How far down the quality ranking a tradeoff may reach, and how many are told. */
  maxModelDepth?: number | null;
  /** About how many tokens messages and tools have; told by whoever makes the plan. */
  promptTokens?: number;
  /** What the caller prefers, where it named a preference. */
  preference?: PreferenceSettings | null;
  /** What the account's own evaluations have taught, one after the other; absent: nothing. */
  tunings?: readonly Tuning[];
  taught?: Taught | null;
  /** The plan's id, told by whoever makes the plan: without it nothing is explored. */
  planId?: string;
  /** Absent or null: a conversation that begins, or nobody knows who answered in it. */
  continued?: Continued | null;
}

/** The ordered candidates and limits for one request: plain data with an id, so it can be logged, stored and replayed. */
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
  /** 0..1: how familiar the ranker is with requests like this one. Absent where it does not tell. */
  gate?: number;
  /** The kinds of task that the request is made of. Absent where the ranker does not tell. */
  kinds?: KindsOfTask;
}

/** Puts candidates in order, best first; scores never rise down the list. Never calls a provider, never drops a candidate. */
export interface Ranker {
  readonly name: string;
  rank(request: RoutingRequest, candidates: readonly Appraisal[]): RankedCandidate[];
  /** What it expects of a candidate that cannot serve, for explanations; absent: what was known beforehand is told of those. */
  expect?(request: RoutingRequest, candidate: Appraisal): Figures;
}
