import type { RequestHandler } from 'express';
import { GatewayError } from '../../errors.js';
import { apiContextOf } from '../audit.js';
import { callerOf, requestOf } from '../context.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import type { ModelSelectRequest } from '../surfaces/model-select.js';
import { idOf } from '../../api/page-request.js';
import {
  addPreference,
  changeSettings,
  endPreference,
  type PreferenceRequest,
} from '../../api/preferences.js';

/** `POST /v2/modelRouter/modelSelect`: the ranking and the session. */
export const sendProviders: RequestHandler = answer((req, res) => {
  const { plan, record } = requestOf(res);
  if (!plan) throw new GatewayError('internal', 'no plan was made');
  const [{ provider, model }] = plan.candidates;
  record.provider = provider;
  record.model = model;
  const candidates = plan.candidates.slice(
    0,
    (req.body as ModelSelectRequest).max_model_depth ?? plan.candidates.length,
  );
  sendJson(res, 200, {
    providers: candidates.map((candidate) => ({
      provider: candidate.provider,
      model: candidate.model,
    })),
    session_id: plan.id,
  });
});

/** `POST /v2/preferences/userPreferenceCreate`: `{preference_id}`. */
export function createUserPreference(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { id } = await addPreference(parts, callerOf(res).accountId, settingsOf(req.body));
    sendJson(res, 200, { preference_id: id });
  });
}

/** `PUT /v2/preferences/userPreferenceUpdate`: the body names the preference. */
export function updateUserPreference(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { preference_id: id } = req.body as { preference_id: string };
    await changeSettings(parts, callerOf(res).accountId, id, settingsOf(req.body));
    sendJson(res, 200, { preference_id: id });
  });
}

/** `DELETE /v2/preferences/userPreferenceDelete/{id}`. */
export function deleteUserPreference(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const id = idOf(req);
    await endPreference(apiContextOf(parts, req, res), callerOf(res).accountId, id);
    sendJson(res, 200, { preference_id: id });
  });
}

/** The bodies of `/v2/report/metrics/…`. */
interface Report {
  session_id: string;
  provider?: { provider?: string | null; model?: string | null } | string | null;
  feedback: { accuracy?: number | boolean; tokens_per_second?: number };
}

/** `POST /v2/report/metrics/feedback` and `…/latency`: stores the report and returns it. */
export function reportMetrics(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { session_id: id, provider, feedback } = req.body as Report;
    const candidate =
      typeof provider === 'object' && provider
        ? { provider: provider.provider ?? null, model: provider.model ?? null }
        : {};
    const score = feedback.accuracy === undefined ? null : Number(feedback.accuracy);
    await parts.state.chooser.rate(callerOf(res), {
      subject: { kind: 'session', id },
      score,
      tokensPerSecond: feedback.tokens_per_second ?? null,
      ...candidate,
    });
    sendJson(res, 200, { session_id: id, feedback });
  });
}

/** The settings of a preference, from a body that may have other fields. */
function settingsOf(body: unknown): PreferenceRequest {
  const { name, weights, allow, exclude, maxPrice, maxLatency, tradeoff, exploration } =
    body as PreferenceRequest;
  const given = { name, weights, allow, exclude, maxPrice, maxLatency, tradeoff, exploration };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
