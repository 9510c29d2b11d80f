import type { Citation, Source } from '../../grounding/source.js';

/** What searching and tools came to in one request. */
export interface GroundingReport {
  /** The engine that answered last, or `native`; null: nothing was searched. */
  readonly engine: string | null;
  readonly queries: readonly string[];
  readonly searches: number;
  readonly pagesRead: number;
  readonly toolCalls: number;
  /** Beside the tokens, in USD; null: a price is not known. */
  readonly costUsd: number | null;
  /** Of searching, reading and tools together, in ms. */
  readonly latency: number;
  readonly stoppedBy: 'steps' | 'time' | 'cost' | 'tokens' | null;
}

/** What an answer rests on. */
export interface AnswerGrounding {
  readonly report: GroundingReport;
  readonly sources: readonly Source[];
  readonly citations: readonly Citation[];
}

/** What a client is told while tools run. */
export type GroundingProgress =
  | {
      readonly type: 'progress';
      readonly phase: string;
      readonly detail: string;
      /** Of research: how many steps are over, and its questions. */
      readonly step?: number;
      readonly questions?: readonly string[];
    }
  | {
      readonly type: 'tool';
      readonly tool: string;
      readonly toolkit: string;
      readonly callId: string;
      readonly status: 'running' | 'ok' | 'error' | 'refused';
      /** In ms, once it is over. */
      readonly latency?: number;
    }
  | { readonly type: 'source'; readonly source: Omit<Source, 'cited'> };
