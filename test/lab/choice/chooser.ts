import { createCatalog } from '../../../src/models/catalog.js';
import { makePlan } from '../../../src/chooser/make-plan.js';
import type {
  Candidate,
  RankedCandidate,
  Ranker,
  RoutingRequest,
} from '../../../src/chooser/plan.js';
import { AnswerPaces } from '../../../src/models/answer-paces.js';
import { requestOf } from '../scale/request-of.js';

/** What a request wants beside quality; null: nothing. */
export type Tradeoff = 'cost' | 'latency' | null;

const catalog = createCatalog({ priceIds: {} });
const limits = {
  retriesPerCandidate: 0,
  firstEventTimeoutMs: 1,
  idleTimeoutMs: 1,
  totalTimeoutMs: 1,
};

/** Nothing was measured. */
const paces = new AnswerPaces();

/** Plans as the gateway does, for a text of published evaluations. */
export const choose = (
  ranker: Ranker,
  candidates: readonly Candidate[],
  text: string,
  tradeoff: Tradeoff = null,
): readonly RankedCandidate[] => chooseFor(ranker, candidates, requestOf(text), tradeoff);

/** Plans as the gateway does. */
export function chooseFor(
  ranker: Ranker,
  candidates: readonly Candidate[],
  { messages, tools }: Pick<RoutingRequest, 'messages' | 'tools'>,
  tradeoff: Tradeoff,
): readonly RankedCandidate[] {
  const plan = makePlan({
    id: 'judged',
    request: { messages, ...(tools === undefined ? {} : { tools }), tradeoff },
    candidates,
    ranker,
    catalog,
    latencies: { p50Ms: () => null },
    paces,
    limits,
    blame: { field: 'models', code: 'bad_request' },
  });
  return plan.candidates;
}
