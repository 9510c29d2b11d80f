import type { Features } from '../../../src/chooser/predictor/features/features.js';

/** A prompt as a baseline sees it. */
export interface BaselinePrompt {
  readonly features: Features;
  readonly text: string;
}

/** What a baseline learns from: prompts that all models have answered. */
export interface AnsweredRows {
  readonly features: readonly Features[];
  /** By row: the text of the prompt. */
  readonly prompts: readonly string[];
  /** 0..1, row by row, one for each model. */
  readonly scores: Float64Array;
  readonly models: readonly string[];
}

/** Predicts the score of each model, 0..1. */
export type Predict = (prompt: BaselinePrompt) => Float64Array;

/** Fits a baseline. The same rows and seed give the same predictions. */
export type Learner = (rows: AnsweredRows, seed: number) => Predict;

/** Mean score of each model. */
export function meansOf({ scores, models }: Pick<AnsweredRows, 'scores' | 'models'>): Float64Array {
  const means = new Float64Array(models.length);
  for (let at = 0; at < scores.length; at++) means[at % models.length]! += scores[at]!;
  return means.map((sum) => sum / (scores.length / models.length));
}
