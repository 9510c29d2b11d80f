import type { RequestHandler } from 'express';
import { askForTokens } from '../../../dispatch/ask-once.js';
import type { Candidate } from '../../../chooser/plan.js';
import { GatewayError } from '../../../errors.js';
import { measureRequest } from '../../../models/tokens.js';
import type { GatewayParts } from '../../../pipeline/engine/gateway-parts.js';
import type { GatewayRequest } from '../../../pipeline/request.js';
import { cancelWhenClosed, requestOf } from '../../context.js';
import { dialectHeaders } from '../../passthrough/headers.js';
import { sendJson } from '../../send-json.js';
import { answer } from '../../stage.js';
import { omit } from '../../../text/is-object.js';
import { chatRequest } from './chat-request.js';
import { notForwarded, originalOf } from './forwarded-body.js';
import type { MessagesRequest } from './request.js';

/**
 * `POST /v1/messages/count_tokens`: as the provider of the model counts, where it speaks Messages;
 * else, and where that fails, an estimate. Takes nothing of any limit; a provider is asked as often a
 * minute as the caller may send requests.
 */
export function countTokens(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const request = requestOf(res);
    const body = omit(req.body as MessagesRequest, notForwarded) as MessagesRequest;
    const candidate = candidateOf(request, body.model);
    const provider = request.snapshot.providers.get(candidate.provider ?? '');
    cancelWhenClosed(request, res);
    const { query, headers } = req;
    const original = originalOf(body, { query, headers: dialectHeaders(headers) });
    const counted =
      provider &&
      (await mayAsk(parts, request)) &&
      (await parts.state.running
        .run(request.cancellation, () =>
          askForTokens(provider, candidate, original, request.cancellation),
        )
        .catch(() => null));
    if (request.cancellation.reason) throw request.cancellation.reason;
    sendJson(res, 200, { input_tokens: counted || estimateOf(body) });
  });
}

/** Counts a question to a provider, apart from the requests that call a model. */
async function mayAsk({ state }: GatewayParts, { caller }: GatewayRequest): Promise<boolean> {
  const keyId = caller.keyId && `count:${caller.keyId}`;
  const asker = { ...caller, accountId: `count:${caller.accountId}`, keyId };
  const question = { requests: 1, tokens: null, costUsd: null };
  const asked = await state.limits.reserve(asker, question);
  if (asked.outcome === 'granted') asked.settle(question);
  return asked.outcome === 'granted';
}

function estimateOf(body: MessagesRequest): number {
  const { messages, tools } = chatRequest(body);
  return measureRequest(messages, tools ?? []).tokens;
}

/** @throws GatewayError `model_not_found` if the caller may use no model of that name */
function candidateOf({ snapshot, caller }: GatewayRequest, model: string): Candidate {
  const { names, directory } = snapshot;
  const named = names.candidatesOf(model === 'auto' ? directory.auto() : [model], caller.models);
  const reasons = named.map(
    (one) => names.unknownReason(one, caller.models) ?? names.forbiddenReason(one, caller.models),
  );
  const usable = named.find((_one, index) => reasons[index] === null);
  if (usable) return usable;
  throw new GatewayError('model_not_found', `model: ${reasons[0] ?? 'not found'}`, {
    field: 'model',
  });
}
