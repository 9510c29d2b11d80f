import { sigmoid } from '../../../models/numbers.js';
import { createTuning } from '../../predictor/custom-tuning.js';
import type { CustomWeights } from '../../predictor/custom-weights.js';
import type { QualityPredictor } from '../../predictor/quality-predictor.js';
import { calibrateEarlier } from './calibration.js';
import { chooseSetting, crossValidate, fitSetting } from './cross-validate.js';
import { type CustomRows, readCustomRows, type TrainingTerms } from './custom-rows.js';
import { correctedOdds, type Correction, offsetsAlone, type Setting } from './fit-correction.js';
import type { ColumnOptions } from './columns.js';
import { readEvaluations, type ReadOptions } from './read-evaluations.js';
import { reportOn, type TrainingReport } from './report.js';
import type { TrainedPart } from './verdict.js';
import { scaleScores } from './evaluation-rows.js';

/** What a user asks for, in addition to the rows. */
export interface TrainingWishes extends ColumnOptions {
  readonly format: ReadOptions['format'];
  /** False: lower scores are better. */
  readonly maximize: boolean;
  readonly seed: number;
}

/** What a training builds on. */
export interface Beginning {
  readonly predictor: QualityPredictor;
  readonly terms: TrainingTerms;
  /** What an earlier training put in use; absent: nothing. */
  readonly earlier?: TrainedPart | null;
  /** If that is a router: its weights. */
  readonly earlierWeights?: CustomWeights | null;
}

/** The result of a training. */
export interface Trained {
  readonly report: TrainingReport;
  readonly weights: CustomWeights;
  /** Weights that correct the level of each model's quality, and nothing else. */
  readonly calibration: CustomWeights;
  /** The router of an earlier training with corrected levels; null: they are not corrected. */
  readonly earlier: CustomWeights | null;
}

/** Called with the progress, 0..1, and what the training is doing. */
type OnProgress = (share: number, doing: string) => void;

/** Reads evaluations without training, to report problems immediately. @throws FileProblem */
export function checkEvaluations(text: string, wishes: TrainingWishes): void {
  scaleScores(readEvaluations(text, wishes).scores, wishes.maximize);
}

/**
 * Trains a preference's own weights on top of a predictor. The same text and seed give the same
 * weights. Takes about a minute for 100,000 rows.
 * @throws FileProblem for evaluations that cannot be learned from
 */
export function trainCustom(
  text: string,
  wishes: TrainingWishes,
  { predictor, terms, earlier = null, earlierWeights = null }: Beginning,
  onProgress: OnProgress,
): Trained {
  onProgress(0, 'reading');
  const evaluations = readEvaluations(text, wishes);
  const scale = scaleScores(evaluations.scores, wishes.maximize);
  const tuning = earlierWeights && createTuning(earlierWeights, predictor);
  const rows = readCustomRows(evaluations, { predictor, terms, earlier: tuning }, (share) =>
    onProgress(0.05 + share * 0.15, 'reading prompts'),
  );
  const heldOut = crossValidate(rows, wishes.seed, (share) =>
    onProgress(0.2 + share * 0.6, 'cross-validating'),
  );
  onProgress(0.8, 'training on all rows');
  const all = Int32Array.from({ length: rows.count }, (_, row) => row);
  const setting = chooseSetting(rows, all, wishes.seed);
  const fitted = (chosen: Setting): CustomWeights => {
    const correction = fitSetting(rows, all, chosen);
    const { models, mean, scale, known } = rows;
    return {
      router: predictor.weights.name,
      models,
      trust: chosen.trust,
      mean,
      scale,
      known,
      centres: Float32Array.from(correction.centres),
      offsets: Float32Array.from(correction.offsets),
      slopes: Float32Array.from(correction.slopes),
      spreads: spreadsOf(rows, chosen, correction),
    };
  };
  const [weights, calibration] = [fitted(setting), fitted(offsetsAlone)];
  onProgress(0.95, 'judging');
  const { seed } = wishes,
    { tolerance, economy } = terms;
  const kept = earlierWeights && calibrateEarlier(rows, earlierWeights, seed);
  const report = reportOn(rows, heldOut, {
    ...{ scale, seed, setting, tolerance, economy, earlier },
    earlierCalibration: kept?.report ?? null,
  });
  onProgress(1, 'done');
  return { report, weights, calibration, earlier: kept?.weights ?? null };
}

const defaultSpread = 0.1;

/** The standard deviation of each model's quality: it falls with the number of rows. */
const spreadsOf = (rows: CustomRows, setting: Setting, correction: Correction): Float32Array =>
  Float32Array.from(rows.models, (_, model) => {
    let variance = 0,
      count = 0;
    for (let row = 0; row < rows.count; row++) {
      if (Number.isNaN(rows.scores[row * rows.models.length + model]!)) continue;
      const chance = sigmoid(correctedOdds(rows, setting, correction, row, model));
      variance += chance * (1 - chance);
      count++;
    }
    // a fitted setting with slopes uses up about eight times as many rows as an offset
    const parts = setting.ridge === null ? 1 : 8;
    return count === 0
      ? defaultSpread
      : Math.min(defaultSpread * 2, Math.sqrt((variance / count) * (parts / count)));
  });
