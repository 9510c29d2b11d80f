import type { Response } from 'express';
import type { Caller } from '../accounts/caller.js';
import { hasBudget } from '../accounts/rate-limiter.js';
import { invalidField } from '../errors.js';
import { bytesPerToken, maxCostUsd, maxPromptTokens } from '../routing/max-cost.js';
import type { Candidate } from '../routing/plan.js';
import { estimateTokens } from '../routing/tokens.js';
import { unpricedReason } from './reserve-completion.js';
import { callerOf } from '../http/context.js';
import type { Parts } from '../http/parts.js';
import type { GatewaySnapshot } from './snapshot.js';
import { isBounded, type Settle, takeLimits, unbounded } from './limits.js';

/** Estimated tokens of what is to be embedded, where nobody has counted them; for keys with bounds every byte is looked at, and not samples of a long text. */
export function estimateInput(caller: Caller, body: Readonly<Record<string, unknown>>): number {
  const text = JSON.stringify(body['input'] ?? '');
  return Math.max(
    estimateTokens(text),
    isBounded(caller) ? Math.ceil(Buffer.byteLength(text) / bytesPerToken) : 0,
  );
}

/**
 * Holds what an embedding may use at most of its key's limits; it writes nothing, so its input is all.
 * @throws GatewayError as `takeLimits`, and `bad_request` for a key with a budget and a model without a price
 */
export function boundEmbedding(
  parts: Parts,
  res: Response,
  runtime: GatewaySnapshot,
  { provider, model }: Candidate,
  body: Readonly<Record<string, unknown>>,
): Settle | Promise<Settle> {
  const caller = callerOf(res);
  if (!isBounded(caller)) return unbounded;
  const { limits } = caller;
  const tokens = limits.tokensPerMinute === null ? null : estimateInput(caller, body);
  if (!hasBudget(limits))
    return takeLimits(parts, res, caller, { requests: 1, tokens, costUsd: null });
  const costUsd = maxCostUsd(
    { promptTokens: maxPromptTokens({ messages: [], body }), completionTokens: 0 },
    runtime.catalog.lookup(provider, model),
  );
  if (costUsd === null && !runtime.budgets.allowUnpriced)
    throw invalidField('model', unpricedReason, 'bad_request');
  return takeLimits(parts, res, caller, { requests: 1, tokens, costUsd: costUsd ?? 0 });
}
