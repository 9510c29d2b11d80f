import type { Answer } from './answer.js';

/** An answer, and the results that its reader gave to its calls of tools. */
export interface Step {
  readonly answer: Answer;
  /** By the call's id; null: not given. */
  readonly results: Readonly<Record<string, string>> | null;
}

/** What a person asked, and what each lane made of it. */
export interface Turn {
  readonly text: string;
  /** As `data:` addresses. */
  readonly pictures: readonly string[];
  /** By lane: the answers, each after the results of the tools that the one before called. */
  readonly lanes: readonly (readonly Step[])[];
}
