import { withoutQuotes } from '../../telemetry/requests/without-quotes.js';
import type { GatewayRequest } from '../request.js';

/**
 * Completes what is recorded of a request of which something failed: who was asked, and error texts
 * that do not repeat the request. The texts of the attempts keep their quotations if the
 * configuration keeps the request's content.
 */
export function explainFailure(request: GatewayRequest): void {
  const { record } = request;
  const failed = record.attempts.filter(({ error }) => error !== null);
  if (record.code === null && failed.length === 0) return;
  if (record.code !== null) nameAsked(request);
  const [error, ...errors] = withoutQuotes(
    [record.error ?? '', ...failed.map((attempt) => attempt.error ?? '')],
    request.prompt,
  );
  if (record.error !== null) record.error = error ?? null;
  if (record.content?.kind === 'text') return;
  for (const [index, attempt] of failed.entries()) attempt.error = errors[index] ?? null;
}

/** Attributes a failed request to the model that was tried last, else to the one asked for. */
function nameAsked({ record, plan, asked }: GatewayRequest): void {
  if (record.provider !== null || record.model !== null) return;
  const named = record.attempts.at(-1) ?? plan?.candidates[0] ?? asked;
  // a bare name has an empty provider
  record.provider = named?.provider || null;
  record.model = named?.model ?? null;
}
