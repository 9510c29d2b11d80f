import type { Estimate } from '../../../src/chooser/training/custom/bootstrap.js';
import type { SignalResult } from './signal-areas.js';

/** What signals achieve on one family. All families have the same signals in the same order. */
export interface FamilySignals {
  readonly family: string;
  readonly results: readonly SignalResult[];
}

/** A signal with a sign, and what it achieves on a family. */
export interface Chosen {
  readonly name: string;
  readonly isReversed: boolean;
  readonly overLength: Estimate;
}

const overLength = (result: SignalResult, isReversed: boolean): Estimate =>
  isReversed ? result.reversedOverLength : result.overLength;

/** The signal and sign for which a figure is the highest. */
function best(
  { results }: FamilySignals,
  figure: (at: number, isReversed: boolean) => number,
): Chosen {
  let [chosen, highest, reversed] = [0, -Infinity, false];
  results.forEach((_, at) => {
    for (const isReversed of [false, true]) {
      const value = figure(at, isReversed);
      if (value > highest) [chosen, highest, reversed] = [at, value, isReversed];
    }
  });
  const result = results[chosen]!;
  return { name: result.name, isReversed: reversed, overLength: overLength(result, reversed) };
}

/** The signal that is best on the judged family itself: no choice of one can be better. */
export function bestInHindsight(judged: FamilySignals): Chosen {
  return best(judged, (at, isReversed) => overLength(judged.results[at]!, isReversed).value);
}

/** The signal that is best on the mean of all other families. */
export function bestOnOthers(judged: FamilySignals, all: readonly FamilySignals[]): Chosen {
  const others = all.filter(({ family }) => family !== judged.family);
  return best(judged, (at, isReversed) =>
    others.reduce((sum, { results }) => sum + overLength(results[at]!, isReversed).value, 0),
  );
}

/** The signal and sign that reach a goal in the most families, chosen on these families. */
export function bestForAll(
  all: readonly FamilySignals[],
  goal: number,
): { readonly name: string; readonly isReversed: boolean; readonly reached: number } {
  const reachedBy = (at: number, isReversed: boolean): number =>
    all.filter(({ results }) => overLength(results[at]!, isReversed).value >= goal).length;
  const { name, isReversed } = best(all[0]!, reachedBy);
  const at = all[0]!.results.findIndex((one) => one.name === name);
  return { name, isReversed, reached: reachedBy(at, isReversed) };
}

/** So far from a half, in standard deviations: of 3,000 that say nothing, not one is expected. */
const sureDeviations = 3.5;
/** Of a 95 % interval. */
const deviationsInInterval = 3.92;

/** 1: the higher the signal, the larger the gap, surely; -1: the smaller; 0: neither is sure. */
function direction({ apgr: { value, low, high } }: SignalResult): number {
  const reach = (sureDeviations * (high - low)) / deviationsInInterval;
  return Math.abs(value - 0.5) > reach ? Math.sign(value - 0.5) : 0;
}

/**
 * How many signals surely tell something in some family, and how many of these surely say the
 * contrary in another.
 */
export function countFlips(all: readonly FamilySignals[]): {
  readonly telling: number;
  readonly flipping: number;
} {
  let telling = 0,
    flipping = 0;
  all[0]!.results.forEach((_, at) => {
    const directions = new Set(all.map(({ results }) => direction(results[at]!)));
    if (directions.has(1) || directions.has(-1)) telling++;
    if (directions.has(1) && directions.has(-1)) flipping++;
  });
  return { telling, flipping };
}
