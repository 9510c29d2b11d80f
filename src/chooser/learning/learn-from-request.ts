import type { ChatRequest } from '../../completion.js';
import type { ErrorCode } from '../../errors.js';
import type { AnswerPaces } from '../../models/answer-paces.js';
import { statedAnswerTokens } from '../../models/max-cost.js';
import type { AnswerCorrections } from '../answer-length/answer-corrections.js';
import type { Plan } from '../plan.js';
import { isSelection } from '../../surface-labels.js';
import { servedName } from './evidence.js';

/** A request that is over, as far as later choices learn from it. */
export interface AnsweredRequest {
  readonly caller: { readonly accountId: string; readonly keyId: string | null };
  readonly surface: string | null;
  readonly plan: Plan | null;
  /** What a model was asked; null: the gateway called none. */
  readonly call: { readonly chat: ChatRequest } | null;
  readonly record: {
    readonly provider: string | null;
    readonly model: string | null;
    readonly code: ErrorCode | null;
    readonly completionTokens: number | null;
    readonly reasoningTokens: number | null;
    readonly finishReason: string | null;
    readonly preferenceId: string | null;
    /** One for each upstream call, in order; times in ms. */
    readonly attempts: readonly {
      readonly provider: string;
      readonly model: string;
      readonly outcome: ErrorCode | 'ok';
      readonly firstContentMs: number | null;
      readonly latencyMs: number;
    }[];
  };
}

/**
 * Corrects later predictions of this process by how long an answer was. Skips answers that were cut
 * short or were expected to reach the client's limit, and those whose tokens no provider counted.
 * @returns the answer's tokens as a share of what was expected; null: it tells nothing
 */
export function learnLength(
  corrections: AnswerCorrections,
  { record, plan, call, caller, surface }: AnsweredRequest,
): number | null {
  const { provider, model, completionTokens, reasoningTokens, finishReason } = record;
  if (plan === null || record.code !== null || isSelection(surface)) return null;
  if (model === null || completionTokens === null || finishReason === 'length') return null;
  const answered = plan.candidates.find(
    (candidate) => candidate.model === model && candidate.provider === provider,
  );
  const expected = answered?.why.outputTokens;
  if (expected === undefined || reasoningTokens === null) return null;
  const limit = call ? statedAnswerTokens(call.chat) : null;
  if (limit !== null && expected >= limit) return null;
  const actual = completionTokens / (call?.chat.n ?? 1);
  corrections.add(model, caller.accountId, expected, actual);
  return expected > 0 ? actual / expected : null;
}

/** Tells later plans how fast the model of an answer was, if it was streamed and counted. */
export function learnPace(paces: AnswerPaces, { record, call }: AnsweredRequest): void {
  const { provider, model, completionTokens, reasoningTokens, code, attempts } = record;
  if (code !== null || provider === null || model === null) return;
  if (completionTokens === null || reasoningTokens === null || (call?.chat.n ?? 1) > 1) return;
  const attempt = attempts.at(-1);
  if (attempt?.outcome !== 'ok' || attempt.firstContentMs === null) return;
  paces.record(provider, model, {
    firstContentMs: attempt.firstContentMs,
    endMs: attempt.latencyMs,
    tokens: completionTokens,
    reasoningTokens,
  });
}

/** It answered; or it failed, was refused, or was cut off though the client had set no limit. */
export type Outcome = 'answered' | 'failed';

/** By `<provider>/<model>`. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/** Failures of a model or its provider; not the client's, our account's or configuration's. */
const ownFaults: ReadonlySet<ErrorCode | 'ok'> = new Set([
  'connection_failed',
  'upstream_error',
  'upstream_overloaded',
  'unreadable_answer',
  'upstream_timeout',
]);

/**
 * The outcome of each model that was called for an answer, by the gateway or by its host, by its last
 * attempt: a retry that succeeded is no fault.
 */
export function outcomesOf({ call, surface, record }: AnsweredRequest): Outcomes {
  const { attempts, finishReason } = record;
  const outcomes = new Map<string, Outcome>();
  if (call === null && surface !== 'reported') return outcomes;
  // an answer that was cut at the client's or the budget's own bound is no fault of the model; a
  // host may have bounded what it asked
  const isBounded = call === null || statedAnswerTokens(call.chat) !== null;
  const isFault = finishReason === 'content_filter' || (finishReason === 'length' && !isBounded);
  for (const { provider, model, outcome } of attempts) {
    const name = servedName(provider, model);
    if (name === null) continue;
    if (ownFaults.has(outcome)) outcomes.set(name, 'failed');
    else if (outcome === 'ok') outcomes.set(name, isFault ? 'failed' : 'answered');
    else outcomes.delete(name);
  }
  return outcomes;
}
