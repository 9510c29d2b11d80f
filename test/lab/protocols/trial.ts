import type { QualityPredictor } from '../../../src/routing/predictor/quality-predictor.js';
import {
  cheapestOf,
  bestOf,
  randomShares,
  singleShares,
  zeroRouterShares,
} from '../baselines/single-models.js';
import { lengthOnly } from '../baselines/length-only.js';
import type { Learner } from '../baselines/learner.js';
import { logisticHeads } from '../baselines/logistic-heads.js';
import { nearestNeighbours } from '../baselines/nearest-neighbours.js';
import { randomForest } from '../baselines/random-forest.js';
import {
  singlesOf,
  type Point,
  type Pool,
  type Predictions,
} from '../../../src/training/custom/cost-curve.js';
import type { EvaluatedPool } from '../pools.js';
import { listPriceOf } from '../prices.js';
import {
  joinNumbers,
  joinProfiles,
  profileOfPredictions,
  profileOfShares,
  type Profile,
} from '../profiles.js';

/** What one way to choose made of a pool. */
export interface Outcome {
  readonly profile: Profile;
  /** Predicted chances laid out as the pool's scores; null where it predicts none. */
  readonly quality: Float64Array | null;
}

/** A pool, and what several ways to choose made of it. Plain values: they go from thread to thread. */
export interface Trial {
  readonly name: string;
  readonly pool: Pool;
  readonly groups: readonly string[];
  /** By the name of the way to choose. */
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

/** What a trial is made from. */
export interface Contest {
  readonly router: QualityPredictor;
  readonly tested: EvaluatedPool;
  /** What baselines learn from; null where no other prompt was answered by all models of the pool. */
  readonly trained: EvaluatedPool | null;
  /** What is known beforehand of the models one by one: mean cost and score. */
  readonly known: readonly Point[];
  readonly seed: number;
}

/** Mixtures of single models, as they are known beforehand and as they turned out on the very rows that are judged. */
export const knownZero = 'zero router, known',
  hindsightZero = 'zero router, hindsight';

const learners: Readonly<Record<string, Learner>> = {
  'length only': lengthOnly,
  'nearest neighbours': nearestNeighbours,
  'logistic heads': logisticHeads,
  'random forest': randomForest,
};

/** What the router predicts of a pool. */
export function predictionsOf(
  router: QualityPredictor,
  { models, features, inputTokens, rows }: EvaluatedPool,
): Predictions {
  const places = models.map((model) => router.placeOf(model)),
    prices = models.map(listPriceOf);
  const quality = new Float64Array(rows * models.length),
    cost = new Float64Array(quality.length);
  features.forEach((one, row) => {
    const reading = router.read(one);
    places.forEach((place, model) => {
      const expected = router.expect(reading, place);
      quality[row * models.length + model] = expected.quality;
      cost[row * models.length + model] =
        (inputTokens[row]! * prices[model]![0] + expected.outputTokens * prices[model]![1]) / 1e6;
    });
  });
  return { quality, cost };
}

/** Costs as they are expected by somebody who knows each model's mean length of answers. */
function usualCosts(
  trained: EvaluatedPool,
  { models, inputTokens, rows }: EvaluatedPool,
): Float64Array {
  const width = models.length,
    outputs = new Float64Array(width),
    prices = models.map(listPriceOf);
  trained.outputTokens.forEach((tokens, at) => (outputs[at % width]! += tokens / trained.rows));
  return Float64Array.from(
    { length: rows * width },
    (_, at) =>
      (inputTokens[Math.floor(at / width)]! * prices[at % width]![0] +
        outputs[at % width]! * prices[at % width]![1]) /
      1e6,
  );
}

function qualityBy(
  learner: Learner,
  trained: EvaluatedPool,
  tested: EvaluatedPool,
  seed: number,
): Float64Array {
  const predict = learner(trained, seed),
    width = tested.models.length;
  const quality = new Float64Array(tested.rows * width);
  tested.features.forEach((features, row) => quality.set(predict(features), row * width));
  return quality;
}

/** Lets the router and the baselines choose on a pool that none of them saw. */
export function tryOut({ router, tested, trained, known, seed }: Contest): Trial {
  const cheapest = cheapestOf(known);
  const spread = { cheapest, span: spanOf(known, cheapest) };
  const width = tested.models.length;
  const outcomes: Record<string, Outcome> = {};
  const choose = (name: string, predictions: Predictions): void => {
    outcomes[name] = {
      profile: profileOfPredictions(tested, predictions, spread),
      quality: predictions.quality,
    };
  };
  choose('router', predictionsOf(router, tested));
  outcomes['random'] = { profile: profileOfShares(tested, randomShares(width)), quality: null };
  outcomes['best single'] = {
    profile: profileOfShares(tested, [singleShares(width, bestOf(known))]),
    quality: null,
  };
  outcomes[knownZero] = {
    profile: profileOfShares(tested, zeroRouterShares(known)),
    quality: null,
  };
  if (trained !== null)
    for (const [name, learner] of Object.entries(learners))
      choose(name, {
        quality: qualityBy(learner, trained, tested, seed),
        cost: usualCosts(trained, tested),
      });
  return {
    name: tested.name,
    pool: { models: tested.models, rows: tested.rows, scores: tested.scores, costs: tested.costs },
    groups: tested.groups,
    outcomes,
  };
}

/** USD between the cheapest and the dearest model of a pool; 1 where they cost the same. */
export function spanOf(singles: readonly Point[], cheapest: number): number {
  return Math.max(...singles.map(({ cost }) => cost)) - singles[cheapest]!.cost || 1;
}

/** Joins trials of the parts of one pool. */
export function joinTrials(parts: readonly Trial[]): Trial {
  const { name, pool, outcomes } = parts[0]!;
  const joined = (take: (part: Trial) => Float64Array): Float64Array =>
    joinNumbers(parts.map(take));
  return {
    name,
    pool: {
      models: pool.models,
      rows: parts.reduce((sum, part) => sum + part.pool.rows, 0),
      scores: joined((part) => part.pool.scores),
      costs: joined((part) => part.pool.costs),
    },
    groups: parts.flatMap(({ groups }) => groups),
    outcomes: Object.fromEntries(
      Object.entries(outcomes).map(([way, { quality }]) => [
        way,
        {
          profile: joinProfiles(parts.map((part) => part.outcomes[way]!.profile)),
          quality: quality === null ? null : joined((part) => part.outcomes[way]!.quality!),
        },
      ]),
    ),
  };
}

/** Adds what only somebody could choose who knows the scores that are judged by: the zero router of these very rows, and the best answer to each. */
export function withHindsight(trial: Trial): Trial {
  const { pool } = trial,
    singles = singlesOf(pool),
    best = bestOf(singles),
    cheapest = cheapestOf(singles);
  // the first setting is quality at any price
  const order = [best, ...pool.models.keys()];
  const span = spanOf(singles, cheapest);
  const zero = profileOfShares(
    pool,
    order.map((model) => singleShares(pool.models.length, model)),
  );
  const oracle = profileOfPredictions(
    pool,
    { quality: pool.scores, cost: pool.costs },
    { cheapest, span },
  );
  return {
    ...trial,
    outcomes: {
      ...trial.outcomes,
      [hindsightZero]: { profile: zero, quality: null },
      oracle: { profile: oracle, quality: null },
    },
  };
}
