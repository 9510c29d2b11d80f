import type { KeyRatings, RatedQuality } from '../../store/contracts/choices.js';
import type { KeyRatedPairs, PairSums, RatedPairs } from '../../store/contracts/shadows.js';
import type { SavingsEvidence } from './beliefs.js';

interface Rater {
  readonly accountId: string;
  readonly keyId: string;
}

/**
 * Ratings by many keys as evidence: those of one key count for no more than a third of its
 * account's (half, if two keys rate), as in learning. A rating above that counts in part.
 */
export function weighEvidence(
  ratings: readonly KeyRatings[],
  sums: readonly PairSums[],
  pairs: readonly KeyRatedPairs[],
): SavingsEvidence {
  const weights = weightsOf(ratings);
  const weightOf = (rater: Rater): number => weights.get(idOf(rater)) ?? 1;
  const rated = together(
    pairs.map((pair) => timesPairs(pair, weightOf(pair))),
    ({ chosen, shadow }) => `${chosen} ${shadow}`,
    plusPairs,
  );
  const singles = together(
    ratings.map((one) => times(one, weightOf(one))),
    ({ model }) => model,
    plus,
  );
  return { ratings: singles, pairs: { sums, rated } };
}

const idOf = ({ accountId, keyId }: Rater): string => `${accountId} ${keyId}`;

/** By account and key: what each of its ratings counts for, 0..1. */
function weightsOf(ratings: readonly KeyRatings[]): Map<string, number> {
  const accounts = new Map<string, Map<string, number>>();
  for (const { accountId, keyId, answers } of ratings) {
    const keys = accounts.get(accountId) ?? new Map<string, number>();
    keys.set(keyId, (keys.get(keyId) ?? 0) + answers);
    accounts.set(accountId, keys);
  }
  return new Map(
    [...accounts].flatMap(([accountId, keys]) => {
      const most = shareBound([...keys.values()]);
      return [...keys].map(
        ([keyId, sum]) => [idOf({ accountId, keyId }), sum > most ? most / sum : 1] as const,
      );
    }),
  );
}

const times = ({ model, answers, difference, squares }: RatedQuality, by: number) => ({
  model,
  answers: answers * by,
  difference: difference * by,
  squares: squares * by,
});

const plus = (a: RatedQuality, b: RatedQuality): RatedQuality => ({
  model: a.model,
  answers: a.answers + b.answers,
  difference: a.difference + b.difference,
  squares: a.squares + b.squares,
});

const timesPairs = (pair: RatedPairs, by: number): RatedPairs => ({
  chosen: pair.chosen,
  shadow: pair.shadow,
  pairs: pair.pairs * by,
  difference: pair.difference * by,
  squares: pair.squares * by,
  uncertainty: pair.uncertainty * by,
  chosenUncertainty: pair.chosenUncertainty * by,
  singles: pair.singles.map((one) => times(one, by)),
});

const plusPairs = (a: RatedPairs, b: RatedPairs): RatedPairs => ({
  ...a,
  pairs: a.pairs + b.pairs,
  difference: a.difference + b.difference,
  squares: a.squares + b.squares,
  uncertainty: a.uncertainty + b.uncertainty,
  chosenUncertainty: a.chosenUncertainty + b.chosenUncertainty,
  // of the first model, and of the second
  singles: a.singles.map((one, place) => plus(one, b.singles[place]!)),
});

function together<T>(rows: readonly T[], idOfRow: (row: T) => string, add: (a: T, b: T) => T): T[] {
  const sums = new Map<string, T>();
  for (const row of rows) {
    const id = idOfRow(row),
      before = sums.get(id);
    sums.set(id, before === undefined ? row : add(before, row));
  }
  return [...sums.values()];
}

/** The most that one key's ratings count for, of all, if three or more keys rate. */
const maxShare = 1 / 3;
/** A key with fewer ratings bounds no other's. */
const minRatings = 5;

/**
 * The most that one key may count for, given what each key's ratings would: with it as the bound of each, no key has more than a third
 * of the sum, or than its part of it where fewer than three rate.
 */
function shareBound(sums: readonly number[]): number {
  const raters = sums.filter((sum) => sum >= minRatings).length;
  if (raters < 2) return Infinity;
  const share = Math.max(maxShare, 1 / raters);
  const sorted = [...sums].sort((a, b) => b - a);
  let rest = sorted.reduce((sum, one) => sum + one, 0);
  for (const [bounded, sum] of sorted.entries()) {
    // `bounded` keys count for the bound each, the others for what they have
    const bound = (share * rest) / (1 - share * bounded);
    if (sum <= bound * (1 + 1e-9)) return bound;
    rest -= sum;
  }
  return sorted.at(-1) ?? Infinity;
}
