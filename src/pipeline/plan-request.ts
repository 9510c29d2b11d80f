import type { Caller } from '../accounts/caller.js';
import { type ErrorTraceEntry, GatewayError, invalidField } from '../errors.js';
import { forbiddenReason } from '../routing/access-rules.js';
import { makePlan, type PlanInput } from '../routing/make-plan.js';
import type { Candidate, Exclusion, Limits, Plan, Ranker } from '../routing/plan.js';
import type { GatewaySnapshot } from './snapshot.js';
import type { CompletionCall } from '../http/surfaces/surface.js';

const mostRetries = 10;
const none: readonly ErrorTraceEntry[] = [];

/** A completion that knows where it will be sent. */
export interface PlannedCall {
  call: CompletionCall;
  plan: Plan;
  /** Candidates that could not be used, as entries of the error trace. */
  passedOver: readonly ErrorTraceEntry[];
}

/** `<provider>/<model>` as a candidate; what follows the first slash is the provider's own name, slashes included. */
export function candidateOf(label: string): Candidate {
  const slash = label.indexOf('/');
  return { label, provider: label.slice(0, slash), model: label.slice(slash + 1) };
}

/**
 * The limits of one request; `maxRetries` over 10 counts as 10. Silence is limited by each provider's own
 * timeouts, so the plan adds no shorter ones.
 */
export function limitsOf(runtime: GatewaySnapshot, maxRetries: number | null): Limits {
  return {
    retriesPerCandidate: Math.min(mostRetries, maxRetries ?? runtime.limits.maxRetries),
    firstEventTimeoutMs: runtime.limits.totalTimeoutMs,
    idleTimeoutMs: runtime.limits.totalTimeoutMs,
    totalTimeoutMs: runtime.limits.totalTimeoutMs,
  };
}

/**
 * Plans a completion: the models ranked for this conversation (or as given), then the fallback models in the order given.
 * @throws GatewayError with the surface's code for an invalid field, when no candidate is left
 */
export async function planCompletion(
  call: CompletionCall,
  runtime: GatewaySnapshot,
  caller: Caller,
  invalidCode: PlanInput['blame']['code'],
): Promise<PlannedCall> {
  const usable = (labels: readonly string[]): Sorted => sortOut(labels, runtime, caller);
  const first = usable(call.models ?? runtime.routing.auto);
  const fallbacks = usable(call.fallbackModels);
  const ruledOut = [...first.excluded, ...fallbacks.excluded];
  if (first.candidates.length + fallbacks.candidates.length === 0)
    throw nothingUsable(call, ruledOut, invalidCode);
  const order = call.order ?? runtime.routing.order;
  const ranked = await planPart(
    call,
    runtime,
    first.candidates,
    order === 'given' ? runtime.givenOrder : runtime.ranker,
    { field: call.modelsField, code: invalidCode },
  );
  const others =
    fallbacks.candidates.length === 0
      ? null
      : await planPart(call, runtime, fallbacks.candidates, runtime.givenOrder, {
          field: 'fallback_models',
          code: invalidCode,
        });
  const plan = joined([ranked, others]);
  if (ruledOut.length === 0 && plan.excluded.length === 0) return { call, plan, passedOver: none };
  const excluded = [...ruledOut, ...plan.excluded];
  return { call, plan: { ...plan, excluded }, passedOver: excluded.map(traceEntry) };
}

interface Sorted {
  candidates: Candidate[];
  excluded: Exclusion[];
}

/** Parts the candidates that this gateway can call for this key from the others. */
function sortOut(labels: readonly string[], runtime: GatewaySnapshot, caller: Caller): Sorted {
  const sorted: Sorted = { candidates: [], excluded: [] };
  if (labels.length === 0) return sorted;
  const rules = {
    allow: runtime.routing.allow,
    deny: runtime.routing.deny,
    keyModels: caller.models,
  };
  for (const label of labels) {
    const candidate = candidateOf(label);
    const reason = runtime.providers.has(candidate.provider ?? '')
      ? forbiddenReason(candidate, rules)
      : `provider ${JSON.stringify(candidate.provider)} is not configured`;
    if (reason === null) sorted.candidates.push(candidate);
    else sorted.excluded.push({ candidate, reason });
  }
  return sorted;
}

/** A plan for one of the two lists; the error that there is none is kept, for the other list may do. */
async function planPart(
  call: CompletionCall,
  runtime: GatewaySnapshot,
  candidates: Candidate[],
  ranker: Ranker,
  blame: PlanInput['blame'],
): Promise<Plan | GatewayError | null> {
  if (candidates.length === 0) return null;
  try {
    return await makePlan({
      request: call.routing,
      candidates,
      ranker,
      catalog: runtime.catalog,
      latencies: runtime.latencies,
      limits: limitsOf(runtime, call.maxRetries),
      blame,
    });
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

function joined([first, fallback]: readonly (Plan | GatewayError | null)[]): Plan {
  const plans = [first, fallback].filter(
    (part): part is Plan => part !== null && part !== undefined && !(part instanceof GatewayError),
  );
  const [plan, more] = plans;
  if (plan && more)
    return {
      ...plan,
      candidates: [...plan.candidates, ...more.candidates],
      excluded: [...plan.excluded, ...more.excluded],
    };
  if (plan) return plan;
  const failed = [first, fallback].find((part) => part instanceof GatewayError);
  throw failed ?? new GatewayError('internal', 'a plan without candidates');
}

function nothingUsable(
  call: CompletionCall,
  excluded: readonly Exclusion[],
  code: PlanInput['blame']['code'],
): GatewayError {
  const reason = excluded[0]?.reason ?? 'no models are configured to choose from';
  return invalidField(call.modelsField === 'models' ? 'models[0]' : call.modelsField, reason, code);
}

/** A candidate that was passed over, as the client is told of it. */
export const traceEntry = ({ candidate, reason }: Exclusion): ErrorTraceEntry => ({
  provider: candidate.provider ?? '',
  model: candidate.model,
  error: reason,
  status: null,
  attempt: 0,
  latency: 0,
});
