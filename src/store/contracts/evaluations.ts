import type { Page, PageRequest } from './page.js';

/** Figures by model. */
export type ByModel = Readonly<Record<string, number>>;

/** One prompt of an account's evaluation set, and how good the models' answers to it were. */
export interface EvaluationRecord {
  readonly id: string;
  readonly accountId: string;
  /** The request that it was taken from; null: none. */
  readonly requestId: string | null;
  readonly at: number;
  readonly prompt: string;
  readonly scores: ByModel;
  /** USD. */
  readonly costs: ByModel;
}

/** An evaluation in a list, with the beginning of its prompt. */
export interface EvaluationSummary extends EvaluationRecord {
  /** Characters of the whole prompt. */
  readonly promptLength: number;
}

/** Figures to add by model; null takes one away. */
export type FigureChanges = Readonly<Record<string, number | null>>;

/** The evaluation sets of accounts. */
export interface EvaluationStore {
  /**
   * Adds an evaluation. If the account has one of the same request, that one gets the new figures
   * instead, and keeps its prompt.
   * @throws GatewayError `conflict` if the account has `maxEvaluations`
   */
  save(evaluation: EvaluationRecord): Promise<EvaluationRecord>;
  find(accountId: string, id: string): Promise<EvaluationRecord | null>;
  /** Newest first, with the beginnings of the prompts. */
  list(accountId: string, page: PageRequest): Promise<Page<EvaluationSummary>>;
  /** Newest first, with the whole prompts. */
  whole(accountId: string, page: PageRequest): Promise<Page<EvaluationRecord>>;
  /** Changes the figures that are named. Null if there is no such evaluation. */
  change(accountId: string, id: string, scores: FigureChanges): Promise<EvaluationRecord | null>;
  /** False if there was none. */
  remove(accountId: string, id: string): Promise<boolean>;
}

/** How many evaluations an account may have. */
export const maxEvaluations = 5_000;
