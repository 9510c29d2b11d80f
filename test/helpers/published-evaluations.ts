import { featuresOf } from '../../src/chooser/predictor/features/features.js';
import type { PublishedEvaluations } from '../lab/fit/published-evaluations.js';

/** Published evaluations in memory, of one source and kind. Each row has a score for each model. */
export function publishedOf(
  models: readonly string[],
  rows: readonly {
    readonly prompt: string;
    readonly group: string;
    readonly scores: readonly number[];
  }[],
): PublishedEvaluations {
  const unknown = (): Float32Array => new Float32Array(rows.length * models.length).fill(NaN);
  return {
    models,
    prompts: rows.map(({ prompt }) => prompt),
    groups: rows.map(({ group }) => group),
    sources: rows.map(() => 'made up'),
    features: rows.map(({ prompt: content }) =>
      featuresOf({ messages: [{ role: 'user', content }] }),
    ),
    inputTokens: Float32Array.from(rows, ({ prompt }) => prompt.length / 4),
    tasks: new Int32Array(rows.length),
    taskNames: ['made up:all'],
    families: ['all'],
    scores: Float32Array.from(rows.flatMap(({ scores }) => scores)),
    outputTokens: unknown(),
    costs: unknown(),
  };
}
