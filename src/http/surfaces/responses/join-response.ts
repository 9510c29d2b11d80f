import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { outputOf, type ResponseKeeper } from '../../../conversations/response-keeper.js';
import { GatewayError, invalidField } from '../../../errors.js';
import type { GatewayParts } from '../../../pipeline/engine/gateway-parts.js';
import type { GatewayRequest } from '../../../pipeline/request.js';
import { type Json, textIn } from '../../../text/is-object.js';
import { type BodyLimits, bodyLimits } from '../../bodies/body-limits.js';
import { parseBody } from '../../bodies/parse-body.js';
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

/** A request may refer to as many items. */
const maxReferences = 10_000;

/**
 * Parses stored JSON as if it had come with the body: in turns, and within the bounds of a body.
 * @throws GatewayError as `readJsonBody`
 */
export async function parseStored(
  stored: readonly string[],
  { hold, maxValues }: Pick<BodyLimits, 'hold' | 'maxValues'>,
): Promise<readonly unknown[]> {
  if (stored.length === 0) return [];
  // as fields, because long lists are cut where they are fields
  const json = Buffer.from(`{${stored.map((one, at) => `"${at}":${one}`).join(',')}}`);
  hold(json.length);
  return Object.values((await parseBody(json, maxValues)) as Json);
}

/**
 * Begins the turn of a request: sets `request.responseTurn`.
 * @returns the body with its tools as this dialect has them, and what it refers to in place: earlier
 *   responses, items, summaries
 * @throws GatewayError `bad_request` for what is not stored, or not supported; `payload_too_large`
 * and others for references to more than a body may have
 */
export async function joinResponse(
  parts: GatewayParts,
  request: GatewayRequest,
  given: ResponsesBody,
  res: ServerResponse,
): Promise<ResponsesBody> {
  const limits = bodyLimits(parts, res);
  const sent = withOwnTools(given);
  const field = unsupportedFields.find((name) => sent[name]);
  if (field !== undefined)
    throw invalidField(field, `is not supported: ${unsupported[field] ?? ''}`, 'bad_request');
  const { caller, snapshot } = request;
  const { accountId } = caller;
  const { responses } = parts.state;
  const stores = snapshot.conversations.store && sent.store !== false;
  if (stores) responses.prepare(accountId);
  const previousId = sent.previous_response_id ?? null;
  const items = itemsOf(sent);
  const own = await resolved(responses, accountId, items, limits);
  const earlier =
    previousId === null ? [] : await history(responses, accountId, previousId, limits);
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
  return body;
}

/** Input and output of all responses that a request continues. */
async function history(
  responses: ResponseKeeper,
  accountId: string,
  id: string,
  limits: BodyLimits,
): Promise<readonly Json[]> {
  const chain = await responses.chain(accountId, id, limits.maxBytes);
  if (chain === null)
    throw new GatewayError('bad_request', 'previous_response_id: no such response is stored', {
      field: 'previous_response_id',
      clientError: {
        code: 'previous_response_not_found',
        param: 'previous_response_id',
        type: 'invalid_request_error',
      },
    });
  const parts = chain.flatMap(({ input, response }) => [input, response]);
  const parsed = await parseStored(parts, limits);
  return parsed.flatMap((one) => jsonList(Array.isArray(one) ? one : (one as Json)['output']));
}

/** The items with those that they refer to, and with the gateway's own summaries opened. */
async function resolved(
  responses: ResponseKeeper,
  accountId: string,
  items: readonly Json[],
  limits: BodyLimits,
): Promise<readonly Json[]> {
  const isReference = (item: Json): boolean => typeOf(item) === 'item_reference';
  if (!items.some((item) => isReference(item) || typeOf(item) === 'compaction')) return items;
  const ids = items.filter(isReference).map(({ id }) => textIn(id));
  const uses = new Set(ids);
  // as OpenAI: a short body could otherwise name a long item again and again
  if (uses.size < ids.length || uses.size > maxReferences)
    throw invalidField(
      'input',
      `must refer to each item once, and to ${maxReferences} at most`,
      'bad_request',
    );
  const referred = await responses.withItems(accountId, ids, limits.maxBytes);
  const found = (await parseStored(referred, limits)).flatMap((one) => outputOf(one as Json));
  const known = new Map(found.map((item) => [String(item['id']), item]));
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
