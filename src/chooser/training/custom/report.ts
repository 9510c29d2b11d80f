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
import {
  type Findings,
  findUse,
  type InUse,
  inUseAfter,
  type TrainedPart,
  type TrainingFinding,
  verdictOn,
} from './verdict.js';
import type { Scale } from './evaluation-rows.js';

/** One way to choose, judged on prompts that it was not trained on. Scores are 0..1. */
interface ChoiceReport {
  readonly score: number;
  /** Compared to always calling the best single model. */
  readonly gain: Estimate;
}

/**
 * What a training found. Stored, and returned by the API; reports of earlier versions lack
 * `overShipped`, `savings`, `unjudged`, `calibration`, `evaluation`, `finding` and `inUse`.
 */
export interface TrainingReport extends Omit<Findings, 'single'> {
  readonly rows: number;
  readonly prompts: number;
  readonly models: readonly {
    readonly model: string;
    readonly rows: number;
    readonly score: number;
  }[];
  readonly scale: Scale;
  readonly seed: number;
  /** How much the predictor counts, and the penalty on what was learned (null: offsets only). */
  readonly setting: Setting;
  /** The best single model, known with hindsight: the hardest to beat. */
  readonly bestSingle: { readonly model: string; readonly score: number };
  readonly choices: Readonly<Record<keyof HeldOut, ChoiceReport>>;
  /**
   * The mean height of the cost-quality hull, of each prediction and of mixtures of single models;
   * null if costs are not known.
   */
  readonly aiq: Readonly<Record<string, number>> | null;
  /** Costs and scores of choices; null if costs are not known. */
  readonly evaluation: ReturnType<typeof judgeCostQuality>;
  readonly finding: TrainingFinding;
  /** Whether the training is of use: for any finding but `no_use`. */
  readonly isUseful: boolean;
  readonly inUse: InUse;
  readonly verdict: string;
}

/** What a report depends on, beside rows and predictions. */
interface Terms extends Pick<TrainingReport, 'scale' | 'seed' | 'setting'> {
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
): TrainingReport {
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
function judgeChoices(
  rows: CustomRows,
  heldOut: HeldOut,
  single: Int32Array,
  seed: number,
): Pick<TrainingReport, 'choices' | 'overShipped'> {
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
  const judged = (scores: Float64Array): ChoiceReport => ({
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

function modelsOf({ models, scores }: CustomRows): TrainingReport['models'] {
  const { sums, counts } = sumsOf(scores, models.length);
  return models.map((model, place) => ({
    model,
    rows: counts[place]!,
    score: sums[place]! / counts[place]!,
  }));
}
