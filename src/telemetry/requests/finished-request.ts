import { newRowId } from '../../row-id.js';
import type { Caller } from '../../accounts/caller.js';
import type { Attempt } from '../../dispatch/execute-plan.js';
import type { ObservedRequest, RequestRecord } from '../observed-request.js';
import type { NewRequest } from '../../store/contracts/requests.js';
import { sizeInBytes, storedContent } from './kept-content.js';
import type { SharedBeginning } from './shared-beginnings.js';
import { cut, type KeptPlan, keptPlan } from './kept-plan.js';
import { isSelection } from '../../surface-labels.js';

/** What is kept of a finished request until it is written: neither its body nor its connection. */
export interface FinishedRequest {
  readonly id: string;
  readonly requestId: string;
  readonly caller: Caller;
  readonly surface: string;
  readonly at: number;
  /** `performance.now()` of its arrival. */
  readonly startedAt: number;
  readonly latencyMs: number;
  readonly record: RequestRecord;
  /** Null if nothing was planned. */
  readonly planId: string | null;
  /** Null if nothing was planned, or the plan is stored elsewhere or not at all. */
  readonly plan: KeptPlan | null;
  /** Approximate bytes of its content. */
  readonly contentBytes: number;
  /** It is written only for the usage sums: without plan, attempts and content. */
  readonly isBare: boolean;
}

/**
 * Takes what the row needs from a request. A request id that the gateway made is also the id of the
 * row; one that a client chose may occur several times.
 */
export function finishedRequest(request: ObservedRequest, isBare: boolean): FinishedRequest {
  const { id: requestId, isOwnId, caller, surface, startedAt, record, plan } = request;
  const latencyMs = performance.now() - startedAt;
  return {
    id: isOwnId ? requestId : newRowId(),
    requestId,
    caller,
    surface: surface ?? 'other',
    at: Date.now() - latencyMs,
    startedAt,
    latencyMs,
    record,
    planId: plan?.id ?? null,
    // a decision of model selection has its own row, with the plan
    plan: isBare || plan === null || isSelection(surface) ? null : keptPlan(plan),
    contentBytes: sizeInBytes(record.content),
    isBare,
  };
}

/** The longest stored name of a provider or model. */
const maxName = 512;
const named = (name: string | null): string | null => (name === null ? null : cut(name, maxName));

/** The row of a request. @param salt for hashes of content @param shared as in `storedContent` */
export function requestRowOf(
  finished: FinishedRequest,
  salt: Buffer | null,
  shared: SharedBeginning['shared'] = null,
): NewRequest {
  const { id, requestId, caller, surface, at, startedAt, latencyMs, record, planId } = finished;
  const { plan, isBare } = finished;
  const { status, code, error, field, provider, model, traceId, conversationId, responseId } =
    record;
  const { stream, ttftMs, promptTokens, completionTokens, content } = record;
  return {
    id,
    requestId,
    traceId,
    accountId: caller.accountId,
    keyId: caller.keyId,
    surface,
    at: Math.round(at),
    status: status ?? 0,
    code,
    error: isBare ? null : error,
    field: isBare || field === null ? null : cut(field, maxName),
    provider: named(provider),
    model: named(model),
    // only the sums need these
    ...(record.cacheSavedUsd === null ? {} : { cacheSavedUsd: record.cacheSavedUsd }),
    ...(record.summedAs === null ? {} : { summedAs: record.summedAs }),
    ...(record.shadow === null ? {} : { shadow: record.shadow }),
    planId,
    conversationId,
    responseId,
    stream,
    latencyMs: Math.round(latencyMs),
    ttftMs,
    promptTokens,
    completionTokens,
    ...moneyOf(record),
    plan: storedPlan(plan, record),
    attempts: isBare ? null : record.attempts.map((attempt) => keptAttempt(attempt, startedAt)),
    content: isBare ? null : storedContent(content, salt, shared),
  };
}

const moneyOf = ({ costUsd, estimatedUsd, heldUsd }: RequestRecord) => ({
  costUsd,
  estimatedUsd,
  heldUsd,
});

function storedPlan(
  plan: KeptPlan | null,
  { previousSession, preferenceId, grounding, content }: RequestRecord,
): object | null {
  if (plan === null) return null;
  return {
    ...plan,
    // where only a hash of the conversation is kept, no queries: they are words of it
    ...(grounding === null
      ? {}
      : { grounding: content?.kind === 'digest' ? { ...grounding, queries: [] } : grounding }),
    ...(previousSession === null ? {} : { previousSession }),
    ...(preferenceId === null ? {} : { preferenceId }),
  };
}

const wholeMs = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));

/** Times from the request's arrival or the attempt's start, in whole ms. */
function keptAttempt(attempt: Attempt, arrivedAt: number): object {
  const { startedAt, waitMs, sentMs, headersMs, firstContentMs, isWhole: _, ...rest } = attempt;
  return {
    startMs: Math.max(0, Math.round(startedAt - arrivedAt)),
    waitMs: Math.round(waitMs),
    sentMs: wholeMs(sentMs),
    headersMs: wholeMs(headersMs),
    firstContentMs: wholeMs(firstContentMs),
    ...rest,
  };
}
