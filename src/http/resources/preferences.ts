import type { RequestHandler } from 'express';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { idOf, pageRequestOf } from '../../api/page-request.js';
import {
  addPreference,
  changeSettings,
  endPreference,
  onePreference,
  pageOfPreferences,
  type PreferenceRequest,
} from '../../api/preferences.js';
import {
  type PreviewRequest,
  previewPreference,
} from '../../pipeline/preview/preview-preference.js';
import { apiContextOf } from '../audit.js';
import { callerOf } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';

/** `POST /api/v1/preferences`. */
export function createPreference(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const settings = req.body as PreferenceRequest;
    sendJson(res, 201, await addPreference(parts, callerOf(res).accountId, settings));
  });
}

/** `GET /api/v1/preferences`. */
export function listPreferences(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req);
    sendJson(res, 200, await pageOfPreferences(parts, callerOf(res).accountId, page));
  });
}

/** `GET /api/v1/preferences/{id}`. */
export function readPreference(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    sendJson(res, 200, await onePreference(parts, callerOf(res).accountId, idOf(req)));
  });
}

/** `PATCH` and `PUT /api/v1/preferences/{id}`. */
export function changePreference(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const settings = req.body as PreferenceRequest;
    const { accountId } = callerOf(res);
    sendJson(res, 200, await changeSettings(parts, accountId, idOf(req), settings));
  });
}

/** `DELETE /api/v1/preferences/{id}`. */
export function deletePreference(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    await endPreference(apiContextOf(parts, req, res), callerOf(res).accountId, idOf(req));
    res.status(204).end();
  });
}

/** `POST /api/v1/preferences/preview`: what a preference would choose; nothing is stored. */
export function tryPreference(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const asked = req.body as PreviewRequest;
    const explain = req.query['explain'] === 'true';
    sendJson(res, 200, await previewPreference(parts, callerOf(res), asked, explain));
  });
}
