import type { ChatMessage } from '../../completion.js';

/**
 * Who is asked: the planner and the writer are the model that the client requested, the reader is a
 * cheap one.
 */
export type ResearchRole = 'planner' | 'reader' | 'writer';

/** One call of a model. It has no tools. */
export interface ResearchCall {
  readonly role: ResearchRole;
  readonly messages: ChatMessage[];
  /** Of the answer. A reader may have more, to think first, which `most` counts. */
  readonly maxTokens: number;
  /** A JSON Schema of the wanted answer. Answers of any other form are understood too. */
  readonly json?: Record<string, unknown>;
  readonly signal: AbortSignal;
  /** Receives the text as it streams. Where it is given, nothing is retried after the first text. */
  readonly onText?: (delta: string) => void;
}

/** A model's answer, and what it used. */
export interface ResearchAnswer {
  readonly text: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Null: unknown. */
  readonly costUsd: number | null;
}

/** A call before it is made. */
export interface PlannedCall {
  readonly role: ResearchRole;
  /** As `models/tokens.ts` estimates them. */
  readonly promptTokens: number;
  readonly maxTokens: number;
}

/** How a research run reaches models. */
export interface ResearchModel {
  /**
   * Makes one call.
   * @throws GatewayError, or the reason of the signal
   */
  ask(call: ResearchCall): Promise<ResearchAnswer>;
  /**
   * What a call uses at most, with the error of the estimate and with retries. Grows with both
   * numbers of the call. A cost of null: the price is unknown.
   */
  most(call: PlannedCall): { readonly tokens: number; readonly costUsd: number | null };
  /** Prompt and answer together, without what a reader thinks; null: unknown. */
  contextTokens(role: ResearchRole): number | null;
}
