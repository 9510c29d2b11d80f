import type { Chooser } from '../chooser/chooser.js';
import { invalidField } from '../errors.js';
import type { FeedbackRow } from '../store/contracts/requests.js';
import { type Call, endpointsOf, type Endpoint } from './endpoint.js';
import { listOf, pageRequestOf } from './page-request.js';
import { shownFieldsOf } from './shown-fields.js';

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

const endpoint = endpointsOf({ tag: 'Feedback' });
const path = '/api/v1/feedback';
const response = 'feedback.response';

const listFeedback = endpoint('get', path, 'listFeedback', {
  summary: "List the account's feedback, newest first",
  response,
  isList: true,
  scope: 'admin',
  async run(call: Call) {
    const page = pageRequestOf(call);
    const { store } = await call.parts.state.opened();
    return listOf(await store.feedback.list(call.caller.accountId, page), shownFeedback);
  },
});

/** Answers after the feedback is stored. */
const giveFeedback = endpoint('post', path, 'giveFeedback', {
  summary: 'Rate a model selection or an answer',
  request: 'feedback.request',
  example: { response_id: 'RESPONSE_MESSAGE_ID', score: 1, comment: 'A clear answer.' },
  response,
  status: 201,
  errors: { 404: 'The rated decision, answer or request does not exist.' },
  async run({ parts, caller, body }: Call<FeedbackRequest>) {
    const { score, comment, provider, model } = body;
    const row = await parts.state.chooser.rate(caller, {
      subject: subjectOf(body),
      score: Number(score),
      comment,
      provider,
      model,
    });
    return shownFeedback(row);
  },
});

/** Ratings of decisions and answers. */
export const feedbackEndpoints: readonly Endpoint[] = [listFeedback, giveFeedback];

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

const shownFeedback = ({ sessionId, responseId, tokensPerSecond, ...row }: FeedbackRow) => ({
  object: 'feedback',
  ...shownFieldsOf(row, ['id', 'at']),
  session_id: sessionId,
  response_id: responseId,
  ...shownFieldsOf(row, ['provider', 'model', 'score', 'comment']),
  tokens_per_second: tokensPerSecond,
  keyId: row.keyId,
});
