import { createCatalog } from '../../../src/models/catalog.js';
import { makePlan } from '../../../src/chooser/make-plan.js';
import type { Candidate, RankedCandidate, Ranker } from '../../../src/chooser/plan.js';
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

/** Plans as the gateway does, for a text of published evaluations. */
export function choose(
  ranker: Ranker,
  candidates: readonly Candidate[],
  text: string,
  tradeoff: Tradeoff = null,
): readonly RankedCandidate[] {
  const plan = makePlan({
    id: 'judged',
    request: { ...requestOf(text), tradeoff },
    candidates,
    ranker,
    catalog,
    latencies: { p50Ms: () => null },
    limits,
    blame: { field: 'models', code: 'bad_request' },
  });
  return plan.candidates;
}
