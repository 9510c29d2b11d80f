import type { RequestContext } from '../../http/context.js';
import type { RequestMetrics } from '../../http/parts.js';
import type { MeasuredRequest, Metrics } from './metrics.js';

/** Metrics as the stages report to them. */
export function measuring(metrics: Metrics): RequestMetrics {
  return {
    request: (context) => metrics.request(measurementOf(context)),
    selection: (durationMs) => metrics.selection(durationMs),
    overhead: (context, durationMs) =>
      metrics.overhead(context.surface?.name ?? 'completions', durationMs),
    streamOpened: () => metrics.streamOpened(),
    streamClosed: () => metrics.streamClosed(),
    usageMissing: (provider) => metrics.usageMissing(provider),
    rated: () => metrics.rated(),
    explored: () => metrics.explored(),
    limited: (limit) => metrics.limited(limit),
  };
}

function measurementOf({ record, surface, startedAt }: RequestContext): MeasuredRequest {
  const { provider, model, promptTokens, completionTokens, costUsd, fallbacks, ttftMs } = record;
  const answered = provider !== null && model !== null && promptTokens !== null;
  return {
    surface: surface?.name ?? 'completions',
    status: record.status ?? 0,
    durationSeconds: (performance.now() - startedAt) / 1000,
    outcome: record.code ?? 'ok',
    answer: answered
      ? {
          provider,
          model,
          promptTokens,
          completionTokens: completionTokens ?? 0,
          costUsd,
          fallbacks,
          ttftSeconds: ttftMs === null ? null : ttftMs / 1000,
        }
      : null,
  };
}
