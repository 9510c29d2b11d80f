import type { Features } from '../../../src/routing/predictor/features/features.js';
import { featuresOf } from '../../../src/routing/predictor/features/features.js';
import type { QualityPredictor } from '../../../src/routing/predictor/quality-predictor.js';
import { foldOf, questionOf, type PublishedEvaluations } from '../fit/published-evaluations.js';
import { seeded, shuffle } from '../../../src/training/custom/seeded.js';
import { bestOf, cheapestOf, zeroRouterShares } from '../baselines/single-models.js';
import { singlesOf, type Pool } from '../../../src/training/custom/cost-curve.js';
import { areaOf, barOf } from '../figures.js';
import { atMost, largestPoolOf, partOf, type EvaluatedPool } from '../pools.js';
import { pointsOf, profileOfPredictions, profileOfShares } from '../profiles.js';
import { predictionsOf, spanOf } from './trial.js';

/** Some labelled prompts of one's own. */
export interface LabelledRows {
  readonly models: readonly string[];
  readonly prompts: readonly string[];
  /** 0..1, row by row, one for each model. */
  readonly scores: Float64Array;
}

/** A trainer on top of a router; what it gives predicts the score of each model, from the features of a prompt alone. */
export type FitOnRows = (
  rows: LabelledRows,
  router: QualityPredictor,
  seed: number,
) => (features: Features) => ArrayLike<number>;

/** How good a trained router is on prompts that it did not see; means over draws of the labelled rows. */
export interface CurvePoint {
  /** Labelled rows. */
  readonly rows: number;
  readonly accuracy: number;
  /** Accuracy above the single model that is best on the rows that are judged. */
  readonly gain: number;
  readonly aiq: number;
  /** AIQ above the zero router of the rows that are judged, and above the one that knows the labelled rows alone. */
  readonly overZero: number;
  readonly overKnownZero: number;
}

/** The learning curve of one pool; its first point is the router without any labelled row. */
export interface LearningCurve {
  readonly name: string;
  readonly points: readonly CurvePoint[];
}

/** How many labelled rows are tried, and how many draws of each. */
export interface CurveOptions {
  readonly sizes: readonly number[];
  readonly repeats: number;
  readonly seed: number;
}

const mostTested = 2000;

/**
 * The learning curve of a family on its largest pool: half of it, by hash, is drawn from, the other half is judged.
 * @param router fitted without the family
 */
export function learningCurve(
  evaluations: PublishedEvaluations,
  router: QualityPredictor,
  family: string,
  fitOnRows: FitOnRows,
  { sizes, repeats, seed }: CurveOptions,
): LearningCurve | null {
  const pool = largestPoolOf(evaluations, family);
  if (!pool) return null;
  const asked = withQuestionsAlone(evaluations, pool);
  const labelled = partOf(asked, (row) => foldOf(asked.groups[row]!, 2) === 0),
    tested = atMost(
      partOf(asked, (row) => foldOf(asked.groups[row]!, 2) === 1),
      mostTested,
    );
  const enough = sizes.filter((size) => size <= labelled.rows);
  const untrained = pointOf(
    tested,
    labelled,
    predictionsOf(router, tested).quality,
    predictionsOf(router, tested).cost,
    0,
  );
  const points = enough.map((size) =>
    meanOf(
      Array.from({ length: repeats }, (_, repeat) => {
        const drawn = drawRows(labelled, size, seed + repeat);
        const predict = fitOnRows(
          { models: pool.models, scores: drawn.scores, prompts: promptsOf(evaluations, drawn) },
          router,
          seed + repeat,
        );
        const quality = new Float64Array(tested.rows * pool.models.length);
        tested.features.forEach((features, row) =>
          quality.set(Array.from(predict(features)), row * pool.models.length),
        );
        return pointOf(tested, drawn, quality, predictionsOf(router, tested).cost, size);
      }),
    ),
  );
  return { name: pool.name, points: [untrained, ...points] };
}

function promptsOf({ prompts }: PublishedEvaluations, { places }: EvaluatedPool): string[] {
  return Array.from(places, (row) => questionOf(prompts[row]!).question);
}

/** Rows of one's own tell no tools: what is learned from prompts is judged on prompts. */
function withQuestionsAlone(evaluations: PublishedEvaluations, pool: EvaluatedPool): EvaluatedPool {
  return {
    ...pool,
    features: promptsOf(evaluations, pool).map((content) =>
      featuresOf({ messages: [{ role: 'user', content }] }),
    ),
  };
}

function drawRows(pool: EvaluatedPool, size: number, seed: number): EvaluatedPool {
  const order = Int32Array.from({ length: pool.rows }, (_, row) => row);
  shuffle(order, seeded(seed));
  const drawn = new Set(order.subarray(0, size));
  return partOf(pool, (row) => drawn.has(row));
}

function pointOf(
  tested: EvaluatedPool,
  known: Pool,
  quality: Float64Array,
  cost: Float64Array,
  rows: number,
): CurvePoint {
  const all = new Float64Array(tested.rows).fill(1);
  const singles = singlesOf(tested),
    before = singlesOf(known);
  const bar = barOf(singles, bestOf(singles)),
    cheapest = cheapestOf(before);
  const span = spanOf(before, cheapest);
  const points = pointsOf(profileOfPredictions(tested, { quality, cost }, { cheapest, span }), all);
  const aiq = areaOf(points, bar),
    { score: accuracy } = points[0]!;
  const knownZero = areaOf(pointsOf(profileOfShares(tested, zeroRouterShares(before)), all), bar);
  return {
    rows,
    accuracy,
    gain: accuracy - bar.best.score,
    aiq,
    overZero: aiq - areaOf(singles, bar),
    overKnownZero: aiq - knownZero,
  };
}

function meanOf(points: readonly CurvePoint[]): CurvePoint {
  const mean = (figure: keyof CurvePoint): number =>
    points.reduce((sum, point) => sum + point[figure], 0) / points.length;
  return {
    rows: mean('rows'),
    accuracy: mean('accuracy'),
    gain: mean('gain'),
    aiq: mean('aiq'),
    overZero: mean('overZero'),
    overKnownZero: mean('overKnownZero'),
  };
}
