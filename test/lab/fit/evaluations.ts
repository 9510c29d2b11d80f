import type { Features } from '../../../src/chooser/predictor/features/features.js';
import { logOdds } from '../../../src/models/numbers.js';

/** Prompts, and how well models answered them. Rows are prompts; what nobody measured is NaN. */
export interface Evaluations {
  readonly features: readonly Features[];
  /** By row. */
  readonly inputTokens: Float32Array;
  /** By row: the number of its task. */
  readonly tasks: Int32Array;
  /** A task is one kind of prompt of one source; tasks that resemble each other make a family. */
  readonly taskNames: readonly string[];
  /** By task. */
  readonly families: readonly string[];
  /** By row: rows of one group are the same prompt and never stand on both sides of a split. */
  readonly groups: readonly string[];
  readonly models: readonly string[];
  /** 0..1, by row and model: the score of row `r` and model `m` is at `r * models.length + m`. */
  readonly scores: Float32Array;
  /** Laid out as `scores`. */
  readonly outputTokens: Float32Array;
}

/** Log odds, of a share kept away from 0 and 1. */
export function logit(share: number): number {
  return logOdds(Math.min(0.97, Math.max(0.03, share)));
}
