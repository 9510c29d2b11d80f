import type { RequestHandler } from 'express';
import { GatewayError } from '../errors.js';
import { countRequest } from '../pipeline/limits.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { selectModel } from '../pipeline/select-model.js';
import { contextOf, requestOf, sendRateLimits } from './context.js';
import { sendJson } from './send-json.js';
import { answer, stage } from './stage.js';
import {
  type ModelSelectRequest,
  selectionOf,
  selectionQuestionOf,
} from './surfaces/model-select.js';

/** Counts a request that calls no model against the rate limits of its caller. */
export function countRequestStage(parts: GatewayParts): RequestHandler {
  return stage(async (_req, res) => {
    const { request } = contextOf(parts, res);
    await countRequest(parts, request).finally(() => sendRateLimits(request, res));
  });
}

/** Selects a model for a valid body of model selection. */
export function selectStage(parts: GatewayParts): RequestHandler {
  return stage(async (req, res) => {
    const { request } = contextOf(parts, res);
    const { names } = request.snapshot;
    const explain = req.query['explain'] === 'true';
    const body = req.body as ModelSelectRequest;
    await selectModel(parts, request, selectionQuestionOf(body, names, explain));
  });
}

/** Answers model selection with the plan that `selectModel` has made. */
export const sendSelection: RequestHandler = answer((req, res) => {
  const { plan, record, warnings } = requestOf(res);
  if (!plan) throw new GatewayError('internal', 'no plan was made');
  const [first] = plan.candidates;
  record.provider = first.provider;
  record.model = first.model;
  const depth = (req.body as ModelSelectRequest).max_model_depth ?? null;
  const selection = selectionOf(plan, depth, req.query['explain'] === 'true');
  sendJson(res, 200, warnings.length > 0 ? { ...selection, warnings } : selection);
});
