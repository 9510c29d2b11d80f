import type { Candidate, Ranker } from '../../../src/chooser/plan.js';
import { choose } from '../choice/chooser.js';
import { classifiers } from '../choice/judge-classification.js';
import { foldOf, type PublishedEvaluations } from '../fit/published-evaluations.js';
import { frontierModels, frontierSources } from '../model-pools.js';
import { type EvaluatedPool, gatherPool } from '../pools.js';
import { listPriceOf } from '../prices.js';
import type { ScaleRow } from '../scale/scale-rows.js';
import type { ChoiceRule, Weighed } from './choice-rules.js';

/** A prompt with what was predicted of each candidate, and what its answer was worth and cost. */
interface GradedPrompt {
  readonly predicted: readonly Weighed[];
  readonly scores: readonly number[];
  /** USD. */
  readonly costs: readonly number[];
}

/** Prompts with graded answers: one half to choose a rule by, the other to judge it by. */
export interface GradedPrompts {
  readonly toChoose: readonly GradedPrompt[];
  readonly toJudge: readonly GradedPrompt[];
}

/** What a rule reaches on graded answers. */
export interface GradedVerdict {
  /** The mean score, 0..1, and its standard error. */
  readonly accuracy: number;
  readonly error: number;
  /** USD per 1,000 prompts. */
  readonly usd: number;
}

/** By hash, so that equal prompts are in one half. */
const halves = <Row>(
  rows: readonly Row[],
  groupOf: (row: Row) => string,
  graded: (row: Row) => GradedPrompt,
): GradedPrompts => {
  const half = (wanted: number): GradedPrompt[] =>
    rows.filter((row) => foldOf(`${groupOf(row)} half`, 2) === wanted).map(graded);
  return { toChoose: half(0), toJudge: half(1) };
};

/** Predicts prompts of the pool frontier-12: programs, tool calls, competition mathematics. */
export function gradedProblems(ranker: Ranker, evaluations: PublishedEvaluations): GradedPrompts {
  const pool = gatherPool(evaluations, 'frontier-12', frontierModels, (row) =>
    frontierSources.includes(evaluations.sources[row]!),
  );
  const candidates = pool.models.map((model): Candidate => {
    const [input, output] = listPriceOf(model);
    return { label: model, provider: null, model, price: { input, output } };
  });
  return halves(
    [...pool.groups.keys()],
    (row) => pool.groups[row]!,
    (row) => gradedProblem(ranker, pool, candidates, row),
  );
}

/** Predicts texts that eleven models of 2025 have labelled; their costs are predicted too. */
export function gradedLabels(ranker: Ranker, rows: readonly ScaleRow[]): GradedPrompts {
  const known = rows.flatMap(({ text, group, answers }) => {
    const scores = new Map(answers.map(({ model, score }) => [model.split('/').at(-1)!, score]));
    return classifiers.every(({ model }) => scores.has(model)) ? [{ text, group, scores }] : [];
  });
  return halves(
    known,
    ({ group }) => group,
    ({ text, scores }) => {
      const ranked = choose(ranker, classifiers, text);
      return {
        predicted: ranked.map(({ why }) => why),
        scores: ranked.map(({ model }) => scores.get(model)!),
        costs: ranked.map(({ why }) => why.cost!),
      };
    },
  );
}

function gradedProblem(
  ranker: Ranker,
  { models, prompts, scores, costs }: EvaluatedPool,
  candidates: readonly Candidate[],
  row: number,
): GradedPrompt {
  const ranked = choose(ranker, candidates, prompts[row]!);
  const places = ranked.map(({ label }) => row * models.length + models.indexOf(label));
  return {
    predicted: ranked.map(({ why }) => why),
    scores: places.map((at) => scores[at]!),
    costs: places.map((at) => costs[at]!),
  };
}

/** What a rule reaches. */
export function judgeGraded(prompts: readonly GradedPrompt[], rule: ChoiceRule): GradedVerdict {
  const count = prompts.length;
  let sum = 0,
    squares = 0,
    bill = 0;
  for (const { predicted, scores, costs } of prompts) {
    const place = rule(predicted);
    sum += scores[place]!;
    squares += scores[place]! ** 2;
    bill += costs[place]!;
  }
  const accuracy = sum / count;
  return {
    accuracy,
    error: Math.sqrt((squares / count - accuracy ** 2) / count),
    usd: (1_000 * bill) / count,
  };
}
