import type { Features } from '../../src/routing/predictor/features/features.js';
import { foldOf, type PublishedEvaluations } from './fit/published-evaluations.js';
import type { Pool } from '../../src/training/custom/cost-curve.js';
import { listPriceOf } from './prices.js';

/** Prompts that all models of a pool have answered, with what the answers cost. Rows are places in the pool; `places` leads back to the evaluations. */
export interface EvaluatedPool extends Pool {
  readonly name: string;
  /** By row: its row in the evaluations. */
  readonly places: Int32Array;
  readonly features: readonly Features[];
  readonly inputTokens: Float64Array;
  /** Laid out as the scores; of a model that tells none on a source, its mean or that of the others. */
  readonly outputTokens: Float64Array;
  readonly groups: readonly string[];
}

/** The models of frontier-12. */
export const frontierModels = [
  'gpt-4o-2024-05-13',
  'gpt-4o-2024-08-06',
  'gpt-4o-mini-2024-07-18',
  'claude-3-5-sonnet-20240620',
  'claude-3-opus-20240229',
  'claude-3-haiku-20240307',
  'gemini-1.5-pro',
  'gemini-1.5-flash',
  'mistral-large-2407',
  'llama-3-70b-instruct',
  'llama-3-8b-instruct',
  'gpt-3.5-turbo-0125',
];
const mmluModels = [
  'llama-3.1-70b-instruct',
  'llama-3.1-8b-instruct',
  'qwen2-72b-instruct',
  'qwen1.5-72b-chat',
  'jamba-1.5-large',
  'wizardlm-2-8x22b',
  'deepseek-llm-67b-chat',
  'mixtral-8x7b-instruct-v0.1',
  'command-r',
  'mistral-7b-instruct-v0.2',
  'phi-3-mini-4k-instruct',
];
const chatModels = [
  'gpt-4-1106-preview',
  'gpt-4-0613',
  'gpt-3.5-turbo-1106',
  'claude-2.1',
  'claude-instant-1.2',
  'llama-2-70b-chat',
  'mixtral-8x7b-instruct-v0.1',
  'mistral-7b-instruct-v0.2',
  'tulu-2-dpo-70b',
  'vicuna-33b-v1.3',
  'vicuna-13b-v1.5',
  'vicuna-7b-v1.5',
];
const frontierSources = ['ze_crux', 'ze_math-l5', 'bfcl'];

/** Models that stand for a source that measured dozens; the others are taken whole. */
const modelsBySource: Readonly<Record<string, readonly string[]>> = {
  mmlu_pro: mmluModels,
  alpaca_eval: chatModels,
  ...Object.fromEntries(frontierSources.map((source) => [source, frontierModels])),
};

/** The strong and the weak models between which RouteLLM's figures choose. */
export const strongAndWeak: readonly (readonly [strong: string, weak: string])[] = [
  ['gpt-4o-2024-05-13', 'gpt-4o-mini-2024-07-18'],
  ['gpt-4o-2024-08-06', 'gpt-4o-mini-2024-07-18'],
];

/** The rows that every model of a pool has answered. @param isIn whether a row of the evaluations belongs to the pool */
export function gatherPool(
  evaluations: PublishedEvaluations,
  name: string,
  models: readonly string[],
  isIn: (row: number) => boolean,
): EvaluatedPool {
  const columns = models.map((model) => evaluations.models.indexOf(model));
  const width = evaluations.models.length;
  const isWhole = (row: number): boolean =>
    columns.every(
      (column) => column >= 0 && !Number.isNaN(evaluations.scores[row * width + column]!),
    );
  const places = Int32Array.from(evaluations.features.keys()).filter(
    (row) => isIn(row) && isWhole(row),
  );
  const outputTokens = outputsOf(evaluations, columns, places);
  const taken = (value: (row: number, column: number, at: number) => number): Float64Array =>
    Float64Array.from({ length: places.length * columns.length }, (_, at) =>
      value(places[Math.floor(at / columns.length)]!, columns[at % columns.length]!, at),
    );
  const prices = models.map(listPriceOf);
  return {
    name,
    models,
    places,
    rows: places.length,
    outputTokens,
    scores: taken((row, column) => evaluations.scores[row * width + column]!),
    costs: taken((row, column, at) => {
      const own = evaluations.costs[row * width + column]!;
      const [input, output] = prices[at % columns.length]!;
      return Number.isNaN(own)
        ? (evaluations.inputTokens[row]! * input + outputTokens[at]! * output) / 1e6
        : own;
    }),
    features: Array.from(places, (row) => evaluations.features[row]!),
    inputTokens: Float64Array.from(places, (row) => evaluations.inputTokens[row]!),
    groups: Array.from(places, (row) => evaluations.groups[row]!),
  };
}

/** Output tokens where nobody tells any. */
const usualOutput = 200;

function outputsOf(
  { outputTokens, models, sources }: PublishedEvaluations,
  columns: readonly number[],
  places: Int32Array,
): Float64Array {
  const sums = new Map<string, { sum: number; count: number }>();
  const add = (key: string, tokens: number): void => {
    const held = sums.get(key) ?? { sum: 0, count: 0 };
    sums.set(key, { sum: held.sum + tokens, count: held.count + 1 });
  };
  for (const row of places) {
    for (const column of columns) {
      const tokens = outputTokens[row * models.length + column]!;
      if (Number.isNaN(tokens)) continue;
      add(`${sources[row]!} ${column}`, tokens);
      add(sources[row]!, tokens);
    }
  }
  const meanOf = (key: string): number | null => {
    const held = sums.get(key);
    return held ? held.sum / held.count : null;
  };
  return Float64Array.from({ length: places.length * columns.length }, (_, at) => {
    const row = places[Math.floor(at / columns.length)]!,
      column = columns[at % columns.length]!;
    const tokens = outputTokens[row * models.length + column]!;
    return Number.isNaN(tokens)
      ? (meanOf(`${sources[row]!} ${column}`) ?? meanOf(sources[row]!) ?? usualOutput)
      : tokens;
  });
}

/** Some rows of a pool. */
export function partOf(pool: EvaluatedPool, isIn: (row: number) => boolean): EvaluatedPool {
  const kept = Int32Array.from({ length: pool.rows }, (_, row) => row).filter(isIn),
    width = pool.models.length;
  const cells = (from: Float64Array): Float64Array =>
    Float64Array.from(
      { length: kept.length * width },
      (_, at) => from[kept[Math.floor(at / width)]! * width + (at % width)]!,
    );
  return {
    name: pool.name,
    models: pool.models,
    rows: kept.length,
    scores: cells(pool.scores),
    costs: cells(pool.costs),
    outputTokens: cells(pool.outputTokens),
    places: Int32Array.from(kept, (row) => pool.places[row]!),
    features: Array.from(kept, (row) => pool.features[row]!),
    inputTokens: Float64Array.from(kept, (row) => pool.inputTokens[row]!),
    groups: Array.from(kept, (row) => pool.groups[row]!),
  };
}

/** At most about so many rows of a pool, always the same ones; equal prompts stay together. */
export function atMost(pool: EvaluatedPool, rows: number): EvaluatedPool {
  if (pool.rows <= rows) return pool;
  const parts = 1000,
    share = (parts * rows) / pool.rows;
  return partOf(pool, (row) => foldOf(`${pool.groups[row]!} sample`, parts) < share);
}

/** The pools of the protocol in distribution: frontier-12 and mmlu-pro-11. Where the evaluations hold neither, one pool of all that they hold. */
export function namedPools(evaluations: PublishedEvaluations): EvaluatedPool[] {
  const from =
    (sources: readonly string[]) =>
    (row: number): boolean =>
      sources.includes(evaluations.sources[row]!);
  const pools = [
    gatherPool(evaluations, 'frontier-12', frontierModels, from(frontierSources)),
    gatherPool(evaluations, 'mmlu-pro-11', mmluModels, from(['mmlu_pro'])),
  ].filter(({ rows }) => rows > 0);
  return pools.length > 0
    ? pools
    : [gatherPool(evaluations, 'all', evaluations.models, () => true)];
}

const fewestRows = 100;

/** The pools of one family: one for each source that measured it. */
export function poolsOfFamily(evaluations: PublishedEvaluations, family: string): EvaluatedPool[] {
  const isIn = (row: number): boolean => evaluations.families[evaluations.tasks[row]!] === family;
  const sources = [...new Set(evaluations.sources.filter((_, row) => isIn(row)))];
  return sources
    .map((source) => {
      const isOfSource = (row: number): boolean => evaluations.sources[row] === source && isIn(row);
      return gatherPool(
        evaluations,
        `${family} (${source})`,
        modelsBySource[source] ?? measuredModels(evaluations, isOfSource),
        isOfSource,
      );
    })
    .filter(({ rows }) => rows >= fewestRows);
}

/** The pool of a family's largest source; null where all are too small. */
export function largestPoolOf(
  evaluations: PublishedEvaluations,
  family: string,
): EvaluatedPool | null {
  return poolsOfFamily(evaluations, family).sort((a, b) => b.rows - a.rows)[0] ?? null;
}

/** Models that answered nearly all of some rows. */
function measuredModels(
  { models, scores, features }: PublishedEvaluations,
  isIn: (row: number) => boolean,
): string[] {
  const rows = [...features.keys()].filter(isIn);
  return models.filter(
    (_, column) =>
      rows.filter((row) => !Number.isNaN(scores[row * models.length + column]!)).length >
      0.99 * rows.length,
  );
}
