import { logit, type Evaluations } from './evaluations.js';
import { sigmoid } from '../../../src/routing/numbers.js';
import { solve } from '../../../src/training/custom/linear-systems.js';
import { difficultyOf, type Difficulty } from './fit-difficulty.js';
import type { Scaling } from './fit-embedding.js';
import { headsOf, type Heads } from './fit-heads.js';
import type { Tables } from './fit-tables.js';

/** What is to be judged. */
export interface Learned {
  readonly tables: Tables;
  readonly difficulty: Difficulty;
  /** By model. */
  readonly slopes: Float32Array;
  readonly heads: Heads;
}

/** How many numbers each task has: trust in heads, in difficulty beside them, and in difficulty where there is no head. */
export const trustWidth = 3;

/** What is believed where few rows tell, and how many rows (at their information) that is worth. */
const usualBoth = [0.5, 0.5],
  usualAlone = [0.7];
const prior = 6;
const rounds = 8;
/** More models on one prompt tell less and less. */
const mostModels = 6;
const most = 1.2;

/** Answers of one family, each with what is known of it. */
interface Answers {
  /** By answer: what the model's head says, and what the text's difficulty does. */
  readonly signals: (readonly [head: number, difficulty: number])[];
  readonly odds: number[];
  readonly scores: number[];
  readonly weights: number[];
}

/**
 * How much of what was learned of single texts holds on prompts that the learning did not see, family by family: logistic regression on the
 * signals, drawn to what is usual.
 * @param rows prompts that nothing but the tables was fitted to
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
  const tell = signalsOf(evaluations, learned, scaling);
  for (const row of rows) {
    const family = families[tasks[row]!]!;
    const answers = byFamily.get(family) ?? { signals: [], odds: [], scores: [], weights: [] };
    byFamily.set(family, answers);
    tell(row, answers);
  }
  const trusts = new Map(
    [...byFamily].map(([family, answers]) => [
      family,
      [
        ...trustIn(answers, usualBoth, (signals) => signals),
        ...trustIn(answers, usualAlone, ([, difficulty]) => [difficulty]),
      ],
    ]),
  );
  const usual = [...usualBoth, ...usualAlone];
  return Float32Array.from(
    { length: families.length * trustWidth },
    (_, at) => (trusts.get(families[Math.floor(at / trustWidth)]!) ?? usual)[at % trustWidth]!,
  );
}

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
      answers.weights.push(Math.min(1, mostModels / measured.length));
    }
  };
}

/** The chances of all models on a row, NaN for one that nobody measured there, as heads and difficulty tell them. @param trust as `fitTrust` found it */
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
      const beside =
        head === undefined
          ? -alone! * felt
          : inHeads! * (said[head]! - heads.means[task * said.length + head]!) -
            besideHeads! * felt;
      return sigmoid(logit(tables.shares[task * width + model]!) + beside);
    });
  };
}

/** Newton's method on a few coefficients. */
function trustIn(
  { signals, odds, scores, weights }: Answers,
  usual: readonly number[],
  seen: (signals: readonly [number, number]) => readonly number[],
): number[] {
  const trust = [...usual];
  for (let round = 0; round < rounds; round++) {
    const slope = Float64Array.from(trust, (value, at) => prior * (usual[at]! - value));
    const curve = trust.map((_, at) =>
      Float64Array.from(trust, (__, other) => (at === other ? prior : 0)),
    );
    scores.forEach((score, at) => {
      const told = seen(signals[at]!);
      const chance = sigmoid(told.reduce((sum, signal, j) => sum + trust[j]! * signal, odds[at]!));
      told.forEach((signal, j) => {
        slope[j]! += weights[at]! * (score - chance) * signal;
        for (let k = 0; k <= j; k++)
          curve[j]![k]! += weights[at]! * chance * (1 - chance) * signal * told[k]!;
      });
    });
    solve(curve, slope).forEach(
      (step, at) => (trust[at] = Math.min(most, Math.max(0, trust[at]! + step))),
    );
  }
  return trust;
}
