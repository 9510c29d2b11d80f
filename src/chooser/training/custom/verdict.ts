import type { Estimate } from './bootstrap.js';
import type { CalibrationReport } from './calibration.js';
import {
  type RouterComparison,
  isCheaper,
  isShippedAsGood,
  firstNames,
  type TrainedSavings,
} from './judge-savings.js';

/** What a training is good for. */
export type TrainingFinding = 'better' | 'cheaper' | 'no_use';

/** What a training can put in use: its router, or corrected levels of quality alone. */
export type TrainedPart = 'router' | 'calibration';

/** What is in use after a training: a part of it, or of an earlier one; null: nothing. */
export type InUse = TrainedPart | 'earlier' | null;

/** What a verdict is made of. */
export interface Findings {
  readonly single: string;
  /** Of the trained router's choices: over always calling that model, over the shipped router's. */
  readonly gain: Estimate;
  readonly overShipped: Estimate;
  /** What `tradeoff: cost` saves; null if costs cannot be judged, for the reason in `unjudged`. */
  readonly savings: TrainedSavings | null;
  readonly unjudged: string | null;
  readonly calibration: CalibrationReport;
  /**
   * The same of a router that an earlier training put in use: `before` is what it predicts. Null: it
   * does not know all of the models, or there is none. Absent also in reports of earlier versions.
   */
  readonly earlierCalibration?: CalibrationReport | null;
}

/**
 * Better: surely better than the best single model, and no worse than what the shipped router
 * already reaches. Cheaper: as good, and surely at less cost.
 */
export function findUse({ gain, overShipped, savings }: Findings): TrainingFinding {
  if (gain.low > 0 && overShipped.value >= 0) return 'better';
  return savings !== null && isCheaper(savings) ? 'cheaper' : 'no_use';
}

/**
 * A router of an earlier training is not replaced by corrected levels of the shipped one, unless
 * they save; its own levels are corrected instead.
 * @param earlier what an earlier training put in use
 */
export function inUseAfter(
  finding: TrainingFinding,
  { calibration, savings }: Findings,
  earlier: TrainedPart | null,
): InUse {
  if (finding === 'cheaper' && savings?.by === 'offsets') return 'calibration';
  if (finding !== 'no_use') return 'router';
  if (calibration.isBetter && earlier !== 'router') return 'calibration';
  return earlier && 'earlier';
}

const signed = (value: number): string => (value >= 0 ? '+' : '') + value.toFixed(4);
const surely = ({ low, high }: Estimate): string =>
  `from ${signed(low)} to ${signed(high)} with 95 % confidence`;
const percent = (share: number): string => (100 * share).toFixed(1);
/** Such as "12.3 % less". */
const amount = ({ saved: { value } }: RouterComparison): string =>
  `${percent(Math.abs(value))} % ${value < 0 ? 'more' : 'less'}`;
/** Such as "12.3 % less than always calling it". */
const overSingle = (single: string, compared: RouterComparison): string =>
  compared.saved.low === 0 && compared.saved.high === 0
    ? `at the cost of always calling ${single}`
    : `${amount(compared)} than always calling ${single}`;

/** The same with its interval. */
function costChange(compared: RouterComparison): string {
  const { value, low, high } = compared.saved;
  const [least, most] = value < 0 ? [-high, -low] : [low, high];
  return `${amount(compared)} cost (from ${percent(least)} to ${percent(most)} % with 95 % confidence)`;
}

const difference = ({ score }: RouterComparison): string =>
  `differs by ${signed(score.value)} (${surely(score)})`;

/** The verdict in a few plain sentences, with figures. */
export function verdictOn(finding: TrainingFinding, findings: Findings, inUse: InUse): string {
  const why = { better: whyBetter, cheaper: whyCheaper, no_use: whyNoUse }[finding](findings);
  return [why, sameBySingleModel(findings), aboutCosts(findings), outcomeOf(findings, inUse)]
    .filter(Boolean)
    .join(' ');
}

function whyBetter({ single, gain, overShipped, savings }: Findings): string {
  const why = `better than always calling ${single}: ${signed(gain.value)}, ${surely(gain)}; compared to the shipped router ${signed(overShipped.value)}, ${surely(overShipped)}.`;
  return savings && isCheaper(savings)
    ? `${why} With tradeoff: cost it is ${asGoodAs(single, savings)}.`
    : why;
}

function whyCheaper({ single, savings }: Findings): string {
  const { trained, tolerance } = savings!;
  return `${asGoodAs(single, savings!)}, with tradeoff: cost. Its score ${difference(trained)} from that of ${single}; ${tolerance} is tolerated.`;
}

/** Compared first with what surely costs more: the single model, else the shipped router. */
const asGoodAs = (single: string, { trained, overShipped }: TrainedSavings): string =>
  trained.saved.low > 0
    ? `as good as always calling ${single} at ${costChange(trained)}, ${amount(overShipped)} than the shipped router`
    : `as good as the shipped router at ${costChange(overShipped)}, ${overSingle(single, trained)}`;

function whyNoUse({ single, gain, overShipped, savings }: Findings): string {
  const figures = `${signed(gain.value)}, ${surely(gain)}`;
  const choices =
    gain.low > 0
      ? `better than always calling ${single} (${figures}), but the shipped router is better still (by ${(-overShipped.value).toFixed(4)})`
      : `no gain over always calling ${single} (${figures})`;
  return `no use: ${choices}.${savings === null ? '' : ` ${whyNoSaving(single, savings)}`}`;
}

function whyNoSaving(single: string, savings: TrainedSavings): string {
  const { trained, shipped } = savings;
  if (trained.saved.low === 0 && trained.saved.high === 0)
    return `With tradeoff: cost it costs as much as ${single}.`;
  const figures = `With tradeoff: cost it has ${costChange(trained)} than ${single}, and its score ${difference(trained)}`;
  return isShippedAsGood(savings)
    ? `${figures}; the shipped router is as good at ${costChange(shipped)}.`
    : `${figures}.`;
}

/** Names a single model that saves as much without any choosing. */
const sameBySingleModel = ({ savings }: Findings): string =>
  savings?.sameAs && isCheaper(savings)
    ? `Always calling ${savings.sameAs} does the same: it is as good at no more cost.`
    : '';

/** What the figures about costs rest on. */
function aboutCosts({ savings, unjudged }: Findings): string {
  if (savings === null) return `Costs could not be judged: ${unjudged}.`;
  if (savings.source === 'prices') return 'Costs are expected from list prices and lengths.';
  return savings.unpriced.length === 0
    ? ''
    : `The gateway knows no price of ${firstNames(savings.unpriced)}: state it, so that tradeoff: cost can weigh it.`;
}

function outcomeOf(findings: Findings, inUse: InUse): string {
  const { calibration, savings } = findings;
  if (inUse === 'router') return 'The trained router is switched on.';
  if (inUse === 'earlier')
    return `The trained router is not switched on; what an earlier training switched on stays${levelsOfEarlier(findings)}`;
  if (inUse === null) return 'The trained router is not switched on.';
  return savings?.by === 'offsets'
    ? `That takes no more than to correct the level of each model's predicted quality, which is switched on: ${changeOf(calibration)}`
    : `The trained router is not switched on, but the level of each model's predicted quality is corrected: ${changeOf(calibration)}`;
}

function levelsOfEarlier({ earlierCalibration: calibration }: Findings): string {
  if (calibration === undefined) return '.';
  if (calibration === null)
    return ', and so do the levels that it predicts, because it does not know all of these models.';
  return calibration.isBetter
    ? `, and the level of each model's quality that it predicts is corrected: ${changeOf(calibration)}`
    : ', and so do the levels that it predicts: to correct them would not lower the log loss.';
}

const changeOf = ({ logLoss, levelError }: CalibrationReport): string =>
  `log loss ${logLoss.before.toFixed(4)} becomes ${logLoss.after.toFixed(4)} (${signed(logLoss.change.value)}, ${surely(logLoss.change)}), mean error of the level ${levelError.before.toFixed(3)} becomes ${levelError.after.toFixed(3)}.`;
