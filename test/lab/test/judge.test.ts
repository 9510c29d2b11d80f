import { describe, expect, it } from 'vitest';
import { nearestNeighbours } from '../baselines/nearest-neighbours.js';
import { randomForest } from '../baselines/random-forest.js';
import { cheapestOf } from '../baselines/single-models.js';
import { singlesOf, type Pool } from '../../../src/training/custom/cost-curve.js';
import { judge } from '../judge.js';
import { gatherPool, partOf, type EvaluatedPool } from '../pools.js';
import { profileOfPredictions } from '../profiles.js';
import { rowsWithoutFold, tryFold } from '../protocols/in-distribution.js';
import { rowsWithoutFamilies } from '../protocols/held-out-family.js';
import { blocksOf, rowsWithoutBlock } from '../protocols/held-out-gate.js';
import { joinTrials, spanOf, type Trial } from '../protocols/trial.js';
import { QualityPredictor } from '../../../src/routing/predictor/quality-predictor.js';
import { fitRouter } from '../fit/fit-router.js';
import { seeded } from '../../../src/training/custom/seeded.js';
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

/** Half of the rows are as the other half, but in random scores that only the same prompt can tell. */
function doubled(): ReturnType<typeof publishedOf> {
  const random = seeded(5);
  const word = (): string =>
    Array.from({ length: 6 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join('');
  const rows = Array.from({ length: 300 }, (_, group) => {
    const best = Math.floor(random() * 3);
    return {
      prompt: Array.from({ length: 6 }, word).join(' '),
      group: `group ${group}`,
      scores: [0, 1, 2].map((model) => (model === best ? 1 : 0)),
    };
  });
  return publishedOf(models, [...rows, ...rows]);
}

const accuracyOf = (pool: EvaluatedPool, predict: (row: number) => ArrayLike<number>): number => {
  let sum = 0;
  for (let row = 0; row < pool.rows; row++) {
    const quality = Array.from(predict(row));
    sum += pool.scores[row * 3 + quality.indexOf(Math.max(...quality))]!;
  }
  return sum / pool.rows;
};

describe('a way to choose that is judged', () => {
  it('has the figures of the oracle where it knows the truth', () => {
    const { ways } = judge(
      smallTrial(({ scores }) => scores),
      draw,
    );
    for (const figure of ['accuracy', 'gain', 'aiq', 'overZero', 'costOfBest', 'costOf95'] as const)
      expect(ways['router']![figure]).toEqual(ways['oracle']![figure]);
    expect(ways['router']!.calibration!.value).toBe(0);
    expect(ways['router']!.gain!.low).toBeGreaterThan(0);
  });

  it('gains nothing where it says the same of every prompt', () => {
    const { ways, singles } = judge(
      smallTrial(({ scores }) => Float64Array.from(scores, (_, at) => [0.6, 0.5, 0.4][at % 3]!)),
      draw,
    );
    expect(ways['router']!.accuracy!.value).toBeCloseTo(singles[0]!.score);
    expect(ways['router']!.overZero!.value).toBeLessThanOrEqual(1e-9);
  });

  it('is judged by the same draws every time', () => {
    const trial = smallTrial(({ scores }) => scores);
    expect(judge(trial, draw).ways).toEqual(judge(trial, draw).ways);
  });
});

describe('what is judged', () => {
  const evaluations = doubled();
  const all = (): boolean => true;

  it(
    'was never seen: scores that only a copy of the prompt tells bring no gain',
    { timeout: 60_000 },
    () => {
      const trials = [0, 1].map((fold) => {
        const rows = rowsWithoutFold(evaluations, fold);
        const router = new QualityPredictor(
          fitRouter(evaluations, rows, {
            seed: 1,
            name: 'small',
            known: [0.5, 0.5, 0.5],
            epochs: 1,
          }),
        );
        return tryFold(evaluations, router, fold, 1)[0]!;
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
        expect(verdict.ways[way]!.gain!.low).toBeLessThan(0.03);
    },
  );

  it('would bring a gain where the copies stood on both sides: the test above can fail', () => {
    const pool = gatherPool(evaluations, 'all', models, all);
    const learned = partOf(pool, (row) => row < 300),
      copies = partOf(pool, (row) => row >= 300);
    const predict = nearestNeighbours(learned, 1);
    expect(accuracyOf(copies, (row) => predict(copies.features[row]!))).toBeGreaterThan(0.8);
  });

  it('is in another fold than all its copies are, and in one fold', () => {
    const seen = [0, 1, 2, 3, 4].map((fold) => new Set(rowsWithoutFold(evaluations, fold)));
    for (let row = 0; row < 300; row++)
      expect(seen.map((rows) => rows.has(row))).toEqual(seen.map((rows) => rows.has(row + 300)));
    for (let row = 0; row < 600; row++)
      expect(seen.filter((rows) => !rows.has(row))).toHaveLength(1);
  });

  it('is held out with what another family lists of it', () => {
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

describe('the blocks of families whose gate is fitted together', () => {
  it('bring every two families together, four at most', () => {
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

describe('the baselines', () => {
  it('learn which model is good at what, the same for the same seed', () => {
    const { scores, prompts } = smallEvaluations(500);
    const rows = prompts.map((prompt, row) => ({
      prompt,
      group: prompt,
      scores: Array.from(scores.subarray(row * 3, row * 3 + 3)),
    }));
    const pool = gatherPool(publishedOf(models, rows), 'all', models, () => true);
    const trained = partOf(pool, (row) => row < 300),
      tested = partOf(pool, (row) => row >= 300);
    for (const learner of [nearestNeighbours, randomForest]) {
      const predict = learner(trained, 1),
        again = learner(trained, 1);
      expect(accuracyOf(tested, (row) => predict(tested.features[row]!))).toBeGreaterThan(0.85);
      expect(Array.from(again(tested.features[0]!))).toEqual(
        Array.from(predict(tested.features[0]!)),
      );
    }
  });
});
