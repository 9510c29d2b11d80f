import type { ObservedRequest } from '../observed-request.js';

/** What metrics need of a finished request. Durations in seconds; labels from closed sets only. */
export interface MeasuredRequest {
  surface: string;
  status: number;
  durationSeconds: number;
  /** `ok` or an error code. */
  outcome: string;
  /** Null if no model answered. */
  answer: {
    provider: string;
    model: string;
    ttftSeconds: number | null;
    promptTokens: number;
    completionTokens: number;
    costUsd: number | null;
    fallbacks: number;
  } | null;
  /** What a request without an answer was charged; null if nothing. */
  lost: { provider: string; model: string; costUsd: number } | null;
}

/** The measurements of a finished request. */
export function measuredRequest({ record, surface, startedAt }: ObservedRequest): MeasuredRequest {
  const { provider, model, promptTokens, completionTokens, costUsd, fallbacks, ttftMs } = record;
  const isNamed = provider !== null && model !== null;
  const answered = isNamed && promptTokens !== null;
  return {
    surface: surface ?? 'completions',
    status: record.status ?? 0,
    durationSeconds: (performance.now() - startedAt) / 1000,
    outcome: record.code ?? 'ok',
    answer: answered
      ? {
          provider: record.summedAs?.provider ?? provider,
          model,
          promptTokens,
          completionTokens: completionTokens ?? 0,
          costUsd,
          fallbacks,
          ttftSeconds: ttftMs === null ? null : ttftMs / 1000,
        }
      : null,
    lost: isNamed && !answered && costUsd !== null ? { provider, model, costUsd } : null,
  };
}
