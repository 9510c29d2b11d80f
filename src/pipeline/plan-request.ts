import type { SharedDialect } from '../completion.js';
import { newRowId } from '../row-id.js';
import { type ErrorTraceEntry, invalidField } from '../errors.js';
import { hasBudget } from '../accounts/caller-limits.js';
import { askedEffort } from '../providers/asked-effort.js';
import type { ProviderAdapter } from '../providers/adapter.js';
import { otherModelField } from '../providers/unpriced-fields.js';
import { makePlan, type PlanInput } from '../chooser/make-plan.js';
import type { Candidate, Exclusion, Limits, Plan, RoutingRequest } from '../chooser/plan.js';
import type { CompletionCall } from './completion-call.js';
import { continuedBy, followLinks, findOnlineLearning } from './continuation.js';
import { joinToolResults } from './grounding/run-tool-calls.js';
import type { PlannedGrounding } from './grounding/grounding-call.js';
import { planGrounding } from './grounding/plan-grounding.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import type { GatewayRequest } from './request.js';
import type { GatewaySnapshot } from './engine/snapshot.js';

/** Also the maximum in the schemas of the configuration and of completions. */
const maxRetriesPerCandidate = 10;
const noEntries: readonly ErrorTraceEntry[] = [];

/** What a plan is asked for. */
export interface PlanQuestion
  extends
    Pick<PlanInput, 'blame' | 'candidates' | 'fallbacks'>,
    Pick<CompletionCall, 'links' | 'routing'>,
    Partial<Pick<CompletionCall, 'maxRetries' | 'order'>> {
  /** Whether the client sees the answer while it is written. Default: no, or unknown. */
  readonly isStreamed?: boolean;
  /** Whether the gateway itself will call the model: then its provider has to be configured. */
  readonly isCalledHere: boolean;
  /** Whether the client may refer to the plan as a session, which takes the database's secret. */
  readonly isSession: boolean;
  /** Whether figures are needed even for a plan with one eligible candidate. */
  readonly explain: boolean;
  /** Why a candidate cannot do what is asked beside answering; absent: nothing else is asked. */
  readonly unfitReason?: (candidate: Candidate) => string | null;
}

/**
 * Makes the plan of a request, whatever surface it came through: follows its links, adds what the
 * account's traffic has taught and which model the conversation continues with, and ranks the
 * candidates that the caller may use. Sets `request.plan` and, for a session, `request.sessionId`.
 * @throws GatewayError `not_found` for a link that is not this account's; `question.blame.code`
 * when no candidate is left
 */
export async function planRequest(
  parts: GatewayParts,
  request: GatewayRequest,
  question: PlanQuestion,
): Promise<Plan> {
  const { snapshot, caller, record } = request;
  const { links, candidates, fallbacks } = question;
  record.previousSession = links.previous_session ?? null;
  record.preferenceId = links.preference_id ?? null;
  const routing = await withHistory(parts, request, question);
  const id = question.isSession ? await sessionId(parts, request) : newRowId();
  const startedAt = performance.now();
  const plan = makePlan({
    id,
    request: routing,
    candidates,
    ...(fallbacks ? { fallbacks } : {}),
    ranker:
      (question.order ?? snapshot.routing.order) === 'given' && question.isCalledHere
        ? null
        : snapshot.ranker,
    catalog: snapshot.catalog,
    latencies: snapshot.latencies,
    paces: parts.state.chooser.paces,
    limits: limitsOf(snapshot, question.maxRetries ?? null),
    allow: snapshot.routing.allow,
    deny: snapshot.routing.deny,
    keyModels: caller.models,
    ...(question.isCalledHere
      ? { unknownReason: (one: Candidate) => snapshot.names.unknownReason(one, caller.models) }
      : {}),
    ...(question.unfitReason ? { unfitReason: question.unfitReason } : {}),
    explain: question.explain,
    blame: question.blame,
  });
  parts.metrics.selection(performance.now() - startedAt);
  if (plan.candidates[0].why.explored) parts.metrics.explored();
  request.plan = plan;
  parts.tracing?.planned(request, plan, startedAt);
  if (question.isSession) request.sessionId = id;
  return plan;
}

/** Adds what earlier requests taught. Where there is no choice, only checks the links. */
async function withHistory(
  parts: GatewayParts,
  request: GatewayRequest,
  { routing, links, candidates, isStreamed = false }: PlanQuestion,
): Promise<RoutingRequest> {
  const linked = await followLinks(parts, request.caller, links);
  if (candidates.length < 2) return linked ? Object.assign({}, routing, linked) : routing;
  const onlineLearning = await findOnlineLearning(parts, request, links, linked);
  // not a spread: properties that are added behind one cost 2.5 µs
  const asked: RoutingRequest = Object.assign({}, routing, linked, {
    onlineLearning,
    accountId: request.caller.accountId,
    keyEconomy: request.caller.economy,
    isStreamed,
  });
  const continued = routing.continued ?? continuedBy(parts, request, links, asked);
  if (continued) asked.continued = continued;
  return asked;
}

/** A signed id: any replica can check which account's session it is. */
async function sessionId(
  { state: { ids } }: GatewayParts,
  { caller }: GatewayRequest,
): Promise<string> {
  if (!ids.isReady) await ids.ready();
  return ids.make(caller.accountId);
}

/**
 * Plans a completion: the models ranked for this conversation (or as given), then the fallback
 * models in the order given. Sets `request.plan`, `call` and `passedOver`.
 * @throws GatewayError the surface's code for an invalid field, when no candidate is left
 */
export async function planCompletion(
  parts: GatewayParts,
  request: GatewayRequest,
  asked: CompletionCall,
): Promise<void> {
  const switched = withoutSwitch(request, searchedByProvider(request, asked));
  const call = switched.grounding ? joinToolResults(parts, request, switched) : switched;
  const { modelsField, fallbackModels, invalidCode } = call;
  refuseOtherModels(request, [call.chat, call.original?.body], call.invalidCode);
  const { names, routing, directory } = request.snapshot;
  const candidates = names.candidatesOf(call.models ?? directory.auto(), request.caller.models);
  if (call.models) request.asked = candidates[0] ?? null;
  request.prompt = call.chat;
  const { prompt_cache_key: cacheKey } = call.chat;
  if (typeof cacheKey === 'string' && cacheKey) request.promptCacheKey = cacheKey;
  const reasoningEffort = askedEffort(call.chat);
  const fallbacks = names.candidatesOf(fallbackModels, request.caller.models);
  const grounding = call.grounding
    ? await planGrounding(request, call, call.grounding, [...candidates, ...fallbacks])
    : null;
  const plan = await planRequest(parts, request, {
    routing: routingOf(call, reasoningEffort, grounding),
    links: call.links,
    candidates,
    ...(fallbacks.length > 0 ? { fallbacks } : {}),
    ...unfitReasonOf(request, call, grounding),
    order: call.order,
    maxRetries: call.maxRetries,
    isStreamed: call.stream,
    isCalledHere: true,
    isSession: false,
    // the header is sent where there was something to weigh
    explain:
      call.explain === true ||
      (routing.explainHeader && (call.models ? candidates.length : 2) + fallbackModels.length > 1),
    blame: {
      field: modelsField,
      firstField: call.modelField,
      fallbackField: 'fallback_models',
      code: invalidCode,
      ...(call.keepsStatus ? { unknownCode: 'model_not_found' as const } : {}),
    },
  });
  request.call = call;
  request.passedOver = plan.excluded.length === 0 ? noEntries : plan.excluded.map(traceEntry);
}

/** The rules of models see the names of a request, not what its provider calls beside them. */
export function refuseOtherModels(
  { snapshot: { routing }, caller }: GatewayRequest,
  bodies: readonly (Readonly<Record<string, unknown>> | undefined)[],
  code: CompletionCall['invalidCode'],
): void {
  if (caller.models === null && !routing.allow && !routing.deny.length) return;
  for (const body of bodies) {
    const field = body && otherModelField(body);
    if (field)
      throw invalidField(field, 'may reach another model, and not all models may be used', code);
  }
}

/**
 * Leaves a search that the client asks for in its own dialect to the providers of that dialect, if
 * a model of the request can search there. Otherwise the gateway searches, and also for a caller
 * with a budget, whose searches must have a bound.
 */
function searchedByProvider(
  { snapshot, caller }: GatewayRequest,
  call: CompletionCall,
): CompletionCall {
  const { original, grounding } = call;
  const { names, directory, budgets } = snapshot;
  if (!original || !grounding || (hasBudget(caller) && !budgets.allowUnpriced)) return call;
  const isOwn = (candidate: Candidate): boolean => {
    const adapter = forwardingAdapter(snapshot, call, original.dialect, candidate);
    const searches = adapter?.webSearch?.(candidate.model);
    return Boolean(searches) && !names.forbiddenReason(candidate, caller.models);
  };
  if (!names.candidatesOf(call.models ?? directory.auto(), caller.models).some(isOwn)) return call;
  const needs = original.needs ?? 'the web search of this request';
  return { ...call, grounding: null, original: { ...original, needs } };
}

/** Checks what tools need of the model, and what the client's body needs of the provider. */
function unfitReasonOf(
  { snapshot }: GatewayRequest,
  call: CompletionCall,
  grounding: PlannedGrounding | null,
): Pick<PlanQuestion, 'unfitReason'> {
  const { dialect, needs = null } = call.original ?? {};
  if (!dialect || needs === null) return grounding ? { unfitReason: grounding.unfitReason } : {};
  return {
    unfitReason: (candidate) =>
      forwardingAdapter(snapshot, call, dialect, candidate)
        ? (grounding?.unfitReason(candidate) ?? null)
        : `its provider does not support ${needs}`,
  };
}

/** The API of a candidate's provider that gets the client's own body; null: it has none. */
export function forwardingAdapter(
  { providers }: Pick<GatewaySnapshot, 'providers'>,
  { chat }: Pick<CompletionCall, 'chat'>,
  dialect: SharedDialect,
  { provider, model }: Pick<Candidate, 'provider' | 'model'>,
): ProviderAdapter | null {
  const { adapter: own } = providers.get(provider ?? '') ?? {};
  const adapter = own?.instead?.(chat, model, dialect) ?? own;
  return adapter?.dialect === dialect ? adapter : null;
}

/**
 * Follows a search switch of the client's dialect only where the gateway can search itself, and the
 * first model's provider does not get the client's own body with the switch.
 */
function withoutSwitch({ snapshot, caller }: GatewayRequest, call: CompletionCall): CompletionCall {
  const { grounding, names, directory } = snapshot;
  const cleaned = call.grounding?.withoutSwitch;
  if (!cleaned) return call;
  const [first] = names.candidatesOf(call.models ?? directory.auto(), caller.models);
  const { dialect } = call.original ?? {};
  const isSent = first && dialect && forwardingAdapter(snapshot, call, dialect, first);
  if (!grounding.search || isSent) return { ...call, grounding: null };
  const { chat, models, needs } = cleaned;
  const original =
    call.original && needs !== undefined ? { original: { ...call.original, needs } } : {};
  const routing = { ...call.routing, tools: chat.tools ?? [] };
  return { ...call, chat, models, routing, ...original };
}

function routingOf(
  { routing }: CompletionCall,
  reasoningEffort: ReturnType<typeof askedEffort>,
  grounding: PlannedGrounding | null,
): RoutingRequest {
  const added = grounding?.tools.map(({ definition }) => definition) ?? [];
  if (reasoningEffort === undefined && added.length === 0) return routing;
  return {
    ...routing,
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(added.length > 0 ? { tools: [...(routing.tools ?? []), ...added] } : {}),
  };
}

/** The limits of one request, at most ten retries. A provider's shorter timeouts apply besides. */
export function limitsOf(snapshot: GatewaySnapshot, maxRetries: number | null): Limits {
  const { totalTimeoutMs } = snapshot.limits;
  return {
    retriesPerCandidate: Math.min(maxRetriesPerCandidate, maxRetries ?? snapshot.limits.maxRetries),
    firstEventTimeoutMs: totalTimeoutMs,
    idleTimeoutMs: totalTimeoutMs,
    totalTimeoutMs,
  };
}

/** A candidate that was passed over, as an entry of the error trace. */
export const traceEntry = ({ candidate, reason }: Exclusion): ErrorTraceEntry => ({
  provider: candidate.provider ?? '',
  model: candidate.model,
  error: reason,
  status: null,
  attempt: 0,
  latency: 0,
});
