import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorCodes } from '../../../src/errors.js';
import { outcomesOf } from '../../../src/chooser/learning/learn-from-request.js';
import { newRequestRecord } from '../../../src/telemetry/observed-request.js';

const attempt = (outcome: 'ok' | ErrorCode, model = 'a') => ({
  ...{ provider: 'p', model, outcome },
  ...{ firstContentMs: null, latencyMs: 5 },
});
const told = (
  attempts: readonly ReturnType<typeof attempt>[],
  finishReason: string | null = 'stop',
  isBounded = false,
): Record<string, string> =>
  Object.fromEntries(
    outcomesOf({
      caller: { accountId: 'account', keyId: null },
      surface: 'openai',
      plan: null,
      call: { chat: { messages: [], ...(isBounded ? { max_tokens: 9 } : {}) } },
      record: { ...newRequestRecord(), attempts, finishReason },
    }),
  );

describe('the outcome of an answer', () => {
  it('is that of the last attempt: a successful retry is not a fault', () => {
    expect(told([attempt('upstream_error'), attempt('ok')])).toEqual({ 'p/a': 'answered' });
    expect(
      told([attempt('upstream_error'), attempt('upstream_timeout'), attempt('ok', 'b')]),
    ).toEqual({ 'p/a': 'failed', 'p/b': 'answered' });
  });

  it('is a fault only for failures of the model or its provider', () => {
    const faults = errorCodes.filter((code) => Object.keys(told([attempt(code)], null)).length > 0);
    expect(faults).toEqual([
      'connection_failed',
      'upstream_error',
      'upstream_overloaded',
      'unreadable_answer',
      'upstream_timeout',
    ]);
  });

  it.each([
    ['refused', 'content_filter', false, 'failed'],
    ['refused with a bound', 'content_filter', true, 'failed'],
    ['cut off', 'length', false, 'failed'],
    ['cut off where the client bounded it', 'length', true, 'answered'],
    ['ended by itself', 'stop', false, 'answered'],
    ['ended by a tool call', 'tool_calls', false, 'answered'],
  ])('of an answer that was %s', (_what, finishReason, isBounded, outcome) => {
    expect(told([attempt('ok')], finishReason, isBounded)).toEqual({ 'p/a': outcome });
  });
});
