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
  const rated = new Map<string, RatedPairs>();
  for (const pair of pairs) {
    const { chosen, shadow } = pair,
      id = `${chosen} ${shadow}`,
      before = rated.get(id),
      weight = weightOf(pair);
    rated.set(id, {
      chosen,
      shadow,
      ...added(pairSums, before, pair, weight),
      // of the first model, and of the second
      singles: pair.singles.map((one, place) => ({
        model: one.model,
        ...added(singleSums, before?.singles[place], one, weight),
      })),
    });
  }
  const singles = new Map<string, RatedQuality>();
  for (const one of ratings) {
    const { model } = one;
    singles.set(model, { model, ...added(singleSums, singles.get(model), one, weightOf(one)) });
  }
  return { ratings: [...singles.values()], pairs: { sums, rated: [...rated.values()] } };
}

/** What is added up of ratings, and of rated pairs. */
const singleSums = ['answers', 'difference', 'squares'] as const;
const pairSums = ['pairs', 'difference', 'squares', 'uncertainty', 'chosenUncertainty'] as const;

/** Sums with one more row, which counts for a part. */
const added = <Name extends string>(
  names: readonly Name[],
  sums: Readonly<Record<Name, number>> | undefined,
  row: Readonly<Record<Name, number>>,
  weight: number,
): Record<Name, number> =>
  Object.fromEntries(
    names.map((name) => [name, (sums?.[name] ?? 0) + row[name] * weight]),
  ) as Record<Name, number>;

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

/** The most that one key's ratings count for, of all, if three or more keys rate. */
const maxShare = 1 / 3;
/** A key with fewer ratings bounds no other's. */
const minRatings = 5;

/**
 * The most that one key may count for, so that no key has more than a third of the sum, or than its
 * part of it where fewer than three rate.
 * @param sums by key, what its ratings would count for without the bound
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
