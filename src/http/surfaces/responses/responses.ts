import type { ResponseTurn } from '../../../conversations/response-keeper.js';
import { GatewayError } from '../../../errors.js';
import { asResponses } from '../foreign-words.js';
import { openAIErrors } from '../openai-error.js';
import type { AnsweredCall, CompletionSurface } from '../surface.js';
import { itemsOf, type ResponsesBody } from './body.js';
import { Envelope } from './envelope.js';
import { joinResponse } from './join-response.js';
import { readCall } from './read-call.js';
import { ResponsesReply } from './responses-reply.js';
import { ResponsesStream } from './responses-stream.js';

/** OpenAI's Responses. */
export const responses: CompletionSurface = {
  ...openAIErrors('responses'),
  dialect: 'responses',
  router: 'openai',
  path: '/v1/responses',
  schema: 'responses',
  described: {
    id: 'createResponse',
    summary: "Answer a conversation, in the shape of OpenAI's Responses",
    description:
      "For Codex and for OpenAI's SDKs: their base URL is this gateway's with `/v1`. Providers that speak this dialect get the body as it is; for all others it is translated.",
    example: { model: 'auto', input: 'Why is the sky blue?' },
    answer: "OpenAI's response, or its events.",
    notFound: 'The model or the previous response does not exist.',
    errorSchema: 'openai-error',
  },
  adapt: asResponses,
  begin: (parts, request, sent, res) => joinResponse(parts, request, sent as ResponsesBody, res),
  // the client knows the ids of turns that the gateway keeps
  streamId: ({ responseTurn: turn }) => (turn?.stores ? turn.id : null),
  firstEventId: 0,
  readCall: (body, sent) => readCall(body as ResponsesBody, sent),
  writer(answered) {
    const { turn, envelope } = begun(answered);
    const { res, request, stream } = answered;
    return stream
      ? new ResponsesStream(stream, turn, envelope, request.plan?.candidates[0].model ?? '')
      : new ResponsesReply(res, turn, envelope);
  },
};

/** Sums up a conversation, for one that goes on with less. */
export const compactResponses: CompletionSurface = {
  ...responses,
  path: '/v1/responses/compact',
  described: {
    ...responses.described,
    id: 'compactResponse',
    summary: 'Sum up a conversation',
    description:
      'Answers with one item, which stands in place of the conversation in later input. It is opaque: only this gateway, or OpenAI where that made it, reads it.',
    answer: 'The summary as an item of input.',
  },
  begin(parts, request, sent, res) {
    const body = sent as ResponsesBody;
    const input = [...itemsOf(body), { type: 'compaction_trigger' }];
    return joinResponse(parts, request, { ...body, input, stream: false, store: false }, res);
  },
  writer(answered) {
    const { turn, envelope } = begun(answered);
    return new ResponsesReply(
      answered.res,
      turn,
      envelope,
      ({ id, created_at, output, usage }) => ({
        ...{ id, object: 'response.compaction', created_at, output, usage },
      }),
    );
  },
};

function begun(answered: AnsweredCall): { turn: ResponseTurn; envelope: Envelope } {
  const { responseTurn: turn } = answered.request;
  if (!turn) throw new GatewayError('internal', 'no response was begun');
  return { turn, envelope: new Envelope(turn, answered) };
}
