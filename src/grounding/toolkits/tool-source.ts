import type { Json } from '../../text/is-object.js';

/** A tool as a toolkit offers it. */
export interface OfferedTool {
  /** The toolkit's own name for it. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments as the toolkit gave it: anything. */
  readonly parameters: unknown;
}

/** What a toolkit offers. */
export interface ToolOffer {
  readonly tools: readonly OfferedTool[];
  /** What was left out and why, in words for operators. */
  readonly warnings: readonly string[];
}

/** The result of a call. */
export interface ToolAnswer {
  /** At most as long as the toolkit's limit, but for a note that it was cut. */
  readonly text: string;
  readonly isError: boolean;
}

/** Where the tools of one configured toolkit come from. Connects when it is first needed. */
export interface ToolSource {
  /** The tools as they are now, for about a minute. @throws GatewayError if unreachable */
  offer(signal: AbortSignal): Promise<ToolOffer>;
  /**
   * Runs one call within the toolkit's time limit. A failure is an answer with `isError`.
   * @throws GatewayError if the signal ends it
   */
  call(tool: string, args: Json, signal: AbortSignal): Promise<ToolAnswer>;
  /**
   * Ends connections and processes. Later calls are answered with an error, and calls in progress
   * where a connection serves several.
   */
  close(): Promise<void>;
}
