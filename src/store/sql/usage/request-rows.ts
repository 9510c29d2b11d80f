import type { Insertable, Selectable } from 'kysely';
import type { PlannedRequest, RequestRow, RequestSummary } from '../../contracts/requests.js';
import { clean, fromJson, toJson, wholeOrNull } from '../columns.js';
import type { RequestTable } from '../tables.js';

/** The columns of a request. */
export function toRequestColumns(row: RequestRow): Insertable<RequestTable> {
  return {
    id: row.id,
    request_id: clean(row.requestId),
    account_id: row.accountId,
    key_id: row.keyId,
    surface: row.surface,
    at: Math.round(row.at),
    status: row.status,
    code: row.code,
    error: clean(row.error),
    field: clean(row.field),
    provider: clean(row.provider),
    model: clean(row.model),
    plan_id: row.planId,
    conversation_id: row.conversationId,
    response_id: clean(row.responseId),
    stream: row.stream ? 1 : 0,
    latency_ms: Math.round(row.latencyMs),
    ttft_ms: wholeOrNull(row.ttftMs),
    prompt_tokens: wholeOrNull(row.promptTokens),
    completion_tokens: wholeOrNull(row.completionTokens),
    cost_usd: Number.isFinite(row.costUsd) ? row.costUsd : null,
    plan: toJson(row.plan),
    attempts: toJson(row.attempts),
    content: toJson(row.content),
  };
}

type SummaryColumns = Omit<Selectable<RequestTable>, 'plan' | 'attempts' | 'content'>;

/** The request of a row. */
export function fromRequestColumns(row: Selectable<RequestTable>): RequestRow {
  return Object.assign(shared(row), {
    plan: fromJson(row.plan),
    attempts: fromJson(row.attempts),
    content: fromJson(row.content),
  });
}

/** The request of a row with its plan. */
export function plannedFromColumns(
  row: SummaryColumns & Pick<Selectable<RequestTable>, 'plan'>,
): PlannedRequest {
  return Object.assign(shared(row), { plan: fromJson(row.plan) });
}

/** The request of a row in a list. */
export function summaryFromColumns(
  row: SummaryColumns & { key_name: string | null },
): RequestSummary {
  return Object.assign(shared(row), { keyName: row.key_name });
}

function shared(row: SummaryColumns): Omit<RequestSummary, 'keyName'> {
  return {
    id: row.id,
    requestId: row.request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    surface: row.surface,
    at: row.at,
    status: row.status,
    code: row.code,
    error: row.error,
    field: row.field,
    provider: row.provider,
    model: row.model,
    planId: row.plan_id,
    conversationId: row.conversation_id,
    responseId: row.response_id,
    stream: row.stream === 1,
    latencyMs: row.latency_ms,
    ttftMs: row.ttft_ms,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    costUsd: row.cost_usd,
  };
}
