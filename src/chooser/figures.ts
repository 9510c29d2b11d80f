import { tenThousandths, thousandths } from '../models/numbers.js';

/**
 * What a choice weighs in a candidate. Null: unknown. What a ranker predicts is set in
 * `predicted.ts` and copied here, because other files pass figures on as one object; what is known
 * beforehand is set in `appraise.ts`. The schemas of answers describe both.
 *
 * The copies below are written out field by field: object spreads doubled the time of a plan of 40
 * candidates, from 0.5 to 1 ms (2026-11).
 */
export interface Figures {
  /** Predicted, 0..1: the share of everyday tasks done well. */
  quality: number;
  /** USD per million tokens, blended: three tokens read for each one written. */
  price: number | null;
  /** Seconds to the first token. */
  latency: number | null;
  /**
   * Standard deviation of the predicted quality as far as it is due to the model. The uncertain
   * difficulty of the request is left out: all candidates share it. Absent if it is not predicted.
   */
  uncertainty?: number;
  /** The 90 % interval of the quality. Null: it was stated. */
  interval?: readonly [low: number, high: number] | null;
  /** Where the quality is from. Null: it was stated. */
  basis?: 'measured' | 'family' | 'guess' | null;
  /** Expected USD of this conversation. Absent: not predicted; null: the price is unknown. */
  cost?: number | null;
  /** The part of `cost` that is for the answer's tokens. It is not shown in explanations. */
  answerCost?: number | null;
  /** Tokens that the answer is expected to have. Absent if the ranker does not predict it. */
  outputTokens?: number;
  /** Null: its latency is stated, or time has no say. Absent if the ranker does not predict it. */
  times?: AnswerTimes | null;
  /** What the account's own traffic has changed in the quality, in a few words. Absent: nothing. */
  learned?: readonly string[];
  /** The quality before the account's feedback and outcomes moved it. Absent if they did not. */
  qualityBefore?: number;
  /** 0..1: how familiar such requests are, the same for all candidates. Absent: not predicted. */
  gate?: number;
  /** The request's kinds of task, the same for all candidates. Absent: not predicted. */
  kinds?: KindsOfTask;
}

/** Half of the width of a 90 % interval, in standard deviations. */
export const deviations = 1.645;

/** Expected seconds of an answer, from the request on. */
export interface AnswerTimes {
  /** Until the first token that a reader sees: after the reasoning. */
  readonly start: number;
  /** Until the last one. */
  readonly whole: number;
  /** True: by published figures alone, because nothing was measured here. */
  readonly isExpected?: boolean;
}

/** The kinds of task that make up much of a request, by the number that a router gives them. */
export interface KindsOfTask {
  /** The router's name: another router numbers them otherwise. */
  readonly router: string;
  readonly shares: readonly (readonly [task: number, share: number])[];
  /** Their names for people, in the order of `shares`; absent where the kinds were stored. */
  readonly names?: readonly string[];
}

/** The reason before a candidate is ranked: ranking sets it in place, without a copy. */
export const noReason = '';

/** Why a candidate has its place. */
export interface Explanation extends Figures {
  reason: string;
  /** It was put first to be tried, not for what is predicted of it. */
  explored?: true;
}

const isWaiting = (figures: Figures): figures is Explanation =>
  (figures as Explanation).reason === noReason;

/** The figures with the reason for their place: the same object if it waits for one, or a copy. */
export function explanationOf(figures: Figures, reason: string): Explanation {
  if (isWaiting(figures)) {
    figures.reason = reason;
    return figures;
  }
  const { quality, price, latency, uncertainty, cost, answerCost, outputTokens } = figures;
  const { learned, qualityBefore, gate, kinds, interval, basis, times } = figures;
  const explanation: Explanation = { quality, price, latency, reason };
  if (uncertainty !== undefined) explanation.uncertainty = uncertainty;
  if (interval !== undefined) explanation.interval = interval;
  if (basis !== undefined) explanation.basis = basis;
  if (cost !== undefined) explanation.cost = cost;
  if (answerCost !== undefined) explanation.answerCost = answerCost;
  if (outputTokens !== undefined) explanation.outputTokens = outputTokens;
  if (times !== undefined) explanation.times = times;
  if (learned !== undefined) explanation.learned = learned;
  if (qualityBefore !== undefined) explanation.qualityBefore = qualityBefore;
  if (gate !== undefined) explanation.gate = gate;
  if (kinds !== undefined) explanation.kinds = kinds;
  return explanation;
}

/** The figures of one candidate as `?explain=true` shows them and as they are stored. */
export interface ExplainedFigures {
  quality: number | null;
  price: number | null;
  latency: number | null;
  uncertainty?: number;
  own_uncertainty?: number;
  interval?: readonly number[];
  basis?: 'measured' | 'family' | 'guess';
  task_kinds?: readonly string[];
  cost?: number | null;
  output_tokens?: number;
  learned?: readonly string[];
  quality_before?: number;
  answer_time?: number;
  answer_time_basis?: 'measured' | 'expected';
}

/** Rounded to nine decimals, which removes the rounding errors of binary fractions. */
export const exact = (figure: number | null | undefined): number | null =>
  figure === null || figure === undefined ? null : Math.round(figure * 1e9) / 1e9;

/** Writes figures into an explanation: null where unknown, none where not predicted. */
export function explainFigures(figures: Figures | undefined, explanation: ExplainedFigures): void {
  explanation.quality = exact(figures?.quality);
  explanation.price = exact(figures?.price);
  explanation.latency = exact(figures?.latency);
  if (figures === undefined) return;
  const { uncertainty, interval, basis, kinds, cost, outputTokens, learned, qualityBefore } =
    figures;
  if (uncertainty !== undefined) {
    const whole = interval ? (interval[1] - interval[0]) / (2 * deviations) : uncertainty;
    explanation.uncertainty = tenThousandths(whole);
    if (interval) explanation.own_uncertainty = tenThousandths(uncertainty);
  }
  if (interval) explanation.interval = interval.map(thousandths);
  if (basis) explanation.basis = basis;
  // a stated quality was not predicted from kinds of task
  if (basis && kinds?.names) explanation.task_kinds = kinds.names;
  if (cost !== undefined) explanation.cost = exact(cost);
  if (outputTokens !== undefined) explanation.output_tokens = Math.round(outputTokens);
  if (learned !== undefined) explanation.learned = learned;
  if (qualityBefore !== undefined) explanation.quality_before = thousandths(qualityBefore);
  if (figures.times) {
    explanation.answer_time = thousandths(figures.times.whole);
    explanation.answer_time_basis = figures.times.isExpected ? 'expected' : 'measured';
  }
}

const minShare = 0.1;
const maxShares = 4;

/** The kinds that make up much of a request, as parts of a whole: at most four, largest first. */
export function largestShares(
  shares: Iterable<readonly [kind: number, share: number]>,
): [kind: number, share: number][] {
  const large: [number, number][] = [];
  for (const [kind, share] of shares) if (share >= minShare) large.push([kind, share]);
  large.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  if (large.length > maxShares) large.length = maxShares;
  let whole = 0;
  for (const one of large) whole += one[1];
  for (const one of large) one[1] /= whole;
  return large;
}
