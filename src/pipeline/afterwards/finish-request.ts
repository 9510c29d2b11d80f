import { answeredChoice } from '../../chooser/chooser.js';
import type { GatewayParts } from '../engine/gateway-parts.js';
import type { GatewayRequest } from '../request.js';
import { closeRecord, reportRequest } from './report-request.js';
import { shadowAnswer } from './shadow-answer.js';

/**
 * Reports a request that is over, once: to the metrics, the log, the request log and the chooser.
 * The client already has its answer, so this delays no response.
 */
export function finishRequest(parts: GatewayParts, request: GatewayRequest): void {
  const { chooser } = parts.state;
  closeRecord(request);
  request.record.choice = answeredChoice(request);
  reportRequest(parts, request);
  chooser.learn(request);
  shadowAnswer(parts, request);
}
