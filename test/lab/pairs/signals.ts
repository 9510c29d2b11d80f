import type { ModelAbilities } from '../../../src/chooser/outlook/model-abilities.js';
import type { OutlookReader } from '../../../src/chooser/outlook/read-outlook.js';
import { scaledDense } from '../../../src/chooser/predictor/columns.js';
import { denseNames, type Features } from '../../../src/chooser/predictor/features/features.js';
import { scalingOf } from '../fit/fit-embedding.js';
import type { EvaluatedPool } from '../pools.js';
import { LinearPart } from '../scale/linear-part.js';
import { type Pair, pairsOf } from './zero-shot-pairs.js';
import { seeded, shuffle } from '../../../src/chooser/training/custom/bootstrap.js';

/** The prompts of one pool, and by how much strong models are better on each. */
export interface GapPool {
  readonly pool: EvaluatedPool;
  readonly pairs: readonly Pair[];
  /** By row: the scores of strong models less those of weak ones, summed over the pairs. */
  readonly gaps: Float64Array;
}

/** A family of benchmarks, with those pools that have a strong and a weak model. */
export interface GapFamily {
  readonly name: string;
  readonly pools: readonly GapPool[];
}

/** What may tell on which prompts a strong model is worth its price: a number for each prompt. */
export interface Signal {
  readonly name: string;
  /** By pool, then by row. */
  readonly values: readonly Float64Array[];
}

/** The family, or null if none of its pools has a pair. */
export function gapFamily(
  name: string,
  pools: readonly EvaluatedPool[],
  abilities: ModelAbilities,
): GapFamily | null {
  const judged = pools.flatMap((pool): GapPool[] => {
    const pairs = pairsOf(pool.models, abilities);
    if (pairs.length === 0) return [];
    const score = (row: number, model: number): number =>
      pool.scores[row * pool.models.length + model]!;
    const gaps = Float64Array.from({ length: pool.rows }, (_, row) =>
      pairs.reduce((sum, [strong, weak]) => sum + score(row, strong) - score(row, weak), 0),
    );
    return [{ pool, pairs, gaps }];
  });
  return judged.length === 0 ? null : { name, pools: judged };
}

const signalOf = (
  name: string,
  { pools }: GapFamily,
  valueOf: (features: Features, prompt: string) => number,
): Signal => ({
  name,
  values: pools.map(({ pool }) =>
    Float64Array.from(pool.features, (features, row) => valueOf(features, pool.prompts[row]!)),
  ),
});

/**
 * What can be read of a text: the length of the prompt first, then each feature, and what the
 * reader of requests says of difficulty, kinds and languages.
 */
export function readSignals(family: GapFamily, reader: OutlookReader): Signal[] {
  const outlooks = new Map(
    family.pools.flatMap(({ pool }) => pool.features.map((one) => [one, reader.read(one)])),
  );
  const shareOf =
    (list: 'kinds' | 'languages', name: string) =>
    (features: Features): number =>
      outlooks.get(features)![list].find((one) => one.name === name)?.share ?? 0;
  const { kinds, languages } = reader.weights;
  return [
    signalOf('length', family, (_, prompt) => prompt.length),
    ...denseNames.map((name, at) => signalOf(name, family, ({ dense }) => dense[at]!)),
    ...(['difficulty', 'ceiling', 'everyday'] as const).map((name) =>
      signalOf(name, family, (features) => outlooks.get(features)![name]),
    ),
    ...kinds.map(({ name }) => signalOf(`kind ${name}`, family, shareOf('kinds', name))),
    ...languages
      .slice(1)
      .map((name) => signalOf(`language ${name}`, family, shareOf('languages', name))),
  ];
}

const epochs = 6,
  rate = 0.08;
const decay = { grams: 0.014, dense: 0.0005 };
/** A family with more prompts than this counts for as many as the square root allows. */
const fullFamily = 600;

/** A prompt, and what a line is to say of it: relative to the mean of its pool. */
interface Target {
  readonly features: Features;
  readonly dense: Float64Array;
  readonly value: number;
  readonly weight: number;
}

/**
 * Two signals fitted to other families, with all features and n-grams: by how much strong models
 * are better on a prompt than on its pool, and by how much all models are worse.
 */
export function fittedSignals(family: GapFamily, families: readonly GapFamily[]): Signal[] {
  const held = new Set(family.pools.flatMap(({ pool }) => pool.groups));
  const others = families.filter((one) => one.name !== family.name);
  const scaling = scalingOf(
    others.flatMap(({ pools }) => pools.flatMap((one) => one.pool.features)),
  );
  const fitted = (name: string, valueOf: (pool: GapPool, row: number) => number): Signal => {
    const line = new LinearPart(0, decay);
    const targets = others.flatMap((other) => targetsOf(other, held, valueOf));
    const rows = targets.map((one) => ({
      ...one,
      dense: scaledDense(one.features.dense, scaling),
    }));
    descend(line, rows);
    return signalOf(name, family, (features) =>
      line.at(features, scaledDense(features.dense, scaling)),
    );
  };
  return [
    fitted('gap, fitted to others', ({ gaps, pairs }, row) => gaps[row]! / pairs.length),
    fitted('difficulty, fitted to others', ({ pool }, row) => -meanScore(pool, row)),
  ];
}

const meanScore = ({ scores, models }: EvaluatedPool, row: number): number =>
  models.reduce((sum, _, at) => sum + scores[row * models.length + at]!, 0) / models.length;

function targetsOf(
  { pools }: GapFamily,
  held: ReadonlySet<string>,
  valueOf: (pool: GapPool, row: number) => number,
): Omit<Target, 'dense'>[] {
  const rows = pools.reduce((sum, { pool }) => sum + pool.rows, 0);
  const weight = Math.min(1, Math.sqrt(fullFamily / rows));
  return pools.flatMap((one) => {
    const values = one.pool.features.map((_, row) => valueOf(one, row));
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return one.pool.features.flatMap((features, row) =>
      held.has(one.pool.groups[row]!) ? [] : [{ features, value: values[row]! - mean, weight }],
    );
  });
}

function descend(line: LinearPart, rows: readonly Target[]): void {
  const order = Int32Array.from(rows, (_, at) => at);
  const random = seeded(1);
  for (let epoch = 0, step = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const at of order) {
      const { features, dense, value, weight } = rows[at]!;
      const now = weight * rate * (1 - step++ / (rows.length * epochs));
      line.step(features, dense, line.at(features, dense) - value, now);
    }
  }
}
