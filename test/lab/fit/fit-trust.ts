import { logit, type Evaluations } from './evaluations.js';
import { sigmoid } from '../../../src/models/numbers.js';
import { difficultyOf, type Difficulty } from './fit-difficulty.js';
import type { Scaling } from './fit-embedding.js';
import type { Tables } from './tables.js';
import type { SplitRows } from './trust-prototypes.js';

/** What was learned of single texts, to be judged. */
export interface Learned {
  readonly tables: Tables;
  readonly difficulty: Difficulty;
  /** By model. */
  readonly slopes: Float32Array;
}

/** The trust if there are few rows, and how many rows (by their information) it counts as. */
const defaultTrust = 0.7;
const prior = 6;
const rounds = 8;
/** The answers to one prompt count as at most this many: each adds less than the one before. */
const maxModels = 6;
const maxTrust = 1.2;
/** Models that were measured in fewer families do not judge. */
const minFamilies = 3;

/** Answers to the prompts of one family. */
interface Answers {
  /** By answer: log odds from the text's difficulty. */
  readonly signals: number[];
  readonly odds: number[];
  readonly scores: number[];
  readonly weights: number[];
}

/** The places of the models that were measured in several families. */
function widelyMeasured(
  { models, scores, tasks, families }: Evaluations,
  rows: Int32Array,
): number[] {
  const seen = models.map(() => new Set<string>());
  for (const row of rows)
    for (let model = 0; model < models.length; model++)
      if (!Number.isNaN(scores[row * models.length + model]!))
        seen[model]!.add(families[tasks[row]!]!);
  return [...models.keys()].filter((model) => seen[model]!.size >= minFamilies);
}

/**
 * How far the difficulty of single texts holds on unseen prompts, by family: logistic regression on
 * what it adds, shrunk towards the default trust.
 * @param rows the tables were fitted to both parts, difficulty to the first alone
 * @returns by task
 */
export function fitTrust(
  evaluations: Evaluations,
  { learned: known, keptBack }: SplitRows,
  learned: Learned,
  scaling: Scaling,
): Float32Array {
  const { families, tasks } = evaluations;
  const byFamily = new Map<string, Answers>();
  const addAnswers = signalsOf(evaluations, widelyMeasured(evaluations, known), learned, scaling);
  for (const row of keptBack) {
    const family = families[tasks[row]!]!;
    const answers = byFamily.get(family) ?? { signals: [], odds: [], scores: [], weights: [] };
    byFamily.set(family, answers);
    addAnswers(row, answers);
  }
  const trusts = new Map([...byFamily].map(([family, answers]) => [family, trustIn(answers)]));
  return Float32Array.from(families, (family) => trusts.get(family) ?? defaultTrust);
}

/** How much harder a row is than its task. */
function hardnessIn(
  { features, tasks }: Evaluations,
  { grams, dense, means }: Difficulty,
  scaling: Scaling,
): (row: number) => number {
  return (row) => difficultyOf(features[row]!, grams, dense, scaling) - means[tasks[row]!]!;
}

/** Adds the answers to a row, with their signals. */
function signalsOf(
  evaluations: Evaluations,
  judging: readonly number[],
  { tables, difficulty, slopes }: Learned,
  scaling: Scaling,
): (row: number, answers: Answers) => void {
  const { scores, tasks, models } = evaluations;
  const width = models.length;
  const hardnessOf = hardnessIn(evaluations, difficulty, scaling);
  return (row, answers) => {
    const hard = hardnessOf(row);
    const measured = judging.filter((model) => !Number.isNaN(scores[row * width + model]!));
    for (const model of measured) {
      answers.signals.push(-slopes[model]! * hard);
      answers.odds.push(logit(tables.shares[tasks[row]! * width + model]!));
      answers.scores.push(scores[row * width + model]!);
      answers.weights.push(Math.min(1, maxModels / measured.length));
    }
  };
}

/**
 * Predicts the chances of all models on a row from tables and difficulty, without prototypes. NaN
 * for a model without a score there.
 * @param trust from `fitTrust`
 */
export function chancesWithout(
  evaluations: Evaluations,
  { tables, difficulty, slopes }: Learned,
  trust: Float32Array,
  scaling: Scaling,
): (row: number) => Float64Array {
  const { scores, tasks, models } = evaluations;
  const width = models.length;
  const hardnessOf = hardnessIn(evaluations, difficulty, scaling);
  return (row) => {
    const task = tasks[row]!,
      hard = trust[task]! * hardnessOf(row);
    return Float64Array.from(models, (_, model) =>
      Number.isNaN(scores[row * width + model]!)
        ? NaN
        : sigmoid(logit(tables.shares[task * width + model]!) - slopes[model]! * hard),
    );
  };
}

/** Logistic regression with offsets on one signal, by Newton's method. */
function trustIn({ signals, odds, scores, weights }: Answers): number {
  let trust = defaultTrust;
  for (let round = 0; round < rounds; round++) {
    let slope = prior * (defaultTrust - trust),
      curve = prior;
    scores.forEach((score, at) => {
      const signal = signals[at]!,
        chance = sigmoid(odds[at]! + trust * signal);
      slope += weights[at]! * (score - chance) * signal;
      curve += weights[at]! * chance * (1 - chance) * signal * signal;
    });
    trust = Math.min(maxTrust, Math.max(0, trust + slope / curve));
  }
  return trust;
}
