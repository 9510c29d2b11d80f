import type { RequestHandler } from 'express';
import { makeUsage } from '../completion.js';
import { Cancellation } from '../dispatch/cancellation.js';
import { embed } from '../dispatch/embed.js';
import { GatewayError, invalidField } from '../errors.js';
import { forbiddenReason } from '../routing/access-rules.js';
import { keepText } from '../telemetry/requests/kept-content.js';
import { costOf } from '../routing/cost.js';
import type { Candidate } from '../routing/plan.js';
import { boundEmbedding, estimateInput } from '../pipeline/reserve-embedding.js';
import { callerOf, contextOf, type RequestContext } from './context.js';
import type { Parts } from './parts.js';
import { candidateOf, limitsOf } from '../pipeline/plan-request.js';
import type { GatewaySnapshot } from '../pipeline/snapshot.js';
import { sendJson } from './send-json.js';
import { stage } from './stage.js';

/** Answers `POST /v1/embeddings`: one model, its retries, no other model, since vectors of different models do not compare. */
export function createEmbeddings(parts: Parts): RequestHandler {
  return stage(async (req, res): Promise<'answered'> => {
    const context = contextOf(res);
    const runtime = (context.runtime ??= parts.current());
    const { model: label, ...body } = req.body as { model: string; [field: string]: unknown };
    const candidate = candidateOf(label);
    const provider = runtime.providers.get(candidate.provider ?? '');
    if (!provider)
      throw invalidField(
        'model',
        `provider ${JSON.stringify(candidate.provider)} is not configured`,
        'bad_request',
      );
    const forbidden = forbiddenReason(candidate, {
      allow: runtime.routing.allow,
      deny: runtime.routing.deny,
      keyModels: context.caller?.models ?? null,
    });
    if (forbidden !== null) throw invalidField('model', forbidden, 'bad_request');
    if (!provider.adapter.embeddings)
      throw new GatewayError('not_implemented', `model: ${provider.name} has no embeddings`, {
        field: 'model',
      });
    if (runtime.requestLog.enabled && runtime.requestLog.content)
      context.record.content = keepText(body['input']);
    const cancellation = new Cancellation();
    res.once('close', () =>
      cancellation.cancel(new GatewayError('client_closed', 'the client left')),
    );
    const settle = await boundEmbedding(parts, res, runtime, candidate, body);
    try {
      const outcome = await embed({
        provider,
        model: candidate.model,
        body,
        limits: limitsOf(runtime, null),
        cancellation,
        onAttempt: (attempt) => {
          context.record.attempts.push(attempt);
          runtime.onAttempt(attempt);
        },
      });
      account(
        context,
        runtime,
        candidate,
        outcome.promptTokens ?? estimateInput(callerOf(res), body),
      );
      sendJson(res, 200, outcome.answer as object);
    } catch (error) {
      // whoever leaves while a provider is at work has used it all the same
      if (context.record.attempts.at(-1)?.outcome === 'client_closed')
        account(context, runtime, candidate, estimateInput(callerOf(res), body));
      throw error;
    } finally {
      settle();
    }
    return 'answered';
  });
}

/** Puts down who answered and what it took. */
function account(
  { record }: RequestContext,
  runtime: GatewaySnapshot,
  { provider, model }: Candidate,
  promptTokens: number,
): void {
  const usage = makeUsage({ promptTokens });
  const costUsd = costOf(usage, runtime.catalog.lookup(provider, model)).total_tokens_cost;
  Object.assign(record, {
    provider,
    model,
    promptTokens: usage.promptTokens,
    completionTokens: 0,
    costUsd,
  });
}
