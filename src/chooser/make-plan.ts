import { randomUUID } from 'node:crypto';
import { type ClientError, GatewayError, invalidField } from '../errors.js';
import { appraise, type AppraisalSources } from './appraise.js';
import { type CallRules, eligible, type Eligibility } from './eligible.js';
import { rankedCandidate } from './ranked-candidate.js';
import type {
  Appraisal,
  Candidate,
  Exclusion,
  Limits,
  Plan,
  RankedCandidate,
  Ranker,
  RoutingRequest,
} from './plan.js';
import { givenOrder } from './rankers/given-order.js';
import { measureRequest, type RequestSize } from '../models/tokens.js';

/** Everything that a plan is made from. */
export interface PlanInput extends CallRules, AppraisalSources {
  /** The plan's id. Default: a random UUID. */
  readonly id?: string;
  readonly request: RoutingRequest;
  readonly candidates: readonly Candidate[];
  /** Tried after `candidates`, in the order given. */
  readonly fallbacks?: readonly Candidate[];
  /** Null: the candidates stay in the order given. */
  readonly ranker: Ranker | null;
  readonly limits: Limits;
  /**
   * Whether somebody will read the figures of a plan with a single eligible candidate. If not, such
   * a plan makes no prediction: reading the prompt took 26 % of the main thread's time on a
   * request with a named model. Default: true.
   */
  readonly explain?: boolean;
  /** The error for a request that no candidate can serve. */
  readonly blame: Blame;
}

/** Which request field is wrong when no candidate is left, and the error's code. */
export interface Blame {
  readonly field: string;
  readonly fallbackField?: string;
  readonly code: 'bad_request' | 'validation_failed';
  /** The code where the gateway can call none of the candidates. Default: `code`. */
  readonly unknownCode?: 'model_not_found';
  /** The field to name with the first reason where the access rules exclude every candidate. */
  readonly firstField?: string;
}

/** One list of candidates, sorted into those that can serve the request and those that cannot. */
interface SortedGroup {
  readonly field: string;
  readonly eligible: readonly Appraisal[];
  readonly excluded: Eligibility['excluded'];
}

/**
 * Decides which candidates serve a request, and in which order. Counts the request's tokens, once:
 * `Plan.promptTokens`.
 * @throws GatewayError `blame.code` that names the field and each candidate's reason, when no
 * candidate is left
 */
export function makePlan(input: PlanInput): Plan {
  const { request, limits, id = randomUUID(), blame, explain = true } = input;
  const ranker = input.ranker ?? givenOrder;
  const size = measureRequest(request.messages, request.tools);
  const main = sortOut(input, input.candidates, blame.field, size);
  const { fallbacks = [] } = input;
  const others = sortOut(input, fallbacks, blame.fallbackField ?? blame.field, size);
  const groups = [main, others];
  if (groups.every(({ eligible: left }) => left.length === 0)) throw nothingLeft(groups, blame);
  // not a spread: properties that are added behind one cost 2.5 µs
  const asked: RoutingRequest = Object.assign({}, request, {
    promptTokens: size.tokens,
    images: size.images,
    planId: id,
  });
  const left = main.eligible.length + others.eligible.length;
  const predicts = main.eligible.length > 1 || (explain && main.eligible.length > 0);
  const first = predicts ? ranker.rank(asked, main.eligible) : onlyCandidate(main.eligible);
  const candidates = [...first, ...givenOrder.rank(asked, others.eligible)];
  const expects = explain || left > 1;
  const excluded = groups.flatMap((group) =>
    group.excluded.map(({ known, reason }): Exclusion => ({
      candidate: known.candidate,
      reason,
      figures: (expects ? ranker.expect?.(asked, known) : null) ?? known.figures,
    })),
  );
  return planOf(id, candidates, excluded, limits, size.tokens);
}

function sortOut(
  input: PlanInput,
  candidates: readonly Candidate[],
  field: string,
  size: RequestSize,
): SortedGroup {
  if (candidates.length === 0) return { field, eligible: [], excluded: [] };
  const { request, explain = true } = input;
  const { reasoningEffort } = request;
  const terms = {
    promptTokens: size.tokens,
    weighsTime: explain || (request.tradeoff ?? request.preference?.tradeoff) === 'latency',
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
  };
  const known = candidates.map((candidate) => appraise(candidate, terms, input));
  const { eligible: able, excluded } = eligible(request, size, known, input);
  return { field, eligible: able, excluded };
}

/** A single candidate is called whatever its quality, so none is predicted. */
const onlyCandidate = ([known]: readonly Appraisal[]): RankedCandidate[] =>
  known === undefined
    ? []
    : [rankedCandidate(known, 1, 'the only model that can serve the request')];

function planOf(
  id: string,
  candidates: readonly RankedCandidate[],
  excluded: readonly Exclusion[],
  limits: Limits,
  promptTokens: number,
): Plan {
  if (!isFilled(candidates)) throw new GatewayError('internal', 'a plan without candidates');
  const { reason, gate, kinds } = candidates[0].why;
  const plan: Plan = { id, candidates, excluded, limits, reason, promptTokens };
  if (gate !== undefined) plan.gate = gate;
  if (kinds !== undefined) plan.kinds = kinds;
  return plan;
}

const isFilled = (
  ranked: readonly RankedCandidate[],
): ranked is readonly [RankedCandidate, ...RankedCandidate[]] => ranked.length > 0;

type Excluded = Eligibility['excluded'][number];

/** Whether the candidate is out whatever the request asks. */
const isRuledOut = ({ cause }: Excluded): boolean => cause === 'unknown' || cause === 'forbidden';

/** Names the first list that has candidates, with the reason for each of them. */
function nothingLeft(groups: readonly SortedGroup[], blame: Blame): GatewayError {
  const { code, firstField } = blame;
  const all = groups.flatMap(({ excluded }) => excluded);
  if (firstField !== undefined && all.every(isRuledOut)) return noneToCall(firstField, all, blame);
  const capable = ({ excluded }: SortedGroup): boolean => excluded.some((one) => !isRuledOut(one));
  const blamed =
    (firstField === undefined ? undefined : groups.find(capable)) ??
    groups.find(({ excluded }) => excluded.length > 0);
  if (!blamed) return invalidField(blame.field, 'names no model', code);
  const relevant = blamed.excluded.filter((one) => firstField === undefined || !isRuledOut(one));
  const reasons = relevant.map(({ known, reason }) => `${known.candidate.label}: ${reason}`);
  const message = `${blamed.field}: no model can serve this request (${reasons.join('; ')})`;
  return new GatewayError(code, message, {
    field: blamed.field,
    ...(relevant.every(({ cause }) => cause === 'length') ? { clientError: tooLong } : {}),
  });
}

/** No candidate can be called, whatever the request asks: the first one's reason is enough. */
function noneToCall(
  field: string,
  [first]: readonly Excluded[],
  { code, unknownCode }: Blame,
): GatewayError {
  const reason = first?.reason ?? 'no models are configured to choose from';
  const isUnknown = first?.cause === 'unknown';
  return new GatewayError((isUnknown && unknownCode) || code, `${field}: ${reason}`, { field });
}

/** What clients of OpenAI's dialect shorten a conversation for. */
const tooLong: ClientError = {
  code: 'context_length_exceeded',
  param: 'messages',
  type: 'invalid_request_error',
};
