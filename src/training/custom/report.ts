import { aiqOf, chosenScores, meanOf, meanScores, pricedPool, type Predicted } from './choices.js';
import { bootstrapMean } from './bootstrap.js';
import type { Estimate } from './bootstrap.js';
import type { HeldOut } from './cross-validate.js';
import type { CustomRows } from './custom-rows.js';
import type { Setting } from './fit-correction.js';
import type { Scale } from './scale-scores.js';

/** One way to choose, judged on prompts that it was not trained on. Scores are 0..1. */
interface ChoiceReport {
  readonly score: number;
  /** Compared to always calling the best single model. */
  readonly gain: Estimate;
}

/** What a training found. Stored, and returned by the API. */
export interface TrainingReport {
  readonly rows: number;
  /** The number of different prompts. */
  readonly prompts: number;
  readonly models: readonly {
    readonly model: string;
    readonly rows: number;
    readonly score: number;
  }[];
  readonly scale: Scale;
  readonly seed: number;
  /**
   * How much the predictor counts, and the penalty on what was learned in addition (null: only an
   * offset for each model).
   */
  readonly setting: Setting;
  /** The best single model, known with hindsight: the hardest to beat. */
  readonly bestSingle: { readonly model: string; readonly score: number };
  readonly choices: Readonly<Record<keyof HeldOut, ChoiceReport>>;
  /** The gain of the trained weights. */
  readonly gain: Estimate;
  /**
   * The mean height of the cost-quality hull, of each prediction and of mixtures of single models;
   * null if costs are not known.
   */
  readonly aiq: Readonly<Record<string, number>> | null;
  /** Whether the whole interval of the gain is above 0. */
  readonly isUseful: boolean;
  readonly verdict: string;
}

const short = (value: number): string => (value >= 0 ? '+' : '') + value.toFixed(4);

/** Compares predictions of held-out rows with always calling the best single model. */
export function reportOn(
  rows: CustomRows,
  heldOut: HeldOut,
  { scale, seed, setting }: Pick<TrainingReport, 'scale' | 'seed' | 'setting'>,
): TrainingReport {
  const width = rows.models.length;
  const { best, single } = bestSingleOf(rows);
  const judge = (predicted: Predicted): ChoiceReport => {
    const scores = chosenScores(rows, (row, model) => predicted[row * width + model]!);
    return {
      score: meanOf(scores),
      gain: bootstrapMean(
        scores.map((score, row) => score - single[row]!),
        rows.groups,
        seed,
      ),
    };
  };
  const choices = {
    router: judge(heldOut.router),
    offsets: judge(heldOut.offsets),
    fitted: judge(heldOut.fitted),
  };
  const { gain } = choices.fitted;
  const priced = pricedPool(rows);
  const model = rows.models[best]!,
    isUseful = gain.low > 0;
  return {
    rows: rows.count,
    prompts: new Set(rows.groups).size,
    models: modelsOf(rows),
    scale,
    seed,
    setting,
    bestSingle: { model, score: meanOf(single) },
    choices,
    gain,
    aiq: priced && aiqOf(priced, { ...heldOut }),
    isUseful,
    verdict: verdictOn(gain, model, isUseful),
  };
}

/**
 * The model that does best on the rows that compare models, when it is called wherever it was
 * measured (elsewhere, the best of the models measured there).
 */
function bestSingleOf(rows: CustomRows): { readonly best: number; readonly single: Float64Array } {
  const means = meanScores(rows);
  let best = 0,
    single: Float64Array = new Float64Array(0),
    highest = -Infinity;
  rows.models.forEach((_, place) => {
    // the means alone would mislead: a model measured only on easy rows has a high mean, and is
    // easily beaten there
    const scores = chosenScores(rows, (_row, model) => (model === place ? 2 : means[model]!));
    const score = meanOf(scores);
    if (score > highest) [best, single, highest] = [place, scores, score];
  });
  return { best, single };
}

function modelsOf({ models, scores, count }: CustomRows): TrainingReport['models'] {
  const measured = new Int32Array(models.length),
    sums = new Float64Array(models.length);
  for (let at = 0; at < count * models.length; at++) {
    if (Number.isNaN(scores[at]!)) continue;
    measured[at % models.length]!++;
    sums[at % models.length]! += scores[at]!;
  }
  return models.map((model, place) => ({
    model,
    rows: measured[place]!,
    score: sums[place]! / measured[place]!,
  }));
}

function verdictOn({ value, low, high }: Estimate, model: string, isUseful: boolean): string {
  const gain = `${short(value)}, from ${short(low)} to ${short(high)} with 95 % confidence`;
  return isUseful
    ? `better than always calling ${model}: ${gain}`
    : `no gain over always calling ${model} (${gain}), so it is not used`;
}
