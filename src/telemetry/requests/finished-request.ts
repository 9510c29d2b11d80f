import { randomUUID } from 'node:crypto';
import type { Caller } from '../../accounts/caller.js';
import type { Attempt } from '../../dispatch/execute-plan.js';
import type { ObservedRequest, RequestRecord } from '../observed-request.js';
import type { RequestRow } from '../../store/contracts/requests.js';
import { type KeptContent, storedContent, weightOf } from './kept-content.js';
import { cut, type KeptPlan, keptPlan } from './kept-plan.js';

/** What is taken from a request that is over until it is written: neither its body nor its connection. */
export interface FinishedRequest {
  readonly id: string;
  readonly requestId: string;
  readonly caller: Caller;
  readonly surface: string;
  readonly at: number;
  readonly latencyMs: number;
  readonly record: RequestRecord;
  /** Null where nothing was planned. */
  readonly planId: string | null;
  /** Null too where it is kept elsewhere, or not at all. */
  readonly plan: KeptPlan | null;
  /** Bytes of the content that it holds, about. */
  readonly weight: number;
  /** It is written for the sake of its sums alone. */
  readonly isBare: boolean;
}

/** Takes what is needed from a request. A request id that was made here names the record as well; one that a client chose may name several. */
export function finishedRequest(request: ObservedRequest, isBare: boolean): FinishedRequest {
  const { id: requestId, isOwnId, caller, surface, startedAt, record, plan } = request;
  const latencyMs = performance.now() - startedAt;
  return {
    id: isOwnId ? requestId : randomUUID(),
    requestId,
    caller,
    surface: surface ?? 'other',
    at: Date.now() - latencyMs,
    latencyMs,
    record,
    planId: plan?.id ?? null,
    // a decision has a row of its own with its plan
    plan: isBare || plan === null || surface === 'model_select' ? null : keptPlan(plan),
    weight: weightOf(record.content),
    isBare,
  };
}

/** The longest name of a provider or model that is stored. */
const longestName = 512;
const named = (name: string | null): string | null =>
  name === null ? null : cut(name, longestName);

/** The row of a request. @param salt for content of which only a hash is kept */
export function requestRowOf(
  { id, requestId, caller, surface, at, latencyMs, record, planId, plan, isBare }: FinishedRequest,
  salt: Buffer | null,
): RequestRow {
  const {
    status,
    code,
    provider,
    model,
    conversationId,
    responseId,
    stream,
    ttftMs,
    promptTokens,
    completionTokens,
    costUsd,
    content,
  } = record;
  return {
    id,
    requestId,
    accountId: caller.accountId,
    keyId: caller.keyId,
    surface,
    at: Math.round(at),
    status: status ?? 0,
    code,
    provider: named(provider),
    model: named(model),
    planId,
    conversationId,
    responseId,
    stream,
    latencyMs: Math.round(latencyMs),
    ttftMs,
    promptTokens,
    completionTokens,
    costUsd,
    plan:
      plan === null
        ? null
        : {
            ...plan,
            ...(record.previousSession === null ? {} : { previousSession: record.previousSession }),
            ...(record.preferenceId === null ? {} : { preferenceId: record.preferenceId }),
          },
    attempts: isBare ? null : record.attempts.map((attempt) => keptAttempt(attempt, content)),
    content: isBare ? null : storedContent(content, salt),
  };
}

/** A provider's message may repeat what it was asked, so it is kept only where the content is. */
function keptAttempt(
  { error, firstContentMs, ...told }: Attempt,
  content: KeptContent | null,
): object {
  const attempt = {
    ...told,
    firstContentMs: firstContentMs === null ? null : Math.round(firstContentMs),
  };
  return content?.kind === 'text' ? { ...attempt, error } : attempt;
}
