import { budgetOwner, hasTokenLimit } from '../accounts/caller-limits.js';
import type { Caller } from '../accounts/caller.js';
import { makeUsage } from '../completion.js';
import { callEmbedding } from '../dispatch/embed.js';
import type { Provider } from '../dispatch/provider.js';
import { GatewayError, invalidField } from '../errors.js';
import { forbiddenReason } from '../routing/access-rules.js';
import { costOf } from '../routing/cost.js';
import { bytesPerToken, maxCostUsd, maxPromptTokens } from '../routing/max-cost.js';
import type { Candidate } from '../routing/plan.js';
import { estimateTokens } from '../routing/tokens.js';
import { keepText } from '../telemetry/requests/kept-content.js';
import { isBounded, type Settle, takeLimits, unbounded } from './limits.js';
import type { Parts } from './parts.js';
import { candidateOf, limitsOf, unconfigured } from './plan-request.js';
import type { GatewayRequest } from './request.js';
import { unpricedReason } from './reserve-completion.js';

/** OpenAI's body of an embedding, with the model's label `<provider>/<model>`. */
export interface EmbeddingCall {
  readonly model: string;
  readonly [field: string]: unknown;
}

/**
 * Makes embeddings with one model and its retries; no other model takes over, since vectors of
 * different models do not compare.
 * @returns OpenAI's shape
 * @throws GatewayError `model_not_found` for a model that nobody has, `bad_request` for one that
 * the caller may not use or that makes no embeddings, and the errors of limits and attempts
 */
export async function embed(
  parts: Parts,
  request: GatewayRequest,
  { model: label, ...body }: EmbeddingCall,
): Promise<unknown> {
  const { snapshot, caller, record } = request;
  const candidate = candidateOf(label);
  request.asked = candidate;
  request.prompt = body['input'];
  const provider = embeddingProvider(request, candidate);
  if (snapshot.requestLog.enabled && snapshot.requestLog.content)
    record.content = keepText(body['input']);
  const settle = await reserveEmbedding(parts, request, candidate, body);
  try {
    const outcome = await callEmbedding({
      provider,
      model: candidate.model,
      body,
      limits: limitsOf(snapshot, null),
      cancellation: request.cancellation,
      onAttempt: (attempt) => {
        record.attempts.push(attempt);
        snapshot.onAttempt(attempt);
      },
    });
    account(request, candidate, outcome.promptTokens ?? estimateInput(caller, body));
    return outcome.answer;
  } catch (error) {
    // the provider worked for a client that left, and charges for it
    if (record.attempts.at(-1)?.outcome === 'client_closed')
      account(request, candidate, estimateInput(caller, body));
    throw error;
  } finally {
    settle();
  }
}

/**
 * The provider of the model. @throws GatewayError if it cannot be used, or makes no embeddings
 */
function embeddingProvider({ snapshot, caller }: GatewayRequest, candidate: Candidate): Provider {
  const provider = snapshot.providers.get(candidate.provider ?? '');
  if (!provider)
    throw new GatewayError('model_not_found', `model: ${unconfigured(snapshot, candidate) ?? ''}`, {
      field: 'model',
    });
  const { allow, deny } = snapshot.routing;
  const forbidden = forbiddenReason(candidate, { allow, deny, keyModels: caller.models });
  if (forbidden !== null) throw invalidField('model', forbidden, 'bad_request');
  if (!provider.adapter.embeddings)
    throw invalidField('model', `provider ${provider.name} has no embeddings`, 'bad_request');
  return provider;
}

/**
 * Estimated tokens of the input. For bounded callers every byte counts, not samples of a long text.
 */
function estimateInput(caller: Caller, body: Readonly<Record<string, unknown>>): number {
  const text = JSON.stringify(body['input'] ?? '');
  return Math.max(
    estimateTokens(text),
    isBounded(caller) ? Math.ceil(Buffer.byteLength(text) / bytesPerToken) : 0,
  );
}

/** Reserves what the input may use at most; an embedding writes no tokens. */
async function reserveEmbedding(
  parts: Parts,
  request: GatewayRequest,
  { provider, model }: Candidate,
  body: Readonly<Record<string, unknown>>,
): Promise<Settle> {
  const { caller, snapshot } = request;
  if (!isBounded(caller)) return unbounded;
  const tokens = hasTokenLimit(caller) ? estimateInput(caller, body) : null;
  const owner = budgetOwner(caller);
  if (owner === null) return takeLimits(parts, request, { requests: 1, tokens, costUsd: null });
  const costUsd = maxCostUsd(
    { promptTokens: maxPromptTokens({ messages: [], body }), completionTokens: 0 },
    snapshot.catalog.lookup(provider, model),
  );
  if (costUsd === null && !snapshot.budgets.allowUnpriced)
    throw invalidField('model', unpricedReason(owner), 'bad_request');
  return takeLimits(parts, request, { requests: 1, tokens, costUsd: costUsd ?? 0 });
}

/** Records who answered and what it took. */
function account(
  { record, snapshot }: GatewayRequest,
  { provider, model }: Candidate,
  promptTokens: number,
): void {
  const usage = makeUsage({ promptTokens });
  const costUsd = costOf(usage, snapshot.catalog.lookup(provider, model)).total_tokens_cost;
  Object.assign(record, {
    provider,
    model,
    promptTokens: usage.promptTokens,
    completionTokens: 0,
    costUsd,
  });
}
