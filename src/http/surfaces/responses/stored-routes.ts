import { type Request, type RequestHandler, type Response, Router } from 'express';
import { pageRequestOf } from '../../../api/page-request.js';
import { compileSchema } from '../../../config/schema/compile-schema.js';
import { GatewayError, invalidField } from '../../../errors.js';
import { measureRequest } from '../../../models/tokens.js';
import type { GatewayParts } from '../../../pipeline/engine/gateway-parts.js';
import type { ResponseRecord } from '../../../store/contracts/responses.js';
import { authenticate } from '../../authenticate.js';
import { bodyLimits } from '../../bodies/body-limits.js';
import { methodNotAllowed, validate } from '../../bodies/validate.js';
import { contextOf } from '../../context.js';
import { cancelStream, resumeStream } from '../../resume/resume-stream.js';
import { sendJson } from '../../send-json.js';
import { answer } from '../../stage.js';
import { track } from '../../track.js';
import { asResponses } from '../foreign-words.js';
import { listedPage } from '../listed-page.js';
import { openAIErrors } from '../openai-error.js';
import type { Json } from '../../../text/is-object.js';
import { jsonList, type ResponsesBody } from './body.js';
import { joinResponse, parseStored } from './join-response.js';
import { chatOf } from './read-call.js';

const one = '/v1/responses/:id';
const itemsOfOne = `${one}/input_items`;
const cancelOne = `${one}/cancel`;
const idIn = ({ params }: Request): string => String(params['id']);

/** What clients ask about responses that are stored, or that they have not sent yet. */
export function responseRoutes(parts: GatewayParts): Router {
  const tracked = track(parts, openAIErrors('resources'));
  const access = [tracked, authenticate(parts, { scope: 'completions', browsers: true })];
  return Router()
    .post(
      '/v1/responses/input_tokens',
      ...access,
      validate(parts, compileSchema('responses.request'), asResponses),
      countTokens(parts),
    )
    .all('/v1/responses/input_tokens', ...access, methodNotAllowed('POST'))
    .get(one, ...access, read(parts))
    .delete(one, ...access, remove(parts))
    .all(one, ...access, methodNotAllowed('GET, DELETE'))
    .get(itemsOfOne, ...access, listItems(parts))
    .all(itemsOfOne, ...access, methodNotAllowed('GET'))
    .post(cancelOne, ...access, cancel(parts))
    .all(cancelOne, ...access, methodNotAllowed('POST'));
}

const read = (parts: GatewayParts): RequestHandler =>
  answer(async (req, res) => {
    if (req.query['stream'] === 'true') {
      await resumeStream(parts, req, res, {
        surface: openAIErrors('resources'),
        firstId: 0,
        lastId: req.query['starting_after'] ?? req.headers['last-event-id'],
        field: 'starting_after',
      });
      return;
    }
    const { response } = await stored(parts, req, res);
    sendJson(res, 200, Buffer.from(response));
  });

const remove = (parts: GatewayParts): RequestHandler =>
  answer(async (req, res) => {
    const { accountId } = contextOf(parts, res).request.caller;
    const id = idIn(req);
    if (!(await parts.state.responses.remove(accountId, id))) throw notFound();
    sendJson(res, 200, { id, object: 'response', deleted: true });
  });

/** An item as OpenAI lists it, also where the client wrote a message in its short form. */
function asListed(item: Json, id: string, index: number): Json {
  const { role, content, type = 'message' } = item;
  const listed = { id: `${id}_${index}`, type, ...item };
  if (type !== 'message' || typeof content !== 'string') return listed;
  const part = role === 'assistant' ? 'output_text' : 'input_text';
  return { ...listed, content: [{ type: part, text: content }] };
}

/** The input of the request alone, not of those before it; the last item first unless asked. */
const listItems = (parts: GatewayParts): RequestHandler =>
  answer(async (req, res) => {
    const { id, input } = await stored(parts, req, res);
    const { order = 'desc', after } = req.query;
    const { limit } = pageRequestOf(req, { code: 'bad_request' });
    if (order !== 'asc' && order !== 'desc')
      throw invalidField('order', 'must be asc or desc', 'bad_request');
    const [items] = await parseStored([input], bodyLimits(parts, res));
    const all = jsonList(items).map((item, index) => asListed(item, id, index));
    if (order !== 'asc') all.reverse();
    sendJson(res, 200, { object: 'list', ...listedPage(all, { after, limit }) });
  });

/** An estimate, as for every model that the gateway plans with. */
const countTokens = (parts: GatewayParts): RequestHandler =>
  answer(async (req, res) => {
    const { request } = contextOf(parts, res);
    const body = await joinResponse(parts, request, req.body as ResponsesBody, res);
    const { messages, tools } = chatOf(body);
    const { tokens } = measureRequest(messages, tools ?? []);
    sendJson(res, 200, { object: 'response.input_tokens', input_tokens: tokens });
  });

/** A stream that goes on without its client is what there is of OpenAI's background mode. */
const cancel = (parts: GatewayParts): RequestHandler =>
  answer(async (req, res) => {
    if (!(await cancelStream(parts, req, res))) {
      const reason =
        'only streams that can be resumed can be cancelled; close the connection instead';
      throw new GatewayError('bad_request', reason);
    }
    sendJson(res, 200, { id: idIn(req), object: 'response', status: 'cancelled', output: [] });
  });

async function stored(parts: GatewayParts, req: Request, res: Response): Promise<ResponseRecord> {
  const { accountId } = contextOf(parts, res).request.caller;
  const found = await parts.state.responses.find(accountId, idIn(req));
  if (!found) throw notFound();
  return found;
}

const notFound = (): GatewayError => new GatewayError('not_found', 'no such response is stored');
