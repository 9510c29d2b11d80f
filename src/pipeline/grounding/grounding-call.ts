import type { ChatRequest, ToolDefinition } from '../../completion.js';
import type { NativeSearchOptions } from '../../native-search-options.js';
import type { ResearchBudget, ResearchEffort } from '../../grounding/research/research-effort.js';
import type { ToolkitChoice } from '../../grounding/toolkits/toolkits.js';
import type { GatewayTool } from '../../grounding/tools/gateway-tool.js';
import type { WebSettings } from '../../grounding/tools/observed-web.js';
import type { Candidate } from '../../chooser/plan.js';
import type { Citation, Source } from '../../grounding/source.js';
import type { GroundingRecord } from '../../telemetry/observed-request.js';

/**
 * Who searches for a model, and when. `native`: by its provider's own search tool; `tools`:
 * it calls the gateway's tools; `once`: the gateway searches before the model answers.
 */
export type SearchMode = 'native' | 'tools' | 'once';

/** A request's wishes for web search; null: as configured. */
export interface SearchWish {
  readonly mode?: 'auto' | SearchMode | null;
  /** Whether it searches even where the model would not. */
  readonly required?: boolean | null;
  readonly engine?: string | null;
  readonly maxUses?: number | null;
  readonly maxResults?: number | null;
  readonly allowedDomains?: readonly string[] | null;
  readonly blockedDomains?: readonly string[] | null;
  readonly recency?: WebSettings['recency'];
  readonly location?: { readonly country?: string | null } | null;
  /** Options that only a model's own search supports. */
  readonly own?: OwnSearchWish | null;
}

/** Wishes in OpenAI's dialect that the gateway's search has no counterpart for. */
export type OwnSearchWish = Pick<NativeSearchOptions, 'search_context_size' | 'user_location'>;

/** A request's wishes for research; null: as its effort has them. */
export interface ResearchWish extends Readonly<
  Partial<Record<keyof ResearchBudget, number | null>>
> {
  readonly effort?: ResearchEffort | null;
  /** The id of the answer of an earlier run. */
  readonly resume?: string | null;
}

/** How a completion researches, within what the configuration allows. */
export interface ResearchTerms {
  readonly effort: ResearchEffort;
  readonly budget: ResearchBudget;
  /** Whether the request states a maximum cost: then an unknown price refuses it. */
  readonly isCostStated: boolean;
  readonly resume: string | null;
}

/** What a completion may use beside its model, as its request says. */
export interface GroundingWish {
  readonly search: SearchWish | null;
  readonly research: ResearchWish | null;
  readonly toolkits: readonly ToolkitChoice[];
  /** How often the model may call tools in a row. */
  readonly maxToolSteps: number | null;
  /**
   * The request without its dialect's switches for search, used where the gateway has a search
   * engine; otherwise the request stays as it is. Absent: it has no such switches.
   */
  readonly withoutSwitch?: {
    readonly chat: ChatRequest;
    readonly models: readonly string[] | null;
    /** `ForwardedRequest.needs` of the request without the switches; absent: unchanged. */
    readonly needs?: string | null;
  };
}

/** How a completion searches, within what the configuration allows. */
export interface SearchTerms extends WebSettings {
  readonly mode: 'auto' | SearchMode;
  readonly required: boolean;
  readonly own: OwnSearchWish;
}

/** What a completion may use beside its model, checked. */
export interface GroundingTerms {
  readonly search: SearchTerms | null;
  readonly research: ResearchTerms | null;
  readonly maxToolSteps: number;
  /** The tools that the client itself runs. */
  readonly clientTools: readonly ToolDefinition[];
}

/** What a completion may use beside its model, decided. */
export interface PlannedGrounding {
  readonly terms: GroundingTerms;
  readonly tools: readonly GatewayTool[];
  /** How a candidate searches; null: the request does not search. */
  modeOf(candidate: Candidate): SearchMode | null;
  /** Why a candidate cannot do what is asked; null if it can. */
  unfitReason(candidate: Candidate): string | null;
  /** Whether a search is required, but the candidate cannot be forced to search. */
  isUnforced(candidate: Candidate): boolean;
}

/** Figures of search and tools in one request, as its answer has them. */
export type GroundingReport = Omit<GroundingRecord, 'calls'>;

/** The searches, sources and citations of an answer. */
export interface AnswerGrounding {
  readonly report: GroundingReport;
  readonly sources: readonly Source[];
  readonly citations: readonly Citation[];
}

/** An event for the client while tools run. */
export type GroundingProgress =
  | {
      readonly type: 'progress';
      readonly phase: string;
      readonly detail: string;
      /** For research: the number of finished steps, and its questions. */
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
  | { readonly type: 'source'; readonly source: Omit<Source, 'cited'> }
  | SearchFound;

/** A search has ended. A provider's own is reported after its answer, without a start. */
export interface SearchFound {
  readonly type: 'found';
  readonly query: string;
  /** Null: it failed. */
  readonly sources: readonly Omit<Source, 'cited'>[] | null;
}
