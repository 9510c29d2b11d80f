import type { Citation, Source } from '../../grounding/source.js';
import type { GroundingRecord } from '../../telemetry/observed-request.js';

/** What searching and tools came to in one request, as its answer tells it. */
export type GroundingReport = Omit<GroundingRecord, 'calls'>;

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
