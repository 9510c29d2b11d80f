import type { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import {
  singlesOf,
  type Point,
  type Pool,
  type Predictions,
} from '../../../src/chooser/training/custom/cost-curve.js';
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
import type { EvaluatedPool } from '../pools.js';
import { listPriceOf } from '../prices.js';
import {
  joinNumbers,
  joinProfiles,
  profileOfPredictions,
  profileOfShares,
  type Profile,
} from '../profiles.js';

/** What one method of choosing achieved on a pool. */
export interface MethodOutcome {
  readonly profile: Profile;
  /** Predicted chances, laid out as the pool's scores; null if the method predicts none. */
  readonly quality: Float64Array | null;
}

/** A pool, and what several methods achieved on it. Plain values that can be sent to a thread. */
export interface Trial {
  readonly name: string;
  readonly pool: Pool;
  readonly groups: readonly string[];
  /** By the name of the method. */
  readonly outcomes: Readonly<Record<string, MethodOutcome>>;
}

/** What a trial needs. */
export interface TrialInput {
  readonly predictor: QualityPredictor;
  readonly tested: EvaluatedPool;
  /** What baselines learn from; null if too few other prompts have answers of all models. */
  readonly trained: EvaluatedPool | null;
  /** Mean cost and score of each model, as known before the test. */
  readonly known: readonly Point[];
  readonly seed: number;
}

/** The zero router that mixes by what is known before the test. */
export const knownZero = 'zero router, known';

/** The zero router that mixes by the very rows that are judged. */
export const hindsightZero = 'zero router, hindsight';

const learners: Readonly<Record<string, Learner>> = {
  'length only': lengthOnly,
  'nearest neighbours': nearestNeighbours,
  'logistic heads': logisticHeads,
  'random forest': randomForest,
};

/** Quality and cost (USD) that the predictor expects of a pool. */
export function predictionsOf(
  predictor: QualityPredictor,
  { models, features, inputTokens, rows }: EvaluatedPool,
): Predictions {
  const places = models.map((model) => predictor.weights.models.indexOf(model));
  const prices = models.map(listPriceOf);
  const quality = new Float64Array(rows * models.length);
  const cost = new Float64Array(quality.length);
  features.forEach((one, row) => {
    const reading = predictor.read(one);
    places.forEach((place, model) => {
      const expected = predictor.expect(reading, place);
      const [input, output] = prices[model]!;
      quality[row * models.length + model] = expected.quality;
      cost[row * models.length + model] =
        (inputTokens[row]! * input + expected.outputTokens * output) / 1e6;
    });
  });
  return { quality, cost };
}

/** Costs (USD) if each model's answers have the mean length of its answers before. */
function costsAtMeanLength(
  trained: EvaluatedPool,
  { models, inputTokens, rows }: EvaluatedPool,
): Float64Array {
  const width = models.length;
  const outputs = new Float64Array(width);
  const prices = models.map(listPriceOf);
  trained.outputTokens.forEach((tokens, at) => (outputs[at % width]! += tokens / trained.rows));
  return Float64Array.from({ length: rows * width }, (_, at) => {
    const [input, output] = prices[at % width]!;
    return (inputTokens[Math.floor(at / width)]! * input + outputs[at % width]! * output) / 1e6;
  });
}

function qualityBy(
  learner: Learner,
  trained: EvaluatedPool,
  tested: EvaluatedPool,
  seed: number,
): Float64Array {
  const predict = learner(trained, seed);
  const width = tested.models.length;
  const quality = new Float64Array(tested.rows * width);
  tested.features.forEach((features, row) =>
    quality.set(predict({ features, text: tested.prompts[row]! }), row * width),
  );
  return quality;
}

/** Lets the router and the baselines choose on a pool that none of them saw. */
export function tryMethods({ predictor, tested, trained, known, seed }: TrialInput): Trial {
  const cheapest = cheapestOf(known);
  const costs = { cheapest, span: spanOf(known, cheapest) };
  const width = tested.models.length;
  const byPredictions = (predictions: Predictions): MethodOutcome => ({
    profile: profileOfPredictions(tested, predictions, costs),
    quality: predictions.quality,
  });
  const byShares = (shares: readonly (readonly number[])[]): MethodOutcome => ({
    profile: profileOfShares(tested, shares),
    quality: null,
  });
  const outcomes: Record<string, MethodOutcome> = {
    router: byPredictions(predictionsOf(predictor, tested)),
    random: byShares(randomShares(width)),
    'best single': byShares([singleShares(width, bestOf(known))]),
    [knownZero]: byShares(zeroRouterShares(known)),
  };
  if (trained !== null)
    for (const [name, learner] of Object.entries(learners))
      outcomes[name] = byPredictions({
        quality: qualityBy(learner, trained, tested, seed),
        cost: costsAtMeanLength(trained, tested),
      });
  return {
    name: tested.name,
    pool: { models: tested.models, rows: tested.rows, scores: tested.scores, costs: tested.costs },
    groups: tested.groups,
    outcomes,
  };
}

/** USD between the cheapest and the most expensive model of a pool; 1 if they cost the same. */
export function spanOf(singles: readonly Point[], cheapest: number): number {
  return Math.max(...singles.map(({ cost }) => cost)) - singles[cheapest]!.cost || 1;
}

/** Concatenates the trials of the parts of one pool. */
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
      Object.entries(outcomes).map(([method, { quality }]) => [
        method,
        {
          profile: joinProfiles(parts.map((part) => part.outcomes[method]!.profile)),
          quality: quality === null ? null : joined((part) => part.outcomes[method]!.quality!),
        },
      ]),
    ),
  };
}

/**
 * Adds two methods that know the scores they are judged by: the zero router of these very rows, and
 * the oracle, which takes the best answer to each.
 */
export function withHindsight(trial: Trial): Trial {
  const { pool } = trial;
  const singles = singlesOf(pool);
  const cheapest = cheapestOf(singles);
  // the best model comes first: the first setting is quality at any price
  const order = [bestOf(singles), ...pool.models.keys()];
  const zero = profileOfShares(
    pool,
    order.map((model) => singleShares(pool.models.length, model)),
  );
  const oracle = profileOfPredictions(
    pool,
    { quality: pool.scores, cost: pool.costs },
    { cheapest, span: spanOf(singles, cheapest) },
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
