import { featuresOf, type Features } from '../../../src/chooser/predictor/features/features.js';
import type { QualityPredictor } from '../../../src/chooser/predictor/quality-predictor.js';
import { singlesOf, type Pool } from '../../../src/chooser/training/custom/cost-curve.js';
import { bestOf, cheapestOf, zeroRouterShares } from '../baselines/single-models.js';
import { areaOf, summarizeSingles } from '../figures.js';
import { foldOf, questionOf, type PublishedEvaluations } from '../fit/published-evaluations.js';
import { largestPoolOf } from '../named-pools.js';
import { partOf, sampleOf, type EvaluatedPool } from '../pools.js';
import { pointsOf, profileOfPredictions, profileOfShares } from '../profiles.js';
import { createRandomStream } from '../random.js';
import { predictionsOf, spanOf } from './trial.js';

/** A user's own prompts with the scores of the models' answers. */
export interface LabelledPrompts {
  readonly models: readonly string[];
  readonly prompts: readonly string[];
  /** 0..1, row by row, one for each model. */
  readonly scores: Float64Array;
}

/** Trains on top of a predictor. @returns a function that predicts the score of each model */
export type FitOnRows = (
  rows: LabelledPrompts,
  predictor: QualityPredictor,
  seed: number,
) => (features: Features) => ArrayLike<number>;

/** How well a trained router does on prompts that it did not see: means over several draws. */
export interface CurvePoint {
  /** Labelled rows. */
  readonly rows: number;
  readonly accuracy: number;
  /** Accuracy above the single model that is best on the judged rows. */
  readonly gain: number;
  readonly aiq: number;
  /** AIQ above the zero router of the judged rows. */
  readonly overZero: number;
  /** AIQ above the zero router that knows only the labelled rows. */
  readonly overKnownZero: number;
}

/** The learning curve of one pool. The first point has no labelled rows. */
export interface LearningCurve {
  readonly name: string;
  readonly points: readonly CurvePoint[];
}

/** Numbers of labelled rows to try, and how many draws of each. */
export interface CurveOptions {
  readonly sizes: readonly number[];
  readonly repeats: number;
  readonly seed: number;
}

const maxTested = 2000;

/**
 * The learning curve of a family on its largest pool: labelled rows are drawn from one half of it,
 * by hash, and the other half is judged. Null if the family has no large enough pool.
 * @param predictor fitted without the family
 */
export function learningCurve(
  evaluations: PublishedEvaluations,
  predictor: QualityPredictor,
  family: string,
  fitOnRows: FitOnRows,
  { sizes, repeats, seed }: CurveOptions,
): LearningCurve | null {
  const pool = largestPoolOf(evaluations, family);
  if (!pool) return null;
  const asked = withoutTools(pool);
  const half = (number: number): EvaluatedPool =>
    partOf(asked, (row) => foldOf(asked.groups[row]!, 2) === number);
  const labelled = half(0);
  const tested = sampleOf(half(1), maxTested);
  const { quality, cost } = predictionsOf(predictor, tested);
  const trainedPoint = (size: number, drawSeed: number): CurvePoint => {
    const drawn = drawRows(labelled, size, drawSeed);
    const predict = fitOnRows(drawn, predictor, drawSeed);
    return pointOf(tested, drawn, qualityOf(tested, predict), cost, size);
  };
  const points = sizes
    .filter((size) => size <= labelled.rows)
    .map((size) =>
      meanOf(Array.from({ length: repeats }, (_, repeat) => trainedPoint(size, seed + repeat))),
    );
  return { name: pool.name, points: [pointOf(tested, labelled, quality, cost, 0), ...points] };
}

/** A user's own rows have no tools, so prompts are judged without theirs. */
export function withoutTools(pool: EvaluatedPool): EvaluatedPool {
  const prompts = pool.prompts.map((prompt) => questionOf(prompt).question);
  const features = prompts.map((content) => featuresOf({ messages: [{ role: 'user', content }] }));
  return { ...pool, prompts, features };
}

/** Some rows of a pool; the same seed draws the same ones. */
export function drawRows(pool: EvaluatedPool, size: number, seed: number): EvaluatedPool {
  const drawn = new Set(createRandomStream(seed).order(pool.rows).subarray(0, size));
  return partOf(pool, (row) => drawn.has(row));
}

/** What a trained function predicts of each model on each prompt, laid out as the scores. */
export function qualityOf(
  { features, models, rows }: EvaluatedPool,
  predict: (features: Features) => ArrayLike<number>,
): Float64Array {
  const quality = new Float64Array(rows * models.length);
  features.forEach((one, row) => quality.set(Array.from(predict(one)), row * models.length));
  return quality;
}

/** @param known the rows that costs and the known zero router come from */
function pointOf(
  tested: EvaluatedPool,
  known: Pool,
  quality: Float64Array,
  cost: Float64Array,
  rows: number,
): CurvePoint {
  const all = new Float64Array(tested.rows).fill(1);
  const singles = singlesOf(tested);
  const before = singlesOf(known);
  const reference = summarizeSingles(singles, bestOf(singles));
  const cheapest = cheapestOf(before);
  const costs = { cheapest, span: spanOf(before, cheapest) };
  const points = pointsOf(profileOfPredictions(tested, { quality, cost }, costs), all);
  const knownZero = pointsOf(profileOfShares(tested, zeroRouterShares(before)), all);
  const aiq = areaOf(points, reference);
  const { score: accuracy } = points[0]!;
  return {
    rows,
    accuracy,
    gain: accuracy - reference.best.score,
    aiq,
    overZero: aiq - areaOf(singles, reference),
    overKnownZero: aiq - areaOf(knownZero, reference),
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
