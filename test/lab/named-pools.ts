import type { PublishedEvaluations } from './fit/published-evaluations.js';
import { frontierModels, frontierSources, mmluModels, modelsBySource } from './model-pools.js';
import { gatherPool, type EvaluatedPool } from './pools.js';

/**
 * The pools of the protocol in distribution: frontier-12 and mmlu-pro-11. If the evaluations have
 * neither, one pool of everything they have.
 */
export function namedPools(evaluations: PublishedEvaluations): EvaluatedPool[] {
  const isFrom =
    (sources: readonly string[]) =>
    (row: number): boolean =>
      sources.includes(evaluations.sources[row]!);
  const pools = [
    gatherPool(evaluations, 'frontier-12', frontierModels, isFrom(frontierSources)),
    gatherPool(evaluations, 'mmlu-pro-11', mmluModels, isFrom(['mmlu_pro'])),
  ].filter(({ rows }) => rows > 0);
  return pools.length > 0
    ? pools
    : [gatherPool(evaluations, 'all', evaluations.models, () => true)];
}

const minRows = 100;

/** The pools of one family: one for each source that measured at least 100 of its prompts. */
export function poolsOfFamily(evaluations: PublishedEvaluations, family: string): EvaluatedPool[] {
  const isIn = (row: number): boolean => evaluations.families[evaluations.tasks[row]!] === family;
  const sources = [...new Set(evaluations.sources.filter((_, row) => isIn(row)))];
  return sources
    .map((source) => {
      const isOfSource = (row: number): boolean => evaluations.sources[row] === source && isIn(row);
      const models = modelsBySource[source] ?? measuredModels(evaluations, isOfSource);
      return gatherPool(evaluations, `${family} (${source})`, models, isOfSource);
    })
    .filter(({ rows }) => rows >= minRows);
}

/** The pool of a family's largest source; null if all sources are too small. */
export function largestPoolOf(
  evaluations: PublishedEvaluations,
  family: string,
): EvaluatedPool | null {
  return poolsOfFamily(evaluations, family).sort((a, b) => b.rows - a.rows)[0] ?? null;
}

/** Models that answered at least 99 % of some rows. */
function measuredModels(
  { models, scores, features }: PublishedEvaluations,
  isIn: (row: number) => boolean,
): string[] {
  const rows = [...features.keys()].filter(isIn);
  const answered = (column: number): number =>
    rows.filter((row) => !Number.isNaN(scores[row * models.length + column]!)).length;
  return models.filter((_, column) => answered(column) > 0.99 * rows.length);
}
