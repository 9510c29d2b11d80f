import type { ChatMessage } from '../../completion.js';
import type { WebPage } from '../reading/page-reader.js';
import type { SearchResult } from '../search/search-engine.js';
import type { ResearchClock } from './research-clock.js';
import type { ResearchBudget, ResearchEffort } from './research-effort.js';
import type { ResearchNotes, ResearchPhase, ResearchSource } from './research-notes.js';

/** Who is asked: planner and writer are the requested model, the reader is a cheap one. */
export type ResearchRole = 'planner' | 'reader' | 'writer';

/** One call of a model. It has no tools. */
export interface ResearchCall {
  readonly role: ResearchRole;
  readonly messages: ChatMessage[];
  /** Of the answer. A reader may have more, to think first, which `most` counts. */
  readonly maxTokens: number;
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
  /** Makes one call. @throws GatewayError, or the reason of the signal */
  ask(call: ResearchCall): Promise<ResearchAnswer>;
  /**
   * What a call uses at most, with the error of the estimate and with retries. Grows with both
   * numbers of the call. A cost of null: the price is unknown.
   */
  most(call: PlannedCall): { readonly tokens: number; readonly costUsd: number | null };
  /** Prompt and answer together, without what a reader thinks; null: unknown. */
  contextTokens(role: ResearchRole): number | null;
}

/** What one search found. */
export interface WebFindings {
  /** Best first. */
  readonly results: readonly SearchResult[];
  /** At most the price of a search; null: unknown. */
  readonly costUsd: number | null;
}

/** How a research run reaches the web. */
export interface ResearchWeb {
  /** @throws GatewayError if the search fails, or the reason of the signal */
  search(query: string, signal: AbortSignal): Promise<WebFindings>;
  /** @throws if the page cannot be read */
  read(url: string, signal: AbortSignal): Promise<Omit<WebPage, 'contentType' | 'bytes'>>;
  /** What one search costs at most; null: unknown. */
  readonly searchPriceUsd: number | null;
}

/** The models, the web and the time of a research run. */
export interface ResearchDependencies {
  readonly model: ResearchModel;
  readonly web: ResearchWeb;
  /** Default: the system's. */
  readonly clock?: ResearchClock;
}

/** What a run is doing, for people who wait for it. */
export interface ResearchProgress {
  readonly phase: ResearchPhase;
  /** How many steps are over. */
  readonly step: number;
  /** A short sentence. */
  readonly message: string;
  readonly questions?: readonly string[];
  readonly source?: { readonly id: number; readonly url: string; readonly title: string };
}

/** What one run is given. */
export interface ResearchOptions {
  /** Of this run alone, whatever earlier runs used. */
  readonly budget: ResearchBudget;
  readonly effort: ResearchEffort;
  readonly resume?: ResearchNotes | null;
  /** Ends the run at once; its notes are saved. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ResearchProgress) => void;
  /** Receives what the answer may cite: once, before the first text. */
  readonly onSources?: (sources: readonly ResearchSource[]) => void;
  /** Receives the answer while it is written. */
  readonly onText?: (delta: string) => void;
  /**
   * Stores the notes, each time in place of the ones before; one call at a time, the last one before
   * the run is over. A failure does not end the run.
   */
  readonly saveNotes?: (notes: ResearchNotes) => Promise<void>;
}
