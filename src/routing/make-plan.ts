import { randomUUID } from 'node:crypto';
import { invalidField, type GatewayError } from '../errors.js';
import type { AccessRules } from './access-rules.js';
import { appraise, type Sources } from './appraise.js';
import { eligible } from './eligible.js';
import type {
  Appraisal,
  Candidate,
  Exclusion,
  Figures,
  Limits,
  Plan,
  RankedCandidate,
  Ranker,
  RoutingRequest,
} from './plan.js';
import { measureRequest } from './tokens.js';
import { thousandths } from './numbers.js';

/** All that goes into a plan. */
export interface PlanInput extends AccessRules, Sources {
  readonly request: RoutingRequest;
  readonly candidates: readonly Candidate[];
  readonly ranker: Ranker;
  readonly limits: Limits;
  /** Candidates that the caller has ruled out already (not configured, say); they are told with the others. */
  readonly excluded?: readonly Exclusion[];
  /** The plan's id; absent: a new UUID. */
  readonly id?: string;
  /** Which request field is at fault when no candidate is left, and as what kind of error. */
  readonly blame: { readonly field: string; readonly code: 'bad_request' | 'validation_failed' };
}

function nothingLeft(
  excluded: readonly Exclusion[],
  { field, code }: PlanInput['blame'],
): GatewayError {
  if (excluded.length === 0) return invalidField(field, 'names no model', code);
  const reasons = excluded.map(({ candidate, reason }) => `${candidate.label}: ${reason}`);
  return invalidField(field, `no model can serve this request (${reasons.join('; ')})`, code);
}

function isFilled(ranked: RankedCandidate[]): ranked is [RankedCandidate, ...RankedCandidate[]] {
  return ranked.length > 0;
}

function weighsCost({ tradeoff, preference }: RoutingRequest): boolean {
  const wanted = tradeoff ?? preference?.tradeoff;
  return wanted ? wanted === 'cost' : (preference?.weights?.cost ?? 0) > 0;
}

const knownBefore = ({ quality, price, latency }: Appraisal): Figures => ({
  quality,
  price,
  latency,
});

/**
 * Decides which candidates serve a request, in which order. Synchronous where the ranker is.
 * @throws GatewayError `blame.code` naming `blame.field`, with the reason for each candidate, when none is left
 */
export function makePlan(input: PlanInput): Plan | Promise<Plan> {
  const { request, ranker, limits, id = randomUUID(), blame, excluded: before = [] } = input;
  const size = measureRequest(request.messages, request.tools);
  const terms = { promptTokens: size.tokens, weighsCost: weighsCost(request) };
  const known = input.candidates.map((candidate) => appraise(candidate, terms, input));
  const parted = eligible(request, size, known, input);
  const asked = { ...request, promptTokens: size.tokens, planId: id };
  const ranked = parted.eligible.length === 0 ? [] : ranker.rank(asked, parted.eligible);
  const excluded = [
    ...before,
    ...parted.excluded.map(({ known: one, reason }) => ({
      candidate: one.candidate,
      reason,
      figures: ranker.expect?.(asked, one) ?? knownBefore(one),
    })),
  ];
  const finish = (candidates: RankedCandidate[]): Plan => {
    if (!isFilled(candidates)) throw nothingLeft(excluded, blame);
    const { reason, gate, kinds } = candidates[0].why;
    const plan: Plan = { id, candidates, excluded, limits, reason };
    if (gate !== undefined) plan.gate = gate;
    if (kinds !== undefined) plan.kinds = kinds;
    return plan;
  };
  return Array.isArray(ranked) ? finish(ranked) : ranked.then(finish);
}

/** What `?explain=true` tells of one candidate; the figures are null where nobody knows, `score` and `excluded` exclude each other. */
export interface CandidateExplanation {
  label: string;
  provider: string | null;
  model: string;
  quality: number | null;
  /** USD per million tokens, blended. */
  price: number | null;
  /** Seconds to the first token. */
  latency: number | null;
  /** Standard deviation of the quality; absent where the ranker does not tell. */
  uncertainty?: number;
  /** Expected USD for answering this conversation; absent where the ranker does not tell. */
  cost?: number | null;
  /** Tokens that the answer is expected to have; absent where the ranker does not tell. */
  output_tokens?: number;
  /** What the account's own traffic has changed in the quality; absent: nothing. */
  learned?: readonly string[];
  /** The quality before the account's feedback and outcomes moved it; absent: they did not. */
  quality_before?: number;
  /** It stands first to be tried; absent: it was not. */
  explored?: true;
  score: number | null;
  /** Why it stands where it stands. */
  reason?: string;
  /** Why it cannot serve the request. */
  excluded?: string;
}

/** Without the dust of binary fractions. */
const dusted = (figure: number | null | undefined): number | null =>
  figure === null || figure === undefined ? null : Math.round(figure * 1e9) / 1e9;

function explain(
  { label, provider, model }: Candidate,
  figures: Figures | undefined,
  score: number | null,
): CandidateExplanation {
  const told: CandidateExplanation = {
    label,
    provider,
    model,
    quality: dusted(figures?.quality),
    price: dusted(figures?.price),
    latency: dusted(figures?.latency),
    score: dusted(score),
  };
  if (figures?.uncertainty !== undefined) told.uncertainty = thousandths(figures.uncertainty);
  if (figures?.cost !== undefined) told.cost = dusted(figures.cost);
  if (figures?.outputTokens !== undefined) told.output_tokens = Math.round(figures.outputTokens);
  if (figures?.learned !== undefined) told.learned = figures.learned;
  if (figures?.qualityBefore !== undefined)
    told.quality_before = thousandths(figures.qualityBefore);
  return told;
}

/** How familiar the request was, as precise as it is known; absent where the ranker does not tell. */
export function gateOf({ gate }: Pick<Plan, 'gate'>): { gate?: number } {
  return gate === undefined ? {} : { gate: thousandths(gate) };
}

/** Explains a plan candidate by candidate: those that serve, best first, then those that cannot. */
export function explainPlan({
  candidates,
  excluded,
}: {
  readonly candidates: readonly RankedCandidate[];
  readonly excluded: readonly Exclusion[];
}): CandidateExplanation[] {
  // no spreads: they cost more than the rest of it
  const told = candidates.map((candidate) => {
    const one = explain(candidate, candidate.why, candidate.score);
    one.reason = candidate.why.reason;
    if (candidate.why.explored) one.explored = true;
    return one;
  });
  for (const { candidate, reason, figures } of excluded) {
    const one = explain(candidate, figures, null);
    one.excluded = reason;
    told.push(one);
  }
  return told;
}
