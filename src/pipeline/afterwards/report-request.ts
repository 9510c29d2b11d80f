import { explainFailure } from './explain-failure.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import type { GatewayRequest } from '../request.js';
import type { RequestRecord } from '../../telemetry/observed-request.js';
import { callsModels } from '../../surface-labels.js';

/** Reports a request that is over to the metrics, the log and the request log, and no learner. */
export function reportRequest(parts: GatewayParts, request: GatewayRequest): void {
  parts.metrics.request(request);
  parts.log.request(request);
  parts.state.requestLog.addRequest(request);
}

/** Completes the record of a request that is over. */
export function closeRecord(request: GatewayRequest): void {
  explainFailure(request);
  request.record.summedAs = summedName(request);
}

/**
 * The names for the sums, which are kept for ever, so that clients cannot invent rows: a model that
 * did not answer and that is not known is `other`, and so is its provider if it is not configured.
 */
function summedName({ record, surface, snapshot }: GatewayRequest): RequestRecord['summedAs'] {
  const { provider, model, promptTokens } = record;
  const isClientsName = surface !== null && !callsModels(surface);
  const hasAnswered = promptTokens !== null && !isClientsName;
  if (model === null || hasAnswered || snapshot.isKnownModel(provider ?? '', model)) return null;
  return { provider: snapshot.providers.has(provider ?? '') ? provider : 'other', model: 'other' };
}
