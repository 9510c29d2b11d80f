import { describe, expect, it } from 'vitest';
import type { BaselinePrompt } from '../baselines/learner.js';
import { logisticHeads } from '../baselines/logistic-heads.js';
import { nearestNeighbours } from '../baselines/nearest-neighbours.js';
import { randomForest } from '../baselines/random-forest.js';
import { cheapestOf } from '../baselines/single-models.js';
import { singlesOf, type Pool } from '../../../src/chooser/training/custom/cost-curve.js';
import { judge } from '../judge.js';
import { gatherPool, partOf, type EvaluatedPool } from '../pools.js';
import { profileOfPredictions } from '../profiles.js';
import { rowsWithoutFold, tryFold } from '../protocols/in-distribution.js';
import { rowsWithoutFamilies } from '../protocols/held-out-family.js';
import { blocksOf, rowsWithoutBlock } from '../protocols/held-out-gate.js';
import { joinTrials, spanOf, type Trial } from '../protocols/trial.js';
import { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import { fitPredictor } from '../fit/fit-predictor.js';
import { createRandomStream } from '../random.js';
import { publishedOf } from '../../helpers/published-evaluations.js';
import { smallEvaluations } from '../../helpers/small-evaluations.js';

const models = ['coder-70b', 'scholar-70b', 'cheap-8b'];
const draw = { draws: 60, seed: 1 };

function smallTrial(predict: (pool: Pool) => Float64Array): Trial {
  const { scores, prompts } = smallEvaluations(300);
  const price = [3, 3, 0.2];
  const pool: Pool = {
    models,
    rows: 300,
    scores: Float64Array.from(scores),
    costs: Float64Array.from(scores, (_, at) => price[at % 3]! * 1e-3),
  };
  const singles = singlesOf(pool),
    cheapest = cheapestOf(singles),
    quality = predict(pool);
  const profile = profileOfPredictions(
    pool,
    { quality, cost: pool.costs },
    { cheapest, span: spanOf(singles, cheapest) },
  );
  return {
    name: 'small',
    pool,
    groups: prompts,
    outcomes: { router: { profile, quality }, 'zero router, known': { profile, quality: null } },
  };
}

/** Every prompt appears twice, with random scores that only its copy could reveal. */
function doubled(): ReturnType<typeof publishedOf> {
  const random = createRandomStream(5);
  const word = (): string =>
    Array.from({ length: 6 }, () => String.fromCharCode(97 + Math.floor(random.next() * 26))).join(
      '',
    );
  const rows = Array.from({ length: 300 }, (_, group) => {
    const best = Math.floor(random.next() * 3);
    return {
      prompt: Array.from({ length: 6 }, word).join(' '),
      group: `group ${group}`,
      scores: [0, 1, 2].map((model) => (model === best ? 1 : 0)),
    };
  });
  return publishedOf(models, [...rows, ...rows]);
}

const promptOf = ({ features, prompts }: EvaluatedPool, row: number): BaselinePrompt => ({
  features: features[row]!,
  text: prompts[row]!,
});

const accuracyOf = (pool: EvaluatedPool, predict: (row: number) => ArrayLike<number>): number => {
  let sum = 0;
  for (let row = 0; row < pool.rows; row++) {
    const quality = Array.from(predict(row));
    sum += pool.scores[row * 3 + quality.indexOf(Math.max(...quality))]!;
  }
  return sum / pool.rows;
};

describe('the judge', () => {
  it('gives a method that knows the scores the figures of the oracle', () => {
    const { methods } = judge(
      smallTrial(({ scores }) => scores),
      draw,
    );
    for (const figure of ['accuracy', 'gain', 'aiq', 'overZero', 'costOfBest', 'costOf95'] as const)
      expect(methods['router']![figure]).toEqual(methods['oracle']![figure]);
    expect(methods['router']!.calibration!.value).toBe(0);
    expect(methods['router']!.gain!.low).toBeGreaterThan(0);
  });

  it('finds no gain in a method that predicts the same for every prompt', () => {
    const { methods, singles } = judge(
      smallTrial(({ scores }) => Float64Array.from(scores, (_, at) => [0.6, 0.5, 0.4][at % 3]!)),
      draw,
    );
    expect(methods['router']!.accuracy!.value).toBeCloseTo(singles[0]!.score);
    expect(methods['router']!.overZero!.value).toBeLessThanOrEqual(1e-9);
  });

  it('gives the same figures for the same seed', () => {
    const trial = smallTrial(({ scores }) => scores);
    expect(judge(trial, draw).methods).toEqual(judge(trial, draw).methods);
  });
});

describe('the judged rows', () => {
  const evaluations = doubled();
  const all = (): boolean => true;

  it(
    'were never seen: scores that only a copy of the prompt could reveal bring no gain',
    { timeout: 120_000 },
    () => {
      const trials = [0, 1].map((fold) => {
        const rows = rowsWithoutFold(evaluations, fold);
        const predictor = new QualityPredictor(
          fitPredictor(evaluations, rows, {
            seed: 1,
            name: 'small',
            known: [0.5, 0.5, 0.5],
            epochs: 1,
          }),
        );
        return tryFold(evaluations, predictor, fold, 1)[0]!;
      });
      const verdict = judge(joinTrials(trials), draw);
      expect(verdict.rows).toBeGreaterThan(150);
      for (const way of [
        'router',
        'nearest neighbours',
        'random forest',
        'logistic heads',
        'length only',
      ])
        expect(verdict.methods[way]!.gain!.low).toBeLessThan(0.03);
    },
  );

  it('would bring a gain if copies were on both sides of the split: the test above can fail', () => {
    const pool = gatherPool(evaluations, 'all', models, all);
    const learned = partOf(pool, (row) => row < 300),
      copies = partOf(pool, (row) => row >= 300);
    const predict = nearestNeighbours(learned, 1);
    expect(accuracyOf(copies, (row) => predict(promptOf(copies, row)))).toBeGreaterThan(0.8);
  });

  it('are in exactly one fold, together with their copies', () => {
    const seen = [0, 1, 2, 3, 4].map((fold) => new Set(rowsWithoutFold(evaluations, fold)));
    for (let row = 0; row < 300; row++)
      expect(seen.map((rows) => rows.has(row))).toEqual(seen.map((rows) => rows.has(row + 300)));
    for (let row = 0; row < 600; row++)
      expect(seen.filter((rows) => !rows.has(row))).toHaveLength(1);
  });

  it('are held out together with copies that another family lists', () => {
    const two = {
      ...evaluations,
      tasks: Int32Array.from({ length: 600 }, (_, row) => (row < 10 ? 0 : 1)),
      families: ['held', 'other'],
      taskNames: ['a:held', 'b:other'],
    };
    const rows = rowsWithoutFamilies(two, ['held']);
    expect(rows).toHaveLength(580);
    expect(rows.some((row) => row < 10 || (row >= 300 && row < 310))).toBe(false);
    expect(rowsWithoutBlock(two, ['held']).every((row) => rows.includes(row))).toBe(true);
  });
});

describe('blocks of held-out families', () => {
  it('contain every pair of families, and at most four families each', () => {
    const families = Array.from({ length: 13 }, (_, at) => `family ${at}`);
    const blocks = blocksOf(families);
    for (const a of families)
      for (const b of families)
        expect(a === b || blocks.some((block) => block.includes(a) && block.includes(b))).toBe(
          true,
        );
    expect(Math.max(...blocks.map((block) => block.length))).toBe(4);
    expect(blocks.length).toBeLessThan(20);
    expect(blocksOf(['alone'])).toEqual([]);
  });
});

describe('the baselines', { timeout: 120_000 }, () => {
  it('learn which model is good at what, and predict the same for the same seed', () => {
    const { scores, prompts } = smallEvaluations(500);
    const rows = prompts.map((prompt, row) => ({
      prompt,
      group: prompt,
      scores: Array.from(scores.subarray(row * 3, row * 3 + 3)),
    }));
    const pool = gatherPool(publishedOf(models, rows), 'all', models, () => true);
    const trained = partOf(pool, (row) => row < 300),
      tested = partOf(pool, (row) => row >= 300);
    for (const learner of [nearestNeighbours, randomForest, logisticHeads]) {
      const predict = learner(trained, 1),
        again = learner(trained, 1);
      expect(accuracyOf(tested, (row) => predict(promptOf(tested, row)))).toBeGreaterThan(0.85);
      expect(Array.from(again(promptOf(tested, 0)))).toEqual(
        Array.from(predict(promptOf(tested, 0))),
      );
    }
  });
});
