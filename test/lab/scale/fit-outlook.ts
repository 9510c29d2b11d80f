import type { OutlookWeights } from '../../../src/chooser/outlook/outlook-weights.js';
import { denseNames } from '../../../src/chooser/predictor/features/features.js';
import { lineThrough } from '../abilities/line-through.js';
import { scaledDense } from '../../../src/chooser/predictor/columns.js';
import { gramBuckets } from '../../../src/chooser/predictor/features/grams.js';
import { type Scaling, scalingOf } from '../fit/fit-embedding.js';
import { quantise } from '../fit/fit-predictor.js';
import { type DifficultyRow, fitDifficultyScale, usualDifficulty } from './fit-difficulty-scale.js';
import { fitLabels, type LabelledRow } from './fit-labels.js';
import { languageGroups, languageOf, requestKindOf, requestKinds } from './label-rows.js';
import type { LinearPart } from './linear-part.js';
import { isOwn, type ScaleRow } from './scale-rows.js';
import { writtenOtherwise } from './written-otherwise.js';

/** The ability of a model on a kind of task in a language at an effort; NaN: not known. */
export type AbilityOf = (
  model: string,
  row: Pick<ScaleRow, 'kind' | 'language'>,
  effort: string,
) => number;

/**
 * How hard people's tiers are on the scale of abilities: on SIMPLE small models of 2025 answer as
 * well as the best, on REASONING they do not.
 */
const tiers: Readonly<Record<string, number>> = {
  SIMPLE: -4.2,
  MEDIUM: -2,
  COMPLEX: -0.2,
  REASONING: 0.8,
};
/** A family with more texts than this counts for as many as the square root allows. */
const fullFamily = 600;
/** Of one family, so many texts show what kinds and languages look like. */
const maxLabelled = 2_500;
/** Our own prompts are few, and of kinds that others do not have. */
const ownWeight = 2;

/** Of our own prompts, most are easy; short hard ones look like them, and count for more. */
const rarity = ({ task, tier }: ScaleRow): number =>
  isOwn(task) && (tier === 'COMPLEX' || tier === 'REASONING') ? 2 : 1;

/** The rows that difficulty is fitted to. */
function difficultyRows(rows: readonly ScaleRow[], abilityOf: AbilityOf): DifficultyRow[] {
  const sizes = sizesOf(rows);
  return rows.flatMap((row) => {
    const answers = row.answers
      .map(({ model, effort, score }) => ({ ability: abilityOf(model, row, effort), score }))
      .filter(({ ability }) => !Number.isNaN(ability));
    if (row.tier === null && answers.length === 0) return [];
    const known = row.tier === null ? Math.min(1, 0.3 + answers.length / 10) : 1.5;
    return [
      {
        features: row.features,
        weight:
          known * Math.min(1, Math.sqrt(fullFamily / sizes.get(sourceOf(row))!)) * rarity(row),
        abilities: Float32Array.from(answers, ({ ability }) => ability),
        scores: Float32Array.from(answers, ({ score }) => score),
        stated: row.tier === null ? null : tiers[row.tier]!,
      },
    ];
  });
}

/** Fits what reads kinds, languages and difficulty of requests. Takes minutes. */
export function fitOutlook(
  given: readonly ScaleRow[],
  abilityOf: AbilityOf,
  { name, seed, difficultyError }: { name: string; seed: number; difficultyError: number },
): OutlookWeights {
  const scaling = scalingOf(given.map(({ features }) => features));
  // a final mark and capitals change nothing that is asked: no weight is fitted to them
  for (const name of ['endsAsking', 'capitalShare']) scaling.scale[denseNames.indexOf(name)] = 0;
  const rows = [...given, ...writtenOtherwise(given)];
  const { difficulty, ceiling } = fitDifficultyScale(difficultyRows(rows, abilityOf), scaling);
  const shown = fewOfEachFamily(rows);
  const kinds = Object.keys(requestKinds);
  const labelled = (
    labels: readonly string[],
    of: (row: ScaleRow) => string | null,
  ): LinearPart[] => fitLabels(labelledRows(shown, labels, of), labels.length, scaling, seed);
  const [everyday, benchmark] = labelled(['everyday', 'benchmark'], ({ family }) =>
    family === 'everyday' ? 'everyday' : 'benchmark',
  );
  return {
    name,
    denseNames,
    kinds: kinds.map((kind) => ({ name: kind, ability: requestKinds[kind]! })),
    languages: languageGroups,
    slope: usualDifficulty.slope,
    difficultyError,
    everydayDifficulty: lineToTiers(rows, difficulty, scaling),
    ...packed(scaling, [
      difficulty.weights(),
      ceiling.weights(),
      difference(everyday!, benchmark!),
      ...labelled(kinds, requestKindOf).map((part) => part.weights()),
      ...labelled(languageGroups, languageOf).map((part) => part.weights()),
    ]),
  };
}

/**
 * The line from the difficulties that were fitted to those that people's tiers state, through the
 * means of the tiers of published prompts: many of our own are of one template, and are fitted more
 * closely than new ones will be. Shrinking the factors of the features draws all difficulties together.
 */
function lineToTiers(
  rows: readonly ScaleRow[],
  difficulty: LinearPart,
  scaling: Scaling,
): OutlookWeights['everydayDifficulty'] {
  const points = Object.entries(tiers).flatMap(([tier, y]) => {
    const fitted = rows
      .filter((row) => row.tier === tier && !isOwn(row.task))
      .map(({ features }) => difficulty.at(features, scaledDense(features.dense, scaling)));
    return fitted.length === 0 ? [] : [{ x: meanOf(fitted), y }];
  });
  return { ...lineThrough(points), most: Math.max(...Object.values(tiers)) };
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / values.length;

type Column = ReturnType<LinearPart['weights']>;

function difference(one: LinearPart, other: LinearPart): Column {
  const [a, b] = [one.weights(), other.weights()];
  return {
    grams: a.grams.map((value, at) => value - b.grams[at]!),
    dense: a.dense.map((value, at) => value - b.dense[at]!),
    bias: a.bias - b.bias,
  };
}

function packed(
  { mean, scale }: Scaling,
  columns: readonly Column[],
): Pick<OutlookWeights, 'mean' | 'scale' | 'grams' | 'gramScale' | 'dense' | 'bias'> {
  const width = columns.length;
  const grams = new Float32Array(gramBuckets * width),
    dense = new Float32Array(denseNames.length * width);
  columns.forEach((column, at) => {
    column.grams.forEach((value, bucket) => (grams[bucket * width + at] = value));
    column.dense.forEach((value, feature) => (dense[feature * width + at] = value));
  });
  const { numbers, units } = quantise(grams, width);
  return {
    mean,
    scale,
    grams: numbers,
    gramScale: units,
    dense,
    bias: Float32Array.from(columns, ({ bias }) => bias),
  };
}

/** The family; prompts of our own are one beside other everyday prompts, or these would fade. */
const sourceOf = ({ family, task }: ScaleRow): string => (isOwn(task) ? 'own' : family);

function sizesOf(rows: readonly ScaleRow[]): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const row of rows) sizes.set(sourceOf(row), (sizes.get(sourceOf(row)) ?? 0) + 1);
  return sizes;
}

/** All of our own prompts, and some of each family. */
function fewOfEachFamily(rows: readonly ScaleRow[]): ScaleRow[] {
  const sizes = sizesOf(rows);
  const seen = new Map<string, number>();
  return rows.filter((row) => {
    const source = sourceOf(row),
      at = (seen.get(source) ?? -1) + 1;
    seen.set(source, at);
    return isOwn(row.task) || at % Math.ceil(sizes.get(source)! / maxLabelled) === 0;
  });
}

/** Rows with a label; rare labels count for more. */
function labelledRows(
  rows: readonly ScaleRow[],
  labels: readonly string[],
  of: (row: ScaleRow) => string | null,
): LabelledRow[] {
  const places = rows.map((row) => labels.indexOf(of(row) ?? ''));
  const counts = labels.map((_, label) => places.filter((one) => one === label).length);
  const most = Math.max(...counts);
  return rows.flatMap(({ features, task }, at) => {
    const label = places[at]!;
    if (label < 0) return [];
    const rare = Math.min(4, Math.sqrt(most / counts[label]!) / 3 + 0.3);
    return [{ features, label, weight: rare * (isOwn(task) ? ownWeight : 1) }];
  });
}
