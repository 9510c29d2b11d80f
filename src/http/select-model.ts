import type { Request, RequestHandler, Response } from 'express';
import type { Plan } from '../chooser/plan.js';
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
export const countRequestStage = (parts: GatewayParts): RequestHandler =>
  stage(async (_req, res) => {
    const { request } = contextOf(parts, res);
    await countRequest(parts, request).finally(() => sendRateLimits(request, res));
  });

/** Selects a model for a valid body of model selection. */
export const selectStage = (parts: GatewayParts): RequestHandler =>
  stage(async (req, res) => {
    const { request } = contextOf(parts, res);
    const { names } = request.snapshot;
    const explain = req.query['explain'] === 'true';
    const body = req.body as ModelSelectRequest;
    await selectModel(parts, request, selectionQuestionOf(body, names, explain));
  });

/** Answers model selection with the plan that `selectModel` has made. */
export const sendSelection: RequestHandler = answer((req, res) => {
  const selection = selectionOf(decided(res), depthOf(req), req.query['explain'] === 'true');
  const { warnings } = requestOf(res);
  sendJson(res, 200, warnings.length > 0 ? { ...selection, warnings } : selection);
});

/** Answers model selection in the `/v2` dialect: the ranking and the session. */
export const sendProviders: RequestHandler = answer((req, res) => {
  const { id, candidates } = decided(res);
  const providers = candidates
    .slice(0, depthOf(req) ?? candidates.length)
    .map(({ provider, model }) => ({ provider, model }));
  sendJson(res, 200, { providers, session_id: id });
});

const depthOf = ({ body }: Request): number | null =>
  (body as ModelSelectRequest).max_model_depth ?? null;

/** The plan of a request, which records the model that it chose. */
function decided(res: Response): Plan {
  const { plan, record } = requestOf(res);
  if (!plan) throw new GatewayError('internal', 'no plan was made');
  const [{ provider, model }] = plan.candidates;
  record.provider = provider;
  record.model = model;
  return plan;
}
