import type { ErrorCode } from '../../errors.js';
import { servedName } from './evidence.js';

/** What a finished request says about its models. */
interface FinishedAttempts {
  readonly attempts: readonly {
    readonly provider: string;
    readonly model: string;
    readonly outcome: ErrorCode | 'ok';
  }[];
  /** Of the answer; null if there was none. */
  readonly finishReason: string | null;
  /** Whether the client, or its key's budget, limited the answer's length. */
  readonly isBounded: boolean;
}

/**
 * How a provider's model did: it answered; or it failed, its answer was refused, or cut off although
 * the client had set no limit.
 */
export type Outcome = 'answered' | 'failed';

/** By `<provider>/<model>`. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/**
 * Failures of a model or its provider: not the client's, not those of our account there, and not
 * those of the configuration.
 */
const ownFaults: ReadonlySet<ErrorCode | 'ok'> = new Set([
  'connection_failed',
  'upstream_error',
  'upstream_overloaded',
  'unreadable_answer',
  'upstream_timeout',
]);

/**
 * The outcome of each candidate that was called, by its last attempt: a retry that succeeded is not
 * a fault.
 */
export function outcomesOf({ attempts, finishReason, isBounded }: FinishedAttempts): Outcomes {
  const outcomes = new Map<string, Outcome>();
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
