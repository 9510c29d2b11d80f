import type { RatedQuality } from '../../store/contracts/choices.js';
import type { PairSums, RatedPairs } from '../../store/contracts/shadows.js';
import type { JointBelief } from './joint-belief.js';

/** Answers of two models to the same requests: all, and those of which both were rated. */
export interface Pairs {
  readonly sums: readonly PairSums[];
  readonly rated: readonly RatedPairs[];
}

/** Spread of how strict an account's raters are: the same error in all their ratings. */
export const strictness = 0.05;
/** Assumed variances of single pairs; they count as much as `priorPairs` observed pairs. */
const ratioVariance = 0.5;
const scoreVariance = 0.5;
const priorPairs = 2;
const minScoreVariance = 0.0025;
/** A smaller number of answers is a rounding error. */
const minAnswers = 1e-6;
/** Differences of two models between kinds of requests: more pairs do not reduce this error. */
const ratioSpread = 0.1;
const scoreSpread = 0.02;
/** Kinds of pairs, those with the most pairs first: more change little and take long. */
const maxKinds = 500;

/** The variance of a mean of `count` values, of which nothing was known but `before`. */
function varianceOfMean(sum: number, squares: number, count: number, before: number): number {
  const around = Math.max(0, squares - sum ** 2 / count);
  return (priorPairs * before + around) / (priorPairs + count - 1) / count;
}

/**
 * Narrows what is believed of the lengths of answers, in logarithms over the predicted lengths: the
 * same request makes both answers of a pair longer or shorter, so that it cancels out.
 */
export function observeLengths(
  belief: JointBelief,
  places: ReadonlyMap<string, number>,
  pairs: readonly PairSums[],
): void {
  for (const { first, second, one } of largest(places, pairs)) {
    const { measured, logRatio, logRatioSquares } = one;
    if (measured <= 0) continue;
    const variance =
      varianceOfMean(logRatio, logRatioSquares, measured, ratioVariance) + ratioSpread ** 2;
    const terms = [
      [second, 1],
      [first, -1],
    ] as const;
    belief.observe(terms, logRatio / measured, variance);
  }
}

/**
 * Narrows what is believed of the errors of predicted quality, in standard deviations of the
 * predictions. From the difference of the two scores of a pair, the difficulty of the requests
 * and the strictness of the rater cancel out; the mean of both scores says less.
 */
export function observeQuality(
  belief: JointBelief,
  places: ReadonlyMap<string, number>,
  pairs: readonly RatedPairs[],
): void {
  for (const { first, second, one } of largest(places, pairs)) {
    const { pairs: count, difference, squares, uncertainty, chosenUncertainty } = one;
    const apart = varianceOfMean(difference, squares, count, scoreVariance);
    const terms = [
      [second, uncertainty / count],
      [first, -chosenUncertainty / count],
    ] as const;
    const least = minScoreVariance / count;
    belief.observe(terms, difference / count, Math.max(least, apart) + scoreSpread ** 2);
    const [a, b] = one.singles;
    if (!a || !b || !isSame(a.answers, count) || !isSame(b.answers, count)) continue;
    const each = [a, b].map((of) =>
      varianceOfMean(of.difference, of.squares, count, scoreVariance / 2),
    );
    // the variance of the mean of both, from their own variances and that of their difference
    const middle = (2 * (each[0]! + each[1]!) - apart) / 4;
    belief.observe(
      terms.map(([place, weight]) => [place, Math.abs(weight) / 2] as const),
      (a.difference + b.difference) / (2 * count),
      Math.max(least, middle) + strictness ** 2,
    );
  }
}

/** Ratings of single answers without those of rated pairs, which count as pairs. */
export function unpaired(
  ratings: readonly RatedQuality[],
  pairs: readonly RatedPairs[],
): RatedQuality[] {
  const left = new Map(ratings.map((one) => [one.model, one]));
  for (const { model, answers, difference, squares } of pairs.flatMap(({ singles }) => singles)) {
    const all = left.get(model);
    if (!all) continue;
    left.set(model, {
      model,
      answers: all.answers - answers,
      difference: all.difference - difference,
      squares: all.squares - squares,
    });
  }
  return [...left.values()].filter(({ answers }) => answers > minAnswers);
}

const isSame = (one: number, other: number): boolean => Math.abs(one - other) < minAnswers;

/** Those whose two models are compared, with the places of both. */
const largest = <T extends { chosen: string; shadow: string; pairs: number }>(
  places: ReadonlyMap<string, number>,
  pairs: readonly T[],
): { readonly first: number; readonly second: number; readonly one: T }[] =>
  [...pairs]
    .sort((a, b) => b.pairs - a.pairs)
    .flatMap((one) => {
      const [first, second] = [places.get(one.chosen), places.get(one.shadow)];
      return first === undefined || second === undefined || one.pairs <= 0
        ? []
        : [{ first, second, one }];
    })
    .slice(0, maxKinds);
