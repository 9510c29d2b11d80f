import { isTolerated } from '../../rank-by-tradeoff.js';
import { costDial, type Economy, economyAt, worthOf } from '../../rank-by-worth.js';
import { bootstrapMean, bootstrapRatio, type Estimate } from './bootstrap.js';
import {
  alwaysCalling,
  meanAt,
  meanCosts,
  meanScores,
  type Predicted,
  valuesAt,
} from './choices.js';
import type { HeldOut } from './cross-validate.js';
import type { CustomRows } from './custom-rows.js';

/** One way to choose compared to another. */
export interface RouterComparison {
  /** The difference of the scores. */
  readonly score: Estimate;
  /** The share of the other's cost that is saved; negative if it costs more. */
  readonly saved: Estimate;
}

/** What choices with `tradeoff: cost` cost and reach, on prompts that they were not trained on. */
export interface TrainedSavings {
  /** What was judged as trained: all that was fitted, or an offset for each model alone. */
  readonly by: 'fitted' | 'offsets';
  /** Where costs come from: the evaluations, or list prices and expected tokens. */
  readonly source: 'evaluations' | 'prices';
  /** How many rows were compared: those whose costs are known. */
  readonly rows: number;
  readonly tolerance: number;
  /** Mean USD of an answer. */
  readonly cost: {
    readonly trained: number;
    readonly shipped: number;
    readonly bestSingle: number;
  };
  /** The trained predictor's choices compared to always calling the best single model. */
  readonly trained: RouterComparison;
  /** The shipped predictor's choices, compared to the same. */
  readonly shipped: RouterComparison;
  /** The trained predictor's choices compared to the shipped one's. */
  readonly overShipped: RouterComparison;
  /** Models whose price routing does not know. */
  readonly unpriced: readonly string[];
  /**
   * The cheapest model that saves as much if it is always called, at a score within the same
   * tolerance; null if none does. Absent in reports of earlier versions.
   */
  readonly sameAs?: string | null;
}

/** Savings, or why they cannot be judged. */
interface Judged {
  readonly savings?: TrainedSavings;
  readonly unjudged?: string;
}

/** The same number of prompts as a training requires. */
const minPrompts = 20;
// predictions have single precision, in which 0.9 - 0.85 is slightly more than 0.05
const roundingError = 1e-6;

/** What costs are judged by, beside rows and predictions. */
interface SavingsTerms {
  readonly tolerance: number;
  readonly economy: number;
  readonly seed: number;
  /** Whether offsets alone may be put in use. */
  readonly mayOffset: boolean;
}

/**
 * Judges what `tradeoff: cost` saves by all that was fitted, or by offsets alone where they save
 * more: differences between prompts that are mostly noise make it call a dearer model now and then.
 * @param single by row, the place of what is called if the best single model always is
 */
export function judgeSavings(
  rows: CustomRows,
  heldOut: HeldOut,
  single: Int32Array,
  terms: SavingsTerms,
): Judged {
  const fitted = judgeOne(rows, heldOut, single, terms, 'fitted');
  if (!terms.mayOffset || !fitted.savings) return fitted;
  const offsets = judgeOne(rows, heldOut, single, terms, 'offsets');
  if (!offsets.savings || !isCheaper(offsets.savings)) return fitted;
  const isLess = offsets.savings.cost.trained < fitted.savings.cost.trained;
  return isLess || !isCheaper(fitted.savings) ? offsets : fitted;
}

function judgeOne(
  rows: CustomRows,
  heldOut: HeldOut,
  single: Int32Array,
  { tolerance, economy, seed }: SavingsTerms,
  by: TrainedSavings['by'],
): Judged {
  const unpriced = rows.models.filter((_, model) => Number.isNaN(rows.expectedCosts[model]!));
  const known = knownCosts(rows, single, unpriced);
  if (typeof known === 'string') return { unjudged: known };
  const { source, costs, judged } = known;
  // routing sees its own expectation of costs, never what an answer will have cost
  const seen = unpriced.length === 0 ? rows.expectedCosts : meanCosts(costs, rows.models.length);
  const terms = economyAt(costDial(economy));
  const choose = (predicted: Predicted): Int32Array =>
    judged.map((place, row) =>
      place < 0 ? -1 : bestValue(rows, { predicted, costs: seen, tolerance, economy: terms }, row),
    );
  const [trained, shipped] = [choose(heldOut[by]), choose(heldOut.router)];
  const compare = (places: Int32Array, others: Int32Array): RouterComparison =>
    compared(rows, costs, places, others, seed);
  const costFor = (places: Int32Array): number => meanAt(costs, places, rows);
  return {
    savings: {
      by,
      source,
      rows: judged.filter((place) => place >= 0).length,
      tolerance,
      cost: { trained: costFor(trained), shipped: costFor(shipped), bestSingle: costFor(judged) },
      trained: compare(trained, judged),
      shipped: compare(shipped, judged),
      overShipped: compare(trained, shipped),
      unpriced,
      sameAs: sameSingle(rows, judged, trained, { costs, tolerance, seed }),
    },
  };
}

/** Names the cheapest model that, always called, is as good at no more cost than the choices. */
function sameSingle(
  rows: CustomRows,
  judged: Int32Array,
  trained: Int32Array,
  { costs, tolerance, seed }: { costs: Float32Array; tolerance: number; seed: number },
): string | null {
  const means = meanScores(rows);
  const maxCost = meanAt(costs, trained, rows) * (1 + roundingError);
  const able = rows.models.flatMap((model, place) => {
    const places = alwaysCalling(rows, place, means).map((called, row) =>
      judged[row]! < 0 ? -1 : called,
    );
    const cost = meanAt(costs, places, rows);
    return cost <= maxCost && isAsGood(compared(rows, costs, places, judged, seed), tolerance)
      ? { model, cost }
      : [];
  });
  able.sort((a, b) => a.cost - b.cost || (a.model < b.model ? -1 : 1));
  return able[0]?.model ?? null;
}

/**
 * The costs to judge by, and `single` for the rows that have them. The evaluations' own costs come
 * first; a mixture of both sources would compare measured with estimated costs.
 * @returns why there are none, where there are too few
 */
function knownCosts(
  rows: CustomRows,
  single: Int32Array,
  unpriced: readonly string[],
): { source: TrainedSavings['source']; costs: Float32Array; judged: Int32Array } | string {
  if (rows.costs !== null) {
    const judged = single.map((place, row) => (isPriced(rows, rows.costs!, row) ? place : -1));
    const prompts = new Set(rows.groups.filter((_, row) => judged[row]! >= 0));
    if (prompts.size >= minPrompts) return { source: 'evaluations', costs: rows.costs, judged };
  }
  if (unpriced.length === 0) return { source: 'prices', costs: rows.expectedCosts, judged: single };
  const missing =
    rows.costs === null
      ? 'the evaluations have none'
      : `fewer than ${minPrompts} prompts have the costs of all their scores`;
  return `${missing}, and the gateway knows no price of ${firstNames(unpriced)}`;
}

/** Names for a sentence: three at most. */
export const firstNames = (names: readonly string[]): string =>
  names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');

function isPriced({ models, scores }: CustomRows, costs: Float32Array, row: number): boolean {
  const from = row * models.length;
  return models.every(
    (_, model) => Number.isNaN(scores[from + model]!) || !Number.isNaN(costs[from + model]!),
  );
}

/** What `tradeoff: cost` goes by, by row and model. */
interface Weighed {
  readonly predicted: Predicted;
  readonly costs: Float32Array;
  readonly tolerance: number;
  readonly economy: Economy;
}

/** The place that `tradeoff: cost` chooses in a row, among the models with a score there. */
function bestValue(
  { models, scores }: CustomRows,
  { predicted, costs, tolerance, economy }: Weighed,
  row: number,
): number {
  const from = row * models.length;
  const measured = models.flatMap((_, model) => (Number.isNaN(scores[from + model]!) ? [] : model));
  const best = measured.reduce((kept, model) =>
    predicted[from + model]! > predicted[from + kept]! ? model : kept,
  );
  const worthAt = (model: number): number =>
    worthOf(predicted[from + model]!, predicted[from + best]!, costs[from + model]!, economy);
  return measured
    .filter((model) =>
      isTolerated(predicted[from + best]! - predicted[from + model]! - roundingError, tolerance),
    )
    .reduce((kept, model) => {
      const more = worthAt(model) - worthAt(kept);
      const isBetter = predicted[from + model]! > predicted[from + kept]!;
      return more > 0 || (more === 0 && isBetter) ? model : kept;
    });
}

function compared(
  rows: CustomRows,
  costs: Float32Array,
  places: Int32Array,
  others: Int32Array,
  seed: number,
): RouterComparison {
  const difference = (values: Float32Array): Float64Array => {
    const own = valuesAt(values, places, rows),
      other = valuesAt(values, others, rows);
    return own.map((value, row) => value - other[row]!);
  };
  return {
    score: bootstrapMean(difference(rows.scores), rows.groups, seed),
    saved: bootstrapRatio(
      difference(costs).map((more) => -more),
      valuesAt(costs, others, rows),
      rows.groups,
      seed,
    ),
  };
}

/** Whether scores stay within the tolerance: on average, and surely within twice of it. */
const isAsGood = ({ score }: RouterComparison, tolerance: number): boolean =>
  score.value >= -tolerance && score.low >= -2 * tolerance;

/** Whether the shipped predictor's choices with `tradeoff: cost` are as good as the best model. */
export const isShippedAsGood = ({ shipped, tolerance }: TrainedSavings): boolean =>
  isAsGood(shipped, tolerance);

/**
 * Whether `tradeoff: cost` on the trained predictor is as good as the best single model and as the
 * shipped predictor, and surely costs less than one of them, without the shipped predictor being as
 * good for surely less.
 */
export function isCheaper(savings: TrainedSavings): boolean {
  const { trained, overShipped, tolerance } = savings;
  if (!isAsGood(trained, tolerance) || !isAsGood(overShipped, tolerance)) return false;
  if (overShipped.saved.low > 0) return true;
  const isOutdone = isShippedAsGood(savings) && overShipped.saved.high < 0;
  return trained.saved.low > 0 && !isOutdone;
}
