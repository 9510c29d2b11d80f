import type { GatewayError } from '../errors.js';
import type { Limits } from '../chooser/plan.js';
import type { Cancellation, Deadline } from './cancellation.js';
import type { Provider } from './provider.js';
import { withoutSecrets } from './secrets.js';
import type { AttemptAnswer, AttemptProgress, AttemptSpan, UpstreamCall } from './upstream-call.js';

/** When a call reached each stage, by `performance.now()`; null: not yet. */
export interface CallTiming {
  sentAt: number | null;
  headersAt: number | null;
}

/** One upstream call, and what limits it. */
export interface AttemptInput<Answer extends AttemptAnswer> {
  provider: Provider;
  call: UpstreamCall<Answer>;
  apiKey: string | null;
  limits: Limits;
  cancellation: Cancellation;
  deadline: Deadline;
  /** The attempt fills it in. */
  timing: CallTiming;
  /** Null: the request is not traced. */
  span: AttemptSpan | null;
  /** Called once, with the first content of a stream. */
  onFirstContent: (() => void) | null;
}

/** Thrown for a failed attempt: the failure, and how far the attempt had come. */
export class AttemptFailure extends Error {
  readonly error: GatewayError;

  /**
   * @param mayBeBilled whether the provider may charge for the attempt
   * @param secrets are removed from the error's message and fields
   */
  constructor(
    error: GatewayError,
    readonly progress: AttemptProgress,
    readonly mayBeBilled: boolean,
    secrets: readonly string[],
  ) {
    const safe = withoutSecrets(error, secrets);
    super(safe.message);
    this.error = safe;
  }
}
