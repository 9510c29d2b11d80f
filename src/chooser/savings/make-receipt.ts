import type { ChoiceSums } from '../../store/contracts/choices.js';
import type { SavingsEvidence } from './beliefs.js';
import { type ChoiceComparison, compare, type Figure, isUsual } from './compare.js';
import {
  type Alternative,
  type BestAlternative,
  type PeriodUsage,
  type Receipt,
  summaryOf,
} from './summary.js';

interface Counts {
  readonly choices: number;
  readonly chosen: number;
  /** Of the choices in which another model was chosen. */
  readonly others: number;
  readonly pricedOthers: number;
}

/** The receipt of some choices. @param usage for the summary; null: unknown */
export async function makeReceipt(
  sums: readonly ChoiceSums[],
  evidence: SavingsEvidence,
  usage: PeriodUsage | null,
): Promise<Receipt> {
  const comparison = await compare(sums, evidence);
  const { models, choices } = comparison;
  const own = sums.filter(({ chosen, candidate }) => chosen === candidate);
  const measured = totalOf(own.filter(({ isMeasured }) => isMeasured));
  const spent = spentOf(own, comparison, measured);
  const counts = countsOf(models, sums);
  const all = models.map((model, at) => alternativeOf(model, at, counts[at]!, comparison, spent));
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
  const count = (
    rows: SavingsEvidence['pairs']['sums'] | SavingsEvidence['pairs']['rated'],
  ): number =>
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

const totalOf = (rows: readonly ChoiceSums[]): number =>
  rows.reduce((sum, { choices }) => sum + choices, 0);

function spentOf(
  own: readonly ChoiceSums[],
  { choices, spentUsd }: ChoiceComparison,
  measured: number,
): Pick<Receipt, 'spentUsd' | 'spentReason'> {
  const priced = own.reduce((sum, row) => sum + row.priced, 0);
  if (choices === 0) return { spentUsd: null, spentReason: 'there was no choice' };
  if (priced === 0)
    return { spentUsd: null, spentReason: 'no price is known for the chosen models' };
  const reasons = [
    ...(priced < choices
      ? [`${choices - priced} of ${choices} choices are left out: their price is unknown`]
      : []),
    ...(measured < choices
      ? [`${choices - measured} of ${choices} are estimated: the gateway did not see the answers`]
      : []),
  ];
  return {
    spentUsd: dollars(spentUsd),
    spentReason: reasons.length > 0 ? reasons.join('; ') : null,
  };
}

const countsOf = (models: readonly string[], sums: readonly ChoiceSums[]): Counts[] =>
  models.map((model) => {
    const rows = sums.filter(({ candidate }) => candidate === model);
    const others = rows.filter(({ chosen }) => chosen !== model);
    return {
      choices: totalOf(rows),
      chosen: totalOf(rows.filter(({ chosen }) => chosen === model)),
      others: totalOf(others),
      pricedOthers: others.reduce((sum, { priced }) => sum + priced, 0),
    };
  });

function alternativeOf(
  model: string,
  place: number,
  { choices, chosen, others, pricedOthers }: Counts,
  { savedUsd, gain }: ChoiceComparison,
  { spentUsd }: Pick<Receipt, 'spentUsd'>,
): Alternative {
  const saved = savedUsd[place]!;
  const isKnown = spentUsd !== null && (others === 0 || pricedOthers > 0);
  return {
    model,
    candidateIn: choices,
    chosenIn: chosen,
    alwaysUsd: isKnown ? dollars(plus(spentUsd, saved)) : null,
    savedUsd: isKnown ? dollars(saved) : null,
    quality: shares(gain[place]!),
    reason: reasonOf(isKnown, others, pricedOthers),
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
const plus = (spent: Figure, saved: Figure): Figure => ({
  value: Math.max(0, spent.value + saved.value),
  low: Math.max(0, spent.value + saved.low),
  high: Math.max(0, spent.value + saved.high),
});

const dollars = (figure: Figure): Figure => rounded(figure, 1e9);
const shares = (figure: Figure): Figure => rounded(figure, 1e4);

/** Without minus zero. */
const rounded = ({ value, low, high }: Figure, units: number): Figure => ({
  value: Math.round(value * units) / units + 0,
  low: Math.round(low * units) / units + 0,
  high: Math.round(high * units) / units + 0,
});
