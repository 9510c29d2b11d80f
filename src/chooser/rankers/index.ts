import type { Ranker } from '../plan.js';
import { createLearnedRanker, type LearnedRankerOptions } from './learned-ranker.js';
import { createPriorRanker } from './prior-ranker.js';

/**
 * The rankers that `routing.ranker` may name, each as the function that makes it. A new one is a
 * row here and a value in `schemas/config.schema.json`; a type and a test hold the two together.
 */
export const rankers = {
  learned: createLearnedRanker,
  prior: createPriorRanker,
} satisfies Record<string, (options: LearnedRankerOptions) => Ranker>;
