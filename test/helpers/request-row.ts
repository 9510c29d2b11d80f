import { randomUUID } from 'node:crypto';
import type { RequestRow } from '../../src/store/contracts/requests.js';

/** An ordinary row of the request log, with some fields replaced. */
export function requestRow(more: Partial<RequestRow> = {}): RequestRow {
  return {
    id: randomUUID(),
    requestId: randomUUID(),
    traceId: null,
    accountId: 'account',
    keyId: 'key',
    surface: 'openai',
    at: Date.now(),
    status: 200,
    code: null,
    error: null,
    field: null,
    provider: 'up',
    model: 'known',
    planId: null,
    conversationId: null,
    responseId: null,
    stream: false,
    latencyMs: 100,
    ttftMs: 50,
    promptTokens: 10,
    completionTokens: 5,
    costUsd: 0.001,
    estimatedUsd: 0,
    heldUsd: 0,
    plan: null,
    attempts: [],
    content: null,
    ...more,
  };
}
