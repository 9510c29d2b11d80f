/** How thorough a research run is. */
export type ResearchEffort = 'low' | 'medium' | 'high';

/** What a run may use at most, writing the answer included. */
export interface ResearchBudget {
  /** A search, a page with the notes that are taken of it, or another call of a model is a step. */
  readonly maxSteps: number;
  readonly maxSeconds: number;
  /** Null: no limit of its own. Otherwise all prices must be known. */
  readonly maxCostUsd: number | null;
  /** Of prompts and answers of all calls. */
  readonly maxTokens: number;
}

/** How wide a run goes, within its budget. */
export interface ResearchWidth {
  readonly maxQuestions: number;
  readonly maxRounds: number;
  /** Each round. A larger budget of steps raises both. */
  readonly searches: number;
  readonly pages: number;
  /** Of a page, as its reader receives it. */
  readonly pageTokens: number;
  /** Of the notes that the writer receives. */
  readonly materialTokens: number;
  readonly answerTokens: number;
  readonly writingSeconds: number;
  /** Whether what the answer claims without a source is looked for in the notes. */
  readonly checksClaims: boolean;
}

/** The budgets of requests that name none. */
export const defaultBudgets: Readonly<Record<ResearchEffort, ResearchBudget>> = {
  low: { maxSteps: 6, maxSeconds: 90, maxCostUsd: 0.15, maxTokens: 100_000 },
  medium: { maxSteps: 12, maxSeconds: 300, maxCostUsd: 0.5, maxTokens: 400_000 },
  high: { maxSteps: 40, maxSeconds: 600, maxCostUsd: 1, maxTokens: 1_500_000 },
};

/** How wide each effort goes. */
export const researchWidths: Readonly<Record<ResearchEffort, ResearchWidth>> = {
  low: {
    maxQuestions: 3,
    maxRounds: 2,
    searches: 2,
    pages: 2,
    pageTokens: 4_000,
    materialTokens: 6_000,
    answerTokens: 3_000,
    writingSeconds: 25,
    checksClaims: false,
  },
  medium: {
    maxQuestions: 5,
    maxRounds: 4,
    searches: 3,
    pages: 4,
    pageTokens: 6_000,
    materialTokens: 16_000,
    answerTokens: 5_000,
    writingSeconds: 75,
    checksClaims: true,
  },
  high: {
    maxQuestions: 8,
    maxRounds: 8,
    searches: 5,
    pages: 8,
    pageTokens: 8_000,
    materialTokens: 48_000,
    answerTokens: 10_000,
    writingSeconds: 150,
    checksClaims: true,
  },
};
