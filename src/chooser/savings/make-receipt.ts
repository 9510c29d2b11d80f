import type { ChoiceSums } from '../../store/contracts/choices.js';
import type { PairSums } from '../../store/contracts/shadows.js';
import type { SavingsEvidence } from './beliefs.js';
import { type ChoiceComparison, compare, type Estimate, isUsual, mapEstimate } from './compare.js';
import {
  type Alternative,
  type BestAlternative,
  type PeriodUsage,
  type Receipt,
  summaryOf,
} from './summary.js';

/** The receipt of some choices. @param usage for the summary; null: unknown */
export async function makeReceipt(
  sums: readonly ChoiceSums[],
  evidence: SavingsEvidence,
  usage: PeriodUsage | null,
): Promise<Receipt> {
  const comparison = await compare(sums, evidence);
  const { models, choices } = comparison;
  const own = sums.filter(({ chosen, candidate }) => chosen === candidate);
  const measured = sumOf(
    own.filter(({ isMeasured }) => isMeasured),
    'choices',
  );
  const spent = spentOf(own, comparison, measured);
  const all = models.map((_, place) => alternativeOf(place, sums, comparison, spent));
  const rated = new Set(models);
  const receipt: Omit<Receipt, 'summary'> = {
    choices,
    measured,
    ratings: Math.round(
      evidence.ratings.reduce((sum, one) => sum + (rated.has(one.model) ? one.answers : 0), 0),
    ),
    ...pairsOf(evidence, rated),
    ...spent,
    best: bestOf(all, comparison),
    candidates: [...all].sort(
      (a, b) => rank(b, choices) - rank(a, choices) || b.quality.value - a.quality.value,
    ),
  };
  return { ...receipt, summary: summaryOf(receipt, usage) };
}

function bestOf(
  all: readonly Alternative[],
  { best, givenUp }: ChoiceComparison,
): BestAlternative | null {
  if (best === null || givenUp === null) return null;
  const { quality: _quality, ...alternative } = all[best]!;
  return { ...alternative, qualityGivenUp: shares(givenUp) };
}

const rank = ({ candidateIn }: Alternative, choices: number): number =>
  isUsual(candidateIn, choices) ? 1 : 0;

/** Of pairs of which both models are among the candidates. */
function pairsOf(
  { pairs }: SavingsEvidence,
  models: ReadonlySet<string>,
): Pick<Receipt, 'pairs' | 'ratedPairs' | 'pairsUsd'> {
  const count = (rows: readonly Pick<PairSums, 'chosen' | 'shadow' | 'pairs'>[]): number =>
    rows.reduce(
      (sum, one) => sum + (models.has(one.chosen) && models.has(one.shadow) ? one.pairs : 0),
      0,
    );
  const usd = pairs.sums.reduce((sum, { costUsd }) => sum + costUsd, 0);
  return {
    pairs: count(pairs.sums),
    ratedPairs: Math.round(count(pairs.rated)),
    pairsUsd: Math.round(usd * 1e9) / 1e9,
  };
}

const sumOf = (rows: readonly ChoiceSums[], count: 'choices' | 'priced'): number =>
  rows.reduce((sum, row) => sum + row[count], 0);

function spentOf(
  own: readonly ChoiceSums[],
  { choices, spentUsd }: ChoiceComparison,
  measured: number,
): Pick<Receipt, 'spentUsd' | 'spentReason'> {
  const priced = sumOf(own, 'priced');
  if (choices === 0) return { spentUsd: null, spentReason: 'there was no choice' };
  if (priced === 0)
    return { spentUsd: null, spentReason: 'no price is known for the chosen models' };
  const reasons = [
    priced < choices &&
      `${choices - priced} of ${choices} choices are left out: their price is unknown`,
    measured < choices &&
      `${choices - measured} of ${choices} are estimated: the gateway did not see the answers`,
  ];
  return { spentUsd: dollars(spentUsd), spentReason: reasons.filter(Boolean).join('; ') || null };
}

function alternativeOf(
  place: number,
  sums: readonly ChoiceSums[],
  { models, savedUsd, gain }: ChoiceComparison,
  { spentUsd }: Pick<Receipt, 'spentUsd'>,
): Alternative {
  const model = models[place]!,
    saved = savedUsd[place]!;
  const rows = sums.filter(({ candidate }) => candidate === model);
  const compared = rows.filter(({ chosen }) => chosen !== model);
  const candidateIn = sumOf(rows, 'choices'),
    others = sumOf(compared, 'choices'),
    priced = sumOf(compared, 'priced');
  const isKnown = spentUsd !== null && (others === 0 || priced > 0);
  return {
    model,
    candidateIn,
    chosenIn: candidateIn - others,
    alwaysUsd: isKnown ? dollars(plus(spentUsd, saved)) : null,
    savedUsd: isKnown ? dollars(saved) : null,
    quality: shares(gain[place]!),
    reason: reasonOf(isKnown, others, priced),
  };
}

function reasonOf(isKnown: boolean, others: number, priced: number): string | null {
  if (!isKnown)
    return priced === 0
      ? 'its price, or that of the chosen models, is unknown'
      : 'what was spent is unknown';
  return priced < others
    ? `${others - priced} of ${others} comparisons are left out: a price is unknown`
    : null;
}

/** What always calling a model would have cost is not less than nothing. */
const plus = (spent: Estimate, saved: Estimate): Estimate => ({
  value: Math.max(0, spent.value + saved.value),
  low: Math.max(0, spent.value + saved.low),
  high: Math.max(0, spent.value + saved.high),
});

/** Rounded to nano-dollars, without minus zero. */
const dollars = (estimate: Estimate): Estimate =>
  mapEstimate(estimate, (usd) => Math.round(usd * 1e9) / 1e9 + 0);
const shares = (estimate: Estimate): Estimate =>
  mapEstimate(estimate, (share) => Math.round(share * 1e4) / 1e4 + 0);
