import type { GatewayRequest } from '../request.js';

/**
 * Tells later plans of this process how fast the model of an answer was, as far as its provider
 * streamed it and counted its tokens.
 */
export function learnPace({ record, call, snapshot }: GatewayRequest): void {
  const { provider, model, completionTokens, reasoningTokens, code, attempts } = record;
  if (code !== null || provider === null || model === null) return;
  if (completionTokens === null || reasoningTokens === null || (call?.chat.n ?? 1) > 1) return;
  const attempt = attempts.at(-1);
  if (attempt?.outcome !== 'ok' || attempt.firstContentMs === null) return;
  snapshot.paces.record(provider, model, {
    firstContentMs: attempt.firstContentMs,
    endMs: attempt.latencyMs,
    tokens: completionTokens,
    reasoningTokens,
  });
}
