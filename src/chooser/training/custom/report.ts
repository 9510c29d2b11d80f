import { bootstrapMean, type Estimate } from './bootstrap.js';
import { type CalibrationReport, judgeCalibration } from './calibration.js';
import {
  aiqOf,
  bestSingleOf,
  chosenPlaces,
  meanAt,
  meanOf,
  type Predicted,
  pricedPool,
  valuesAt,
} from './choices.js';
import { sumsOf } from './cost-curve.js';
import { judgeCostQuality } from './cost-quality.js';
import type { HeldOut } from './cross-validate.js';
import type { CustomRows } from './custom-rows.js';
import type { Setting } from './fit-correction.js';
import { judgeSavings } from './judge-savings.js';
import { findUse, inUseAfter, type TrainedPart, verdictOn } from './verdict.js';
import type { Scale } from './evaluation-rows.js';

/**
 * What a training found. Stored, and returned by the API; reports of earlier versions lack
 * `overShipped`, `savings`, `unjudged`, `calibration`, `evaluation`, `finding` and `inUse`.
 */
export type TrainingReport = ReturnType<typeof reportOn>;

/** What a report depends on, beside rows and predictions. */
interface Terms {
  readonly scale: Scale;
  readonly seed: number;
  /** How much the predictor counts, and the penalty on what was learned (null: offsets only). */
  readonly setting: Setting;
  /** What an earlier training put in use. */
  readonly earlier: TrainedPart | null;
  readonly earlierCalibration: CalibrationReport | null;
  /** How much quality `tradeoff: cost` may give up. */
  readonly tolerance: number;
  readonly economy: number;
}

/** Compares predictions of held-out rows with always calling the best single model. */
export function reportOn(
  rows: CustomRows,
  heldOut: HeldOut,
  { earlier, earlierCalibration, tolerance, economy, ...given }: Terms,
) {
  const { best, single } = bestSingleOf(rows);
  const { choices, overShipped } = judgeChoices(rows, heldOut, single, given.seed);
  const priced = pricedPool(rows);
  const calibration = judgeCalibration(rows, heldOut, given.seed);
  const costTerms = { tolerance, economy, seed: given.seed, mayOffset: calibration.isBetter };
  const findings = {
    single: rows.models[best]!,
    gain: choices.fitted.gain,
    overShipped,
    savings: null,
    unjudged: null,
    ...judgeSavings(rows, heldOut, single, costTerms),
    calibration,
    earlierCalibration: earlier === 'router' ? earlierCalibration : undefined,
  };
  const finding = findUse(findings);
  const inUse = inUseAfter(finding, findings, earlier);
  return {
    rows: rows.count,
    prompts: new Set(rows.groups).size,
    models: modelsOf(rows),
    ...given,
    bestSingle: { model: findings.single, score: meanAt(rows.scores, single, rows) },
    choices,
    gain: findings.gain,
    overShipped,
    aiq: priced && aiqOf(priced, { ...heldOut }),
    savings: findings.savings,
    unjudged: findings.unjudged,
    calibration,
    earlierCalibration,
    evaluation: judgeCostQuality(rows, heldOut, given.seed),
    finding,
    isUseful: finding !== 'no_use',
    inUse,
    verdict: verdictOn(finding, findings, inUse),
  };
}

/** Judges what each prediction chooses where quality is all that counts. */
function judgeChoices(rows: CustomRows, heldOut: HeldOut, single: Int32Array, seed: number) {
  const scoresOf = (predicted: Predicted): Float64Array => {
    const { length } = rows.models;
    const places = chosenPlaces(rows, (row, model) => predicted[row * length + model]!);
    return valuesAt(rows.scores, places, rows);
  };
  const over = (scores: Float64Array, others: Float64Array): Estimate =>
    bootstrapMean(
      scores.map((score, row) => score - others[row]!),
      rows.groups,
      seed,
    );
  const ofSingle = valuesAt(rows.scores, single, rows),
    shipped = scoresOf(heldOut.router),
    fitted = scoresOf(heldOut.fitted);
  /** Scores are 0..1; the gain is over always calling the best single model. */
  const judged = (scores: Float64Array) => ({
    score: meanOf(scores),
    gain: over(scores, ofSingle),
  });
  return {
    choices: {
      router: judged(shipped),
      offsets: judged(scoresOf(heldOut.offsets)),
      fitted: judged(fitted),
    },
    overShipped: over(fitted, shipped),
  };
}

function modelsOf({ models, scores }: CustomRows) {
  const { sums, counts } = sumsOf(scores, models.length);
  return models.map((model, place) => ({
    model,
    rows: counts[place]!,
    score: sums[place]! / counts[place]!,
  }));
}
