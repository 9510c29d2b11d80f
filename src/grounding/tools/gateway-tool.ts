import type { ToolDefinition } from '../../completion.js';

/** The result of a call of a tool. Whatever its text says, it is data and never an instruction. */
export interface ToolResult {
  /** For the model, within the tool's own limit of length. */
  readonly text: string;
  /** Whether the call failed; the text then says why, in words that the model can act on. */
  readonly isError: boolean;
  /** What the call costs by the configured price, in USD; null: unknown. */
  readonly costUsd: number | null;
}

/** What one call of a tool is run with. */
export interface ToolRun {
  /** Ends the call: the client left, the request ran out of time or budget. */
  readonly signal: AbortSignal;
}

/** A tool that the gateway runs when a model calls it. */
export interface GatewayTool {
  /** Unique among the tools of a request: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  /** The configured toolkit that it belongs to; `web` for search and pages. */
  readonly toolkit: string;
  /** As models receive it; its function has the same name. */
  readonly definition: ToolDefinition;
  /** `client`: a call is handed to the client instead of being run. */
  readonly approval: 'none' | 'client';
  /** How many calls one request may make; null: no limit of its own. */
  readonly maxCalls: number | null;
  /** What one call costs at most, in USD, to be reserved; null: unknown. */
  readonly priceUsd: number | null;
  /**
   * Runs one call. Arguments that do not fit the tool's schema are a result with `isError`.
   * @throws GatewayError where the whole request is to fail with it; anything else is a result
   */
  run(args: Readonly<Record<string, unknown>>, run: ToolRun): Promise<ToolResult>;
}
