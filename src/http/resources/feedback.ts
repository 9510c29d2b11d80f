import type { RequestHandler } from 'express';
import { invalidField } from '../../errors.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { Chooser } from '../../chooser/chooser.js';
import type { FeedbackRow } from '../../store/contracts/requests.js';
import { callerOf } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { isoOrNull, listOf, pageRequestOf } from '../../api/page-request.js';

/** The body of `POST /api/v1/feedback`, as its schema accepts it. */
interface FeedbackRequest {
  session_id?: string | null;
  response_id?: string | null;
  request_id?: string | null;
  score: number | boolean;
  comment?: string | null;
  provider?: string | null;
  model?: string | null;
}

/** `POST /api/v1/feedback`: answers after the feedback is stored. */
export function giveFeedback(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const body = req.body as FeedbackRequest;
    const { score, comment, provider, model } = body;
    const row = await parts.state.chooser.rate(callerOf(res), {
      subject: subjectOf(body),
      score: Number(score),
      comment,
      provider,
      model,
    });
    sendJson(res, 201, shownFeedback(row));
  });
}

/** `GET /api/v1/feedback`: the account's feedback, newest first. */
export function listFeedback(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const page = pageRequestOf(req);
    const { store } = await parts.state.opened();
    sendJson(
      res,
      200,
      listOf(await store.feedback.list(callerOf(res).accountId, page), shownFeedback),
    );
  });
}

function subjectOf(body: FeedbackRequest): Parameters<Chooser['rate']>[1]['subject'] {
  const subjects = (['session', 'response', 'request'] as const).flatMap((kind) => {
    const id = body[`${kind}_id`];
    return typeof id === 'string' ? [{ kind, id }] : [];
  });
  const [subject] = subjects;
  if (!subject || subjects.length > 1)
    throw invalidField(
      subjects[1] ? `${subjects[1].kind}_id` : 'session_id',
      'send exactly one of session_id, response_id and request_id',
    );
  return subject;
}

function shownFeedback({
  id,
  at,
  sessionId,
  responseId,
  provider,
  model,
  score,
  comment,
  tokensPerSecond,
  keyId,
}: FeedbackRow): object {
  return {
    object: 'feedback',
    id,
    at: isoOrNull(at),
    session_id: sessionId,
    response_id: responseId,
    provider,
    model,
    score,
    comment,
    tokens_per_second: tokensPerSecond,
    keyId,
  };
}
