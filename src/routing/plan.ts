import type { ChatMessage } from '../completion.js';

/** USD for a million tokens. Null: nobody knows. */
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

/** Why a candidate stands where it stands. Prices in USD per million tokens (blended), latency in seconds. */
export interface Explanation {
  quality: number;
  price: number | null;
  latency: number | null;
  reason: string;
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
}

export interface Limits {
  retriesPerCandidate: number;
  firstEventTimeoutMs: number;
  idleTimeoutMs: number;
  totalTimeoutMs: number;
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
}

/** The ordered candidates and limits for one request: plain data with an id, so it can be logged, stored and replayed. */
export interface Plan {
  /** A UUID; also the session id that model selection answers with. */
  id: string;
  candidates: readonly [RankedCandidate, ...RankedCandidate[]];
  excluded: readonly Exclusion[];
  limits: Limits;
  /** Which rule decided, in a short sentence. */
  reason: string;
}

/** Puts candidates in order, best first. Never calls a provider, never drops a candidate. */
export interface Ranker {
  readonly name: string;
  rank(request: RoutingRequest, candidates: readonly Candidate[]): RankedCandidate[] | Promise<RankedCandidate[]>;
}
