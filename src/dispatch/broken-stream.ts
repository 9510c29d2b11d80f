import type { GatewayError } from '../errors.js';
import type { Candidate } from '../chooser/plan.js';

/**
 * A failure after which nothing may be repeated: the stream to the client had begun, or the client
 * left while a provider was working. The tokens that were used must still be accounted for.
 */
export class BrokenStream extends Error {
  constructor(
    readonly error: GatewayError,
    readonly candidate: Candidate,
    /** `performance.now()` of the first content; null if none arrived. */
    readonly firstContentAt: number | null,
    /** Characters of content. */
    readonly contentLength: number,
    readonly attempts: number,
  ) {
    super(error.message, { cause: error });
  }
}
