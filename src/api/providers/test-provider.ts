import type { Caller } from '../../accounts/caller.js';
import { GatewayError } from '../../errors.js';
import type { CompletionCall } from '../../pipeline/completion-call.js';
import { describeModels } from './describe-models.js';
import { runAs } from '../../pipeline/direct.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { GatewaySnapshot } from '../../pipeline/engine/snapshot.js';

/** How a model answered a tiny request, or why it did not. Times in ms. */
export interface ProviderTest {
  readonly ok: boolean;
  /** The model that was called. */
  readonly model: string;
  readonly latencyMs: number;
  /** Null: no content arrived. */
  readonly ttftMs: number | null;
  /** Null: unknown, or there was no answer. */
  readonly costUsd: number | null;
  /** The provider's status and words; null: it answered. */
  readonly error: {
    readonly status: number | null;
    readonly message: string;
  } | null;
}

const timeoutMs = 60_000;

/** The model with which a provider is tested: one that `auto` may choose, and the cheapest; or null. */
export function testedModel(
  parts: GatewayParts,
  snapshot: GatewaySnapshot,
  provider: string,
  keyModels: readonly string[] | null,
): string | null {
  const chats = describeModels(parts, snapshot, keyModels).filter(
    (one) => one.provider === provider && one.type === 'chat',
  );
  const rank = ({ isAuto, prices }: (typeof chats)[number]): number =>
    (isAuto ? 0 : 1e9) + (prices.blended ?? 1e6);
  return chats.sort((one, other) => rank(one) - rank(other))[0]?.label ?? null;
}

/**
 * Sends a tiny request through the gateway as a request of the caller's own, with its limits, its
 * budget and its place in the request log; no retries.
 * @param call asks for the model
 * @throws GatewayError where the provider was not called
 */
export async function testProvider(
  parts: GatewayParts,
  caller: Caller,
  model: string,
  call: CompletionCall,
): Promise<ProviderTest> {
  const startedAt = performance.now();
  const alone = { ...call, maxRetries: 0, store: false, streamFromProvider: true };
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { latencyMs, ttftMs, costs } = await runAs(parts, caller, alone, signal);
    return { ok: true, model, latencyMs, ttftMs, costUsd: costs.total_tokens_cost, error: null };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const latencyMs = Math.round(performance.now() - startedAt);
    return { ok: false, model, latencyMs, ttftMs: null, costUsd: null, error: failureOf(error) };
  }
}

/** @throws the error of a request that never reached the provider */
function failureOf(error: GatewayError): NonNullable<ProviderTest['error']> {
  const last = error.errorTrace.findLast(({ attempt }) => attempt > 0);
  if (error.code === 'client_closed')
    return { status: null, message: `no whole answer in ${timeoutMs / 1000} s` };
  if (!last) throw error;
  return { status: last.status, message: last.error };
}
