import { randomUUID } from 'node:crypto';
import type { ResponseKeeper } from '../../../conversations/response-keeper.js';
import { GatewayError, invalidField } from '../../../errors.js';
import type { GatewayParts } from '../../../pipeline/engine/gateway-parts.js';
import type { GatewayRequest } from '../../../pipeline/request.js';
import { parseExactJson } from '../../../text/exact-json.js';
import { type Json, textIn } from '../../../text/is-object.js';
import { itemsOf, jsonList, type ResponsesBody, typeOf } from './body.js';
import { summaryMessage } from './compaction.js';
import { withOwnTools } from './flat-tools.js';

/** What the gateway cannot do for any provider, and why. */
const unsupported: Readonly<Record<string, string>> = {
  background: 'the gateway answers while the client waits; send the request without it',
  prompt: 'templates are stored at OpenAI; send their text as `instructions` and `input`',
  conversation: 'the gateway keeps no conversations of OpenAI; use `previous_response_id`',
};

const unsupportedFields = Object.keys(unsupported);

/**
 * Begins the turn of a request: sets `request.responseTurn`.
 * @returns the body with its tools as this dialect has them, and what it refers to in place: earlier
 *   responses, items, summaries
 * @throws GatewayError `bad_request` for what is not stored, or not supported
 */
export async function joinResponse(
  { state: { responses } }: GatewayParts,
  request: GatewayRequest,
  given: ResponsesBody,
): Promise<ResponsesBody> {
  const sent = withOwnTools(given);
  const field = unsupportedFields.find((name) => sent[name]);
  if (field !== undefined)
    throw invalidField(field, `is not supported: ${unsupported[field] ?? ''}`, 'bad_request');
  const { caller, snapshot, record } = request;
  const { accountId } = caller;
  const stores = snapshot.conversations.store && sent.store !== false;
  if (stores) responses.prepare(accountId);
  const previousId = sent.previous_response_id ?? null;
  const items = itemsOf(sent);
  const own = await resolved(responses, accountId, items);
  const earlier = previousId === null ? [] : await history(responses, accountId, previousId);
  const isAsSent = own === items && earlier.length === 0;
  const body: ResponsesBody = isAsSent ? sent : { ...sent, input: [...earlier, ...own] };
  const id = `resp_${randomUUID().replaceAll('-', '')}`;
  const isCompaction = own.some((item) => typeOf(item) === 'compaction_trigger');
  request.responseTurn = {
    id,
    previousId,
    body,
    stores,
    keep: (response) => responses.save(accountId, { id, previousId }, own, response),
    seal: isCompaction ? await responses.sealer(accountId) : null,
  };
  record.responseId = id;
  return body;
}

/** Input and output of all responses that a request continues. */
async function history(
  responses: ResponseKeeper,
  accountId: string,
  id: string,
): Promise<readonly Json[]> {
  const chain = await responses.chain(accountId, id);
  if (chain === null)
    throw new GatewayError('bad_request', 'previous_response_id: no such response is stored', {
      field: 'previous_response_id',
      clientError: {
        code: 'previous_response_not_found',
        param: 'previous_response_id',
        type: 'invalid_request_error',
      },
    });
  return chain.flatMap(({ input, response }) => [
    ...jsonList(parseExactJson(input)),
    ...jsonList((parseExactJson(response) as Json)['output']),
  ]);
}

/** The items with those that they refer to, and with the gateway's own summaries opened. */
async function resolved(
  responses: ResponseKeeper,
  accountId: string,
  items: readonly Json[],
): Promise<readonly Json[]> {
  const isReference = (item: Json): boolean => typeOf(item) === 'item_reference';
  if (!items.some((item) => isReference(item) || typeOf(item) === 'compaction')) return items;
  const ids = items.filter(isReference).map(({ id }) => textIn(id));
  const known = await responses.items(accountId, ids);
  return Promise.all(
    items.map(async (item, index) => {
      if (isReference(item)) {
        const found = known.get(textIn(item['id']));
        if (found) return found;
        const reason = 'no stored response has this item; send the item itself';
        throw invalidField(`input[${index}]`, reason, 'bad_request');
      }
      if (typeOf(item) !== 'compaction') return item;
      const summary = await responses.open(accountId, item['encrypted_content']);
      return summary === null ? item : summaryMessage(summary);
    }),
  );
}
