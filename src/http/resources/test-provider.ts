import type { RequestHandler } from 'express';
import { invalidField } from '../../errors.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { testedModel, testProvider } from '../../api/providers/test-provider.js';
import { idOf } from '../../api/page-request.js';
import { contextOf } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';
import { openai } from '../surfaces/openai.js';
import { providerNotFound } from './providers.js';

const messages = [{ role: 'user', content: 'Answer with the word OK.' }];
/** Enough for models that think before they answer. */
const max_completion_tokens = 64;

/**
 * `POST /api/v1/providers/{name}/test`: sends one tiny request to a model of the provider, which is
 * a request of the caller's own.
 */
export function runProviderTest(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const { snapshot, caller } = contextOf(parts, res).request;
    const name = idOf(req, 'name');
    if (!snapshot.providers.has(name)) throw providerNotFound();
    const { model } = req.body as { model?: string | null };
    const label =
      model === undefined || model === null
        ? testedModel(parts, snapshot, name, caller.models)
        : `${name}/${model}`;
    if (label === null) throw invalidField('model', 'name one: the provider lists no chat model');
    const call = openai.readCall({ model: label, messages, max_completion_tokens });
    sendJson(res, 200, {
      object: 'provider_test',
      provider: name,
      ...(await testProvider(parts, caller, label, call)),
    });
  });
}
