import type { ToolAnswer, ToolOffer, ToolSource } from './tool-source.js';
import type { Json } from '../../text/is-object.js';

/** How long tools of an earlier configuration stay. */
export interface RetirementTerms {
  /** After their last call: a model may think before it makes the next one. */
  readonly idleMs: number;
  /** In all, however many calls follow each other. */
  readonly maxMs: number;
}

const defaultTerms: RetirementTerms = { idleMs: 30_000, maxMs: 600_000 };

/** Lets a source that a new configuration no longer has finish the calls in progress. */
export class RetiringSource implements ToolSource {
  private calls = 0;
  private isRetired = false;
  /** Whether it was closed. */
  isClosed = false;
  private idle: NodeJS.Timeout | undefined;
  private end: NodeJS.Timeout | undefined;

  constructor(
    private readonly source: ToolSource,
    private readonly terms: RetirementTerms = defaultTerms,
  ) {}

  offer(signal: AbortSignal): Promise<ToolOffer> {
    return this.source.offer(signal);
  }

  async call(tool: string, args: Json, signal: AbortSignal): Promise<ToolAnswer> {
    this.calls++;
    clearTimeout(this.idle);
    try {
      return await this.source.call(tool, args, signal);
    } finally {
      this.calls--;
      this.waitForCalls();
    }
  }

  /** Closes it when no call has been in progress for a while, and in any case after `maxMs`. */
  retire(): void {
    if (this.isRetired) return;
    this.isRetired = true;
    this.end = setTimeout(() => void this.close(), this.terms.maxMs).unref();
    this.waitForCalls();
  }

  close(): Promise<void> {
    this.isRetired = false;
    this.isClosed = true;
    clearTimeout(this.idle);
    clearTimeout(this.end);
    return this.source.close();
  }

  private waitForCalls(): void {
    if (!this.isRetired || this.calls > 0) return;
    clearTimeout(this.idle);
    this.idle = setTimeout(() => void this.close(), this.terms.idleMs).unref();
  }
}
