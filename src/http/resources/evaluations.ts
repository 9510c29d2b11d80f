import type { RequestHandler } from 'express';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import {
  addEvaluation,
  changeScores,
  dropEvaluation,
  evaluatedModels,
  type EvaluationRequest,
  oneEvaluation,
  shownEvaluation,
} from '../../api/evaluations.js';
import { idOf, listOf, pageRequestOf } from '../../api/page-request.js';
import { refuseUnknown } from '../../api/query.js';
import type { EvaluationRecord, FigureChanges } from '../../store/contracts/evaluations.js';
import type { Store } from '../../store/contracts/store.js';
import { callerOf } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { type Cell, type CsvTable, sendCsv, wantsCsv } from './csv.js';

/** `GET /api/v1/evaluations`: newest first, or all as the CSV that trainings take. */
export function listEvaluations(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const isCsv = wantsCsv(req);
    if (isCsv) refuseUnknown(req, ['format']);
    const page = isCsv ? null : pageRequestOf(req, ['format']);
    const { accountId } = callerOf(res);
    const { store } = await parts.state.opened();
    if (page)
      sendJson(res, 200, listOf(await store.evaluations.list(accountId, page), shownEvaluation));
    else await sendCsv(res, await tableOf(store, accountId));
  });
}

async function tableOf(store: Store, accountId: string): Promise<CsvTable<EvaluationRecord>> {
  const { scored, costed } = await evaluatedModels(store, accountId);
  const costs = scored.filter((model) => costed.has(model));
  return {
    name: 'evaluations',
    // a name of a model may itself end in `/cost`, so each column says what it holds
    columns: [
      'prompt',
      ...scored.map((model) => `${model}/score`),
      ...costs.map((model) => `${model}/cost`),
    ],
    row: (one): Cell[] => [
      one.prompt,
      ...scored.map((model) => one.scores[model]),
      ...costs.map((model) => one.costs[model]),
    ],
    read: (page) => store.evaluations.whole(accountId, page),
  };
}

/** `POST /api/v1/evaluations`. */
export function createEvaluation(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const asked = req.body as EvaluationRequest;
    const added = await addEvaluation(parts, callerOf(res).accountId, asked);
    sendJson(res, 201, shownEvaluation(added));
  });
}

/** `GET /api/v1/evaluations/{id}`. */
export function readEvaluation(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const evaluation = await oneEvaluation(parts, callerOf(res).accountId, idOf(req));
    sendJson(res, 200, shownEvaluation(evaluation));
  });
}

/** `PATCH /api/v1/evaluations/{id}`. */
export function changeEvaluation(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { scores } = req.body as { readonly scores: FigureChanges };
    const { accountId } = callerOf(res);
    const changed = await changeScores(parts, accountId, idOf(req), scores);
    sendJson(res, 200, shownEvaluation(changed));
  });
}

/** `DELETE /api/v1/evaluations/{id}`. */
export function removeEvaluation(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    await dropEvaluation(parts, callerOf(res).accountId, idOf(req));
    res.status(204).end();
  });
}
