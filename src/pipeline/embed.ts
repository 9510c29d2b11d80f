import {
  budgetOwner,
  hasBudget,
  hasTokenLimit,
  isLimited,
  type LimitOwner,
} from '../accounts/caller-limits.js';
import type { Caller } from '../accounts/caller.js';
import { makeUsage, type Usage } from '../completion.js';
import { callEmbedding } from '../dispatch/embed.js';
import type { Provider } from '../dispatch/provider.js';
import { GatewayError, invalidField } from '../errors.js';
import { unpricedEmbeddingField } from '../providers/unpriced-fields.js';
import { forbiddenReason } from '../models/access-rules.js';
import { costOf } from '../models/cost.js';
import { bytesPerToken, maxCostUsd, maxPromptTokens } from '../models/max-cost.js';
import type { ModelFacts } from '../models/model-facts.js';
import type { Candidate } from '../chooser/plan.js';
import { estimateTokens } from '../models/tokens.js';
import { keepText } from '../telemetry/requests/kept-content.js';
import { reserveLimits } from './limits.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import { withAdvice } from './engine/model-names.js';
import { limitsOf } from './plan-request.js';
import type { GatewayRequest } from './request.js';
import { type AttemptUse, type AttemptUses, RequestReservation } from './request-reservation.js';
import { unpricedFieldReason, unpricedReason } from './unbounded-reason.js';

/** OpenAI's body of an embedding, with the model's label `<provider>/<model>`. */
export interface EmbeddingCall {
  readonly model: string;
  readonly [field: string]: unknown;
}

/**
 * Makes embeddings with one model and its retries; no other model takes over, since vectors of
 * different models do not compare.
 * @returns OpenAI's shape
 * @throws GatewayError `model_not_found` for an unknown model, `bad_request` for one that
 * the caller may not use or that makes no embeddings, and the errors of limits and attempts
 */
export async function embed(
  parts: GatewayParts,
  request: GatewayRequest,
  { model: label, ...body }: EmbeddingCall,
): Promise<unknown> {
  const { snapshot, caller, record } = request;
  const [candidate, provider] = embeddingModel(request, label);
  request.prompt = body['input'];
  if (snapshot.requestLog.enabled && snapshot.requestLog.content)
    record.content = keepText(body['input']);
  const reservation = await reserveEmbedding(parts, request, candidate, body);
  const estimated = (): Usage =>
    makeUsage({ promptTokens: estimateInput(caller, body), estimated: true });
  try {
    const { cancellation } = request;
    const outcome = await parts.state.running.run(cancellation, () =>
      callEmbedding({
        provider,
        model: candidate.model,
        body,
        limits: limitsOf(snapshot, null),
        cancellation,
        onAttempt: (attempt, failed) => {
          record.attempts.push(attempt);
          snapshot.onAttempt(attempt);
          reservation?.ended(attempt, failed);
        },
        ...(reservation ? { admit: reservation.admit } : {}),
      }),
    );
    const { promptTokens } = outcome;
    const usage = promptTokens === null ? estimated() : makeUsage({ promptTokens });
    reservation?.answered(usage);
    account(request, candidate, usage);
    return outcome.answer;
  } catch (error) {
    // the provider worked for a client that left, and charges for it
    if (record.attempts.at(-1)?.outcome === 'client_closed')
      account(request, candidate, estimated());
    if (error instanceof GatewayError)
      throw withAdvice(error, snapshot.names, candidate, caller.models);
    throw error;
  } finally {
    reservation?.settle();
  }
}

/**
 * The model that a name stands for, and its provider: of an alias with several targets, the first
 * that can be used. @throws GatewayError for the first where none can
 */
function embeddingModel(request: GatewayRequest, name: string): [Candidate, Provider] {
  const candidates = request.snapshot.names.candidatesOf([name]);
  request.asked = candidates[0] ?? null;
  let refusal: unknown;
  for (const candidate of candidates)
    try {
      const provider = embeddingProvider(request, candidate);
      request.asked = candidate;
      return [candidate, provider];
    } catch (error) {
      refusal ??= error;
    }
  throw refusal;
}

/** The provider of a model. @throws GatewayError if it cannot be used, or makes no embeddings */
function embeddingProvider({ snapshot, caller }: GatewayRequest, candidate: Candidate): Provider {
  const unknown = snapshot.names.unknownReason(candidate, caller.models);
  const provider = snapshot.providers.get(candidate.provider ?? '');
  if (unknown !== null || !provider)
    throw new GatewayError('model_not_found', `model: ${unknown ?? 'not found'}`, {
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
    isLimited(caller) ? Math.ceil(Buffer.byteLength(text) / bytesPerToken) : 0,
  );
}

/**
 * Reserves what one attempt may use at most; an embedding writes no tokens. Null: no limit applies.
 */
async function reserveEmbedding(
  parts: GatewayParts,
  request: GatewayRequest,
  candidate: Candidate,
  body: Readonly<Record<string, unknown>>,
): Promise<RequestReservation | null> {
  const { caller } = request;
  if (!isLimited(caller)) return null;
  const uses = new EmbeddingUses(request, candidate, body);
  const granted = await reserveLimits(parts, request, { requests: 1, ...uses.maxOf() });
  return new RequestReservation(
    request,
    uses,
    (most) => reserveLimits(parts, request, most),
    granted,
  );
}

/** What the attempts of an embedding use of its caller's limits: all the same. */
class EmbeddingUses implements AttemptUses {
  private readonly facts: ModelFacts;
  private readonly most: AttemptUse;

  /** @throws GatewayError `bad_request` for a model without a price, for a caller with a budget */
  constructor(
    private readonly request: GatewayRequest,
    candidate: Candidate,
    body: Readonly<Record<string, unknown>>,
  ) {
    const { caller, snapshot } = request;
    const owner = budgetOwner(caller);
    this.facts = snapshot.catalog.lookup(candidate.provider, candidate.model);
    this.most = {
      tokens: hasTokenLimit(caller) ? estimateInput(caller, body) : null,
      costUsd: owner === null ? null : this.maxCost(candidate, owner, body),
    };
  }

  maxFrom(): AttemptUse {
    return this.most;
  }

  maxOf(): AttemptUse {
    return this.most;
  }

  reported(_candidate: Candidate, usage: Usage): AttemptUse {
    const { tokens, costUsd } = this.most;
    return {
      tokens: tokens === null ? null : usage.promptTokens,
      costUsd:
        costUsd === null || usage.estimated ? costUsd : costOf(usage, this.facts).total_tokens_cost,
    };
  }

  private maxCost(
    candidate: Candidate,
    owner: LimitOwner,
    body: Readonly<Record<string, unknown>>,
  ): number | null {
    const promptTokens = maxPromptTokens({ messages: [], body });
    const costUsd = maxCostUsd({ promptTokens, completionTokens: 0 }, this.facts);
    if (this.request.snapshot.budgets.allowUnpriced) return costUsd;
    const field = unpricedEmbeddingField(body);
    if (field !== null) throw invalidField(field, unpricedFieldReason(owner), 'bad_request');
    if (costUsd === null || this.facts.requestPrice !== null)
      throw invalidField('model', unpricedReason(candidate, owner), 'bad_request');
    return costUsd;
  }
}

/** Records who answered and what it took. */
function account(
  { record, snapshot, caller }: GatewayRequest,
  { provider, model }: Candidate,
  usage: Usage,
): void {
  record.provider = provider;
  record.model = model;
  record.promptTokens = usage.promptTokens;
  record.completionTokens = 0;
  // the reservation of a caller with a budget knows what all attempts cost
  if (!hasBudget(caller))
    record.costUsd = costOf(usage, snapshot.catalog.lookup(provider, model)).total_tokens_cost;
}
