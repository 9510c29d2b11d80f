import { denseNames } from '../../../src/chooser/predictor/features/features.js';
import type { Evaluations } from './evaluations.js';
import { fitCentres, placeOf } from './fit-centres.js';
import { fitDifficulty } from './fit-difficulty.js';
import { type Embedding, fitEmbedding, type Scaling, scalingOf } from './fit-embedding.js';
import { defaultGate } from './fit-gate.js';
import { fitDifficultySlopes } from './fit-slopes.js';
import { fitLengths } from './fit-lengths.js';
import { fitTables } from './fit-tables.js';
import type { Tables } from './tables.js';
import { chancesWithout, fitTrust } from './fit-trust.js';
import { fitTrustedPrototypes, type TrustedPrototypes } from './trust-prototypes.js';
import { foldOf } from './published-evaluations.js';
import type { PredictorWeights } from '../../../src/chooser/predictor/predictor-file.js';

/** Options of fitting a predictor. */
export interface FitOptions {
  readonly seed: number;
  /** Name of the weights, for people. */
  readonly name: string;
  /** By model: its publicly known ability, 0..1. */
  readonly known: ArrayLike<number>;
  /** Absent: `defaultGate`. */
  readonly gate?: Float32Array;
  readonly epochs?: number;
  /** Fits only what locates a text; difficulty, slopes and prototypes stay empty. */
  readonly isPlaceOnly?: boolean;
  readonly onProgress?: (share: number, doing: string) => void;
}

const rank = 32;
const defaultEpochs = 4;

/**
 * Fits a predictor to some rows of evaluations. The same rows and seed give the same weights, to
 * the last bit.
 */
export function fitPredictor(
  evaluations: Evaluations,
  rows: Int32Array,
  {
    seed,
    name,
    known,
    gate = defaultGate,
    epochs = defaultEpochs,
    isPlaceOnly = false,
    onProgress = () => undefined,
  }: FitOptions,
): PredictorWeights {
  const features = Array.from(rows, (row) => evaluations.features[row]!);
  const tasks = Int32Array.from(rows, (row) => evaluations.tasks[row]!);
  const taskCount = evaluations.taskNames.length;
  const scaling = scalingOf(features);
  const embedding = fitEmbedding(
    { features, tasks, taskCount, scaling },
    { rank, epochs, seed, onProgress: (share) => onProgress(share * 0.7, 'kinds of tasks') },
  );
  const centres = fitCentres(
    features.map((one) => placeOf(one, embedding, scaling)),
    tasks,
    taskCount,
    rank,
  );
  const tables = fitTables(evaluations, rows, known);
  onProgress(0.75, 'abilities');
  const texts = fitTexts(
    evaluations,
    isPlaceOnly ? rows.subarray(0, 0) : rows,
    tables,
    scaling,
    seed,
  );
  onProgress(0.95, 'single texts');
  const lengths = fitLengths(evaluations, rows, scaling);
  onProgress(1, 'lengths of answers');
  return {
    name,
    denseNames,
    rank,
    taskNames: evaluations.taskNames,
    models: evaluations.models,
    ...scaling,
    ...quantisedGrams(embedding),
    dense: embedding.dense,
    bias: embedding.bias,
    tasks: embedding.tasks,
    taskBias: embedding.taskBias,
    ...centres,
    gate,
    shares: tables.shares,
    counts: tables.counts,
    ability: tables.ability,
    discrimination: tables.discrimination,
    hardness: tables.hardness,
    general: Float32Array.from([tables.generalHardness, tables.publicGain, tables.publicBias]),
    ...texts,
    taskLengths: lengths.tasks,
    denseLengths: lengths.dense,
    modelLengths: lengths.models,
  };
}

type Texts = Pick<
  PredictorWeights,
  | 'slopes'
  | 'difficultyGrams'
  | 'difficultyScale'
  | 'difficultyDense'
  | 'difficultyMeans'
  | 'generalDifficulty'
  | 'trust'
  | keyof TrustedPrototypes
>;

/** One of so many folds is kept back, to judge what was learned from the others. */
const foldsKeptBack = 8;

/** What single texts add to what their tasks say, and how far that can be trusted. */
function fitTexts(
  evaluations: Evaluations,
  rows: Int32Array,
  tables: Tables,
  scaling: Scaling,
  seed: number,
): Texts {
  const isKept = (row: number): boolean =>
    foldOf(`${evaluations.groups[row]!} kept back`, foldsKeptBack) === 0;
  const learned = rows.filter((row) => !isKept(row));
  const difficulty = fitDifficulty(evaluations, learned, tables, scaling, seed);
  const slopes = fitDifficultySlopes(evaluations, rows, tables, scaling, seed);
  const keptBack = rows.filter(isKept),
    parts = { tables, difficulty, slopes };
  const trust = fitTrust(evaluations, { learned, keptBack }, parts, scaling);
  const prototypes = fitTrustedPrototypes(
    evaluations,
    { learned, keptBack },
    tables,
    chancesWithout(evaluations, parts, trust, scaling),
    seed,
  );
  const hard = quantise(difficulty.grams, 1);
  return {
    slopes,
    difficultyGrams: hard.numbers,
    difficultyScale: hard.units,
    difficultyDense: difficulty.dense,
    difficultyMeans: difficulty.means,
    generalDifficulty: difficulty.general,
    trust,
    ...prototypes,
  };
}

function quantisedGrams({ grams, rank }: Embedding): Pick<PredictorWeights, 'grams' | 'gramScale'> {
  const { numbers, units } = quantise(grams, rank);
  return { grams: numbers, gramScale: units };
}

/**
 * Units for a standard deviation: fine enough for sums of hundreds, and small in the packed file.
 */
const unitsPerDeviation = 4;

/** Rounds numbers to -127..127 times one unit for each of `columns` columns. Clips outliers. */
export function quantise(
  values: Float32Array,
  columns: number,
): { numbers: Int8Array; units: Float32Array } {
  const squares = new Float64Array(columns);
  for (let at = 0; at < values.length; at++) squares[at % columns]! += values[at]! ** 2;
  const units = Float32Array.from(
    squares,
    (sum) => Math.sqrt((sum * columns) / values.length) / unitsPerDeviation || 1,
  );
  return {
    numbers: Int8Array.from(values, (value, at) =>
      Math.max(-127, Math.min(127, Math.round(value / units[at % columns]!))),
    ),
    units,
  };
}
