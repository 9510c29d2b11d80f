import type { Figures } from '../../../src/chooser/figures.js';
import { isTolerated } from '../../../src/chooser/rank-by-tradeoff.js';
import { type Economy, worthOf } from '../../../src/chooser/rank-by-worth.js';
import { lengthOf } from '../../../src/models/numbers.js';

/** What a rule looks at. */
export type Weighed = Pick<Figures, 'quality' | 'uncertainty' | 'cost'>;

/** A rule of choice: the place of the candidate that it takes. */
export type ChoiceRule = (candidates: readonly Weighed[]) => number;

// a large number, so that no price is compared with none
const costOf = ({ cost }: Weighed): number => cost ?? 1e9;
const bestOf = (candidates: readonly Weighed[]): Weighed =>
  candidates.reduce((best, one) => (one.quality > best.quality ? one : best));
const doubtOf = (one: Weighed, other: Weighed): number =>
  lengthOf(one.uncertainty ?? 0, other.uncertainty ?? 0);

/** The place with the highest worth, of equals the first. */
function highest(candidates: readonly Weighed[], worthOf: (one: Weighed) => number): number {
  const worths = candidates.map(worthOf);
  return worths.indexOf(Math.max(...worths));
}

/** The cheapest of those that are good enough. */
const cheapestWhere =
  (isGood: (one: Weighed, best: Weighed) => boolean): ChoiceRule =>
  (candidates) => {
    const best = bestOf(candidates);
    return highest(candidates, (one) => (isGood(one, best) ? -costOf(one) : -Infinity));
  };

/** The cheapest within a window of predicted quality. */
export const withinWindow = (window: number): ChoiceRule =>
  cheapestWhere((one, best) => best.quality - one.quality <= window);

/**
 * The best of quality less cost at a rate, as the shipped rule takes it.
 * @param tolerance how far below the best a quality may be
 */
export const byRate =
  (economy: Economy, tolerance = 1): ChoiceRule =>
  (candidates) => {
    const best = bestOf(candidates);
    return highest(candidates, (one) =>
      isTolerated(best.quality - one.quality, tolerance)
        ? worthOf(one.quality, best.quality, costOf(one), economy)
        : -Infinity,
    );
  };

/** The rules until 2026-11, which did not look at what a difference costs. */
export const rulesBefore = {
  default: cheapestWhere((one, best) => {
    const lost = best.quality - one.quality;
    return lost < 0.01 && lost <= doubtOf(one, best);
  }),
  cost: cheapestWhere(
    (one, best) => best.quality - one.quality + Math.min(doubtOf(one, best), 0.025) <= 0.05,
  ),
} as const;
