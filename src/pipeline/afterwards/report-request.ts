import type { GatewayParts } from '../engine/gateway-parts.js';
import type { GatewayRequest } from '../request.js';
import type { RequestRecord } from '../../telemetry/observed-request.js';
import { callsModels } from '../../surface-labels.js';
import { withoutQuotes } from '../../telemetry/requests/without-quotes.js';

/** Reports a request that is over to metrics, log and request log, but not to the learner. */
export function reportRequest(parts: GatewayParts, request: GatewayRequest): void {
  parts.metrics.request(request);
  parts.log.request(request);
  parts.state.requestLog.addRequest(request);
  request.trace?.end();
}

/** Completes the record of a request that is over. */
export function closeRecord(request: GatewayRequest): void {
  explainFailure(request);
  request.record.summedAs = summedName(request);
}

/**
 * The names for sums. These are kept forever, so clients must not invent rows: an unknown model
 * that did not answer is `other`, and so is its provider if it is not configured.
 */
function summedName({ record, surface, snapshot }: GatewayRequest): RequestRecord['summedAs'] {
  const { provider, model, promptTokens } = record;
  const isClientsName = surface !== null && !callsModels(surface);
  const hasAnswered = promptTokens !== null && !isClientsName;
  if (model === null || hasAnswered || snapshot.isKnownModel(provider ?? '', model)) return null;
  return { provider: snapshot.providers.has(provider ?? '') ? provider : 'other', model: 'other' };
}

/**
 * Completes the record of a request with failures: the model that was asked, and error texts that
 * do not quote the request. The texts of attempts keep their quotations if the configuration keeps
 * the request's content.
 */
function explainFailure(request: GatewayRequest): void {
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
