import type { CompletionChunk } from '../completion.js';
import { addedLength } from '../dispatch/commit-gate.js';
import type { GatewayError } from '../errors.js';
import type { AnswerTap } from './answer-taps.js';
import type { GatewayParts } from './engine/gateway-parts.js';
import type { GatewayRequest } from './request.js';

/** How many bytes come uncounted: counting each piece would cost more. */
const uncounted = 65_536;

/**
 * Counts a streamed answer that is collected to be given as a whole among the bytes in progress.
 * Cancels its request where there is no room for more: without a bound, a few long answers at once
 * would end the process.
 */
export class CollectedAnswer implements AnswerTap {
  private length = 0;
  private counted = 0;

  constructor(
    private readonly parts: GatewayParts,
    private readonly request: GatewayRequest,
  ) {}

  /** What a failed attempt left is free again. */
  begin(): void {
    this.end();
  }

  text(escaped: string): void {
    this.add(escaped.length);
  }

  chunk(chunk: CompletionChunk, frame: string | null): void {
    // images count in the frame only
    this.add(Math.max(addedLength(chunk), frame?.length ?? 0));
  }

  /** The answer was given. */
  end(): void {
    this.parts.state.bytes.remove(this.request.caller.accountId, this.counted);
    this.length = this.counted = 0;
  }

  private add(length: number): void {
    this.length += length;
    const more = this.length - this.counted;
    if (more <= uncounted) return;
    const { caller, snapshot, cancellation, heldBytes } = this.request;
    const { bytes } = this.parts.state;
    try {
      bytes.check(caller.accountId, more, this.counted + heldBytes, snapshot.limits);
      bytes.add(caller.accountId, more);
      this.counted = this.length;
    } catch (error) {
      cancellation.cancel(error as GatewayError);
    }
  }
}
