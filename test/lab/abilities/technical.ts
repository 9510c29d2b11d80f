import type { ResultColumn } from './published-results.js';

/**
 * Models that are better at one technical kind than their ability lets expect tend to be better at
 * the others, and worse at prose. So one number of each model, with this factor for each kind, tells
 * much of what is particular to a kind, also where a model has no results in it. The factors are
 * stated, not fitted: kinds that are neither have none.
 */
export const technicalFactors: Readonly<Record<string, number>> = {
  coding: 1,
  mathematics: 1,
  reasoning: 1,
  data: 1,
  writing: -1,
  conversation: -1,
  // as people ask it: law, medicine, business
  knowledge: -1,
};
/** Prompts that LMArena calls hard, or those of experts, are of all kinds, but more of them technical. */
const ofHardPrompts = 0.5;
const hardPrompts = /\/text_(?:expert|hard)/;

/** How much the results of a column depend on how technical a model is. */
export function technicalFactor({ name, kind }: ResultColumn): number {
  if (hardPrompts.test(name)) return ofHardPrompts;
  return kind === null ? 0 : (technicalFactors[kind] ?? 0);
}
