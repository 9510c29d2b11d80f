import { logit, type Evaluations } from './evaluations.js';
import { sigmoid } from '../../../src/models/numbers.js';
import { solve } from '../../../src/chooser/training/custom/linear-systems.js';
import { difficultyOf, type Difficulty } from './fit-difficulty.js';
import type { Scaling } from './fit-embedding.js';
import { headsOf, type Heads } from './fit-heads.js';
import type { Tables } from './tables.js';

/** What was learned of single texts, to be judged. */
export interface Learned {
  readonly tables: Tables;
  readonly difficulty: Difficulty;
  /** By model. */
  readonly slopes: Float32Array;
  readonly heads: Heads;
}

/**
 * Numbers for each task: trust in heads, in difficulty beside a head, and in difficulty without a
 * head.
 */
const trustWidth = 3;

/** The trust if there are few rows, and how many rows (by their information) it counts as. */
const defaultTrustWithHead = [0.5, 0.5],
  defaultTrustAlone = [0.7];
const prior = 6;
const rounds = 8;
/**
 * The answers to one prompt count as at most so many, because each adds less than the one before.
 */
const maxModels = 6;
const maxTrust = 1.2;

/** Answers to the prompts of one family. */
interface Answers {
  /** By answer: log odds from the model's head, and from the text's difficulty. */
  readonly signals: (readonly [head: number, difficulty: number])[];
  readonly odds: number[];
  readonly scores: number[];
  readonly weights: number[];
}

/**
 * How far what was learned of single texts holds on unseen prompts, by family: logistic regression
 * on the signals, shrunk towards the default trust.
 * @param rows prompts that only the tables were fitted to
 * @returns by task, `trustWidth` each
 */
export function fitTrust(
  evaluations: Evaluations,
  rows: Int32Array,
  learned: Learned,
  scaling: Scaling,
): Float32Array {
  const { families, tasks } = evaluations;
  const byFamily = new Map<string, Answers>();
  const addAnswers = signalsOf(evaluations, learned, scaling);
  for (const row of rows) {
    const family = families[tasks[row]!]!;
    const answers = byFamily.get(family) ?? { signals: [], odds: [], scores: [], weights: [] };
    byFamily.set(family, answers);
    addAnswers(row, answers);
  }
  const trusts = new Map(
    [...byFamily].map(([family, answers]) => [
      family,
      [
        ...trustIn(answers, defaultTrustWithHead, (signals) => signals),
        ...trustIn(answers, defaultTrustAlone, ([, difficulty]) => [difficulty]),
      ],
    ]),
  );
  const defaults = [...defaultTrustWithHead, ...defaultTrustAlone];
  return Float32Array.from(
    { length: families.length * trustWidth },
    (_, at) => (trusts.get(families[Math.floor(at / trustWidth)]!) ?? defaults)[at % trustWidth]!,
  );
}

/** Adds the answers to a row, with their signals. */
function signalsOf(
  { features, scores, tasks, models }: Evaluations,
  { tables, difficulty, slopes, heads }: Learned,
  scaling: Scaling,
): (row: number, answers: Answers) => void {
  const width = models.length,
    said = new Float64Array(heads.models.length);
  return (row, answers) => {
    const task = tasks[row]!;
    const hard =
      difficultyOf(features[row]!, difficulty.grams, difficulty.dense, scaling) -
      difficulty.means[task]!;
    headsOf(features[row]!, heads, scaling, said);
    const measured = [...heads.models.keys()].filter(
      (head) => !Number.isNaN(scores[row * width + heads.models[head]!]!),
    );
    for (const head of measured) {
      const model = heads.models[head]!;
      answers.signals.push([
        said[head]! - heads.means[task * said.length + head]!,
        -slopes[model]! * hard,
      ]);
      answers.odds.push(logit(tables.shares[task * width + model]!));
      answers.scores.push(scores[row * width + model]!);
      answers.weights.push(Math.min(1, maxModels / measured.length));
    }
  };
}

/**
 * Predicts the chances of all models on a row from tables, heads and difficulty, without
 * prototypes.
 * NaN for a model without a score there.
 * @param trust from `fitTrust`
 */
export function chancesWithout(
  { features, scores, tasks, models }: Evaluations,
  { tables, difficulty, slopes, heads }: Learned,
  trust: Float32Array,
  scaling: Scaling,
): (row: number) => Float64Array {
  const width = models.length,
    said = new Float64Array(heads.models.length),
    headOf = new Map(Array.from(heads.models, (model, head) => [model, head]));
  return (row) => {
    const task = tasks[row]!,
      [inHeads, besideHeads, alone] = trust.subarray(task * trustWidth);
    const hard =
      difficultyOf(features[row]!, difficulty.grams, difficulty.dense, scaling) -
      difficulty.means[task]!;
    headsOf(features[row]!, heads, scaling, said);
    return Float64Array.from(models, (_, model) => {
      if (Number.isNaN(scores[row * width + model]!)) return NaN;
      const head = headOf.get(model),
        felt = slopes[model]! * hard;
      const extra =
        head === undefined
          ? -alone! * felt
          : inHeads! * (said[head]! - heads.means[task * said.length + head]!) -
            besideHeads! * felt;
      return sigmoid(logit(tables.shares[task * width + model]!) + extra);
    });
  };
}

/** Logistic regression with offsets on a few signals, by Newton's method. */
function trustIn(
  { signals, odds, scores, weights }: Answers,
  defaults: readonly number[],
  seen: (signals: readonly [number, number]) => readonly number[],
): number[] {
  const trust = [...defaults];
  for (let round = 0; round < rounds; round++) {
    const slope = Float64Array.from(trust, (value, at) => prior * (defaults[at]! - value));
    const curve = trust.map((_, at) =>
      Float64Array.from(trust, (__, other) => (at === other ? prior : 0)),
    );
    scores.forEach((score, at) => {
      const inputs = seen(signals[at]!);
      const chance = sigmoid(
        inputs.reduce((sum, signal, j) => sum + trust[j]! * signal, odds[at]!),
      );
      inputs.forEach((signal, j) => {
        slope[j]! += weights[at]! * (score - chance) * signal;
        for (let k = 0; k <= j; k++)
          curve[j]![k]! += weights[at]! * chance * (1 - chance) * signal * inputs[k]!;
      });
    });
    solve(curve, slope).forEach(
      (step, at) => (trust[at] = Math.min(maxTrust, Math.max(0, trust[at]! + step))),
    );
  }
  return trust;
}
