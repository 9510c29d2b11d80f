import type { Estimate } from './compare.js';

/** Choosing compared with always calling one model. A figure that cannot be known is null. */
export interface Alternative {
  /** `<provider>/<model>`. */
  readonly model: string;
  /** In how many choices it was a candidate, and in how many it was chosen. */
  readonly candidateIn: number;
  readonly chosenIn: number;
  /** What always calling it would have cost; where it was no candidate, what was chosen did. */
  readonly alwaysUsd: Estimate | null;
  /** `alwaysUsd` less what the choices cost. */
  readonly savedUsd: Estimate | null;
  /** By how much its mean quality is higher than what was chosen, where it was a candidate. */
  readonly quality: Estimate;
  /** Why a cost is null, or leaves some choices out; null: it is known. */
  readonly reason: string | null;
}

/** Of the candidates in more than half of the choices the one with the highest `quality`. */
export interface BestAlternative extends Omit<Alternative, 'quality'> {
  /** The expected quality that choosing gives up, 0..1; below 0: choosing is expected to be better. */
  readonly qualityGivenUp: Estimate;
}

/** All requests of a period, with a choice or without. */
export interface PeriodUsage {
  readonly requests: number;
  /** What prompt caches saved in them. */
  readonly cacheSavedUsd: number;
}

/** What choosing has saved in some requests. */
export interface Receipt {
  /** Requests in which at least two candidates were weighed. */
  readonly choices: number;
  /** How many of them the gateway called the model for, or was told the usage of. */
  readonly measured: number;
  /** Rated answers that narrow the quality, as many as they count for. */
  readonly ratings: number;
  /** Requests that a second candidate answered too, and those of which both answers are rated. */
  readonly pairs: number;
  readonly ratedPairs: number;
  /** What the second answers cost, in addition to `spentUsd`. */
  readonly pairsUsd: number;
  /** What the choices cost; null: it cannot be known. */
  readonly spentUsd: Estimate | null;
  /** Why `spentUsd` is null, estimated, or leaves some choices out; null: it is exact. */
  readonly spentReason: string | null;
  /** Null if there was no choice, or no model was a candidate in more than half of them. */
  readonly best: BestAlternative | null;
  /** All: candidates in more than half of the choices first, and those of the best quality first. */
  readonly candidates: readonly Alternative[];
  readonly summary: string;
}

type Unsummed = Omit<Receipt, 'summary'>;

/** The receipt in plain sentences. @param usage of the whole period; null: unknown */
export function summaryOf(receipt: Unsummed, usage: PeriodUsage | null): string {
  const chosen = choosingOf(receipt, usage?.requests ?? null);
  return [chosen, ...cachesOf(usage?.cacheSavedUsd ?? 0)].join(' ');
}

function choosingOf(receipt: Unsummed, requests: number | null): string {
  const { choices, best, spentUsd, spentReason } = receipt;
  if (choices === 0) return withoutChoices(requests);
  if (best === null) return withoutComparison(receipt);
  const { savedUsd, alwaysUsd, reason } = best;
  if (spentUsd === null || savedUsd === null || alwaysUsd === null)
    return `${counted(choices)}. What choosing saved is unknown: ${spentUsd === null ? spentReason : reason}. ${qualityOf(receipt, best)}`;
  const money = moneyOf(receipt, best, { spent: spentUsd, saved: savedUsd, always: alwaysUsd });
  return `${counted(choices)}. ${money} ${qualityOf(receipt, best)}`;
}

function withoutComparison({ choices, spentUsd }: Unsummed): string {
  const spent = spentUsd === null ? '' : ` The chosen models cost ${usd(spentUsd.value)}.`;
  return `${counted(choices)}. Their candidates differ: none was one in more than half of them, so that nothing can be said of all; the receipts by key, preference or model compare fewer choices each.${spent}`;
}

function withoutChoices(requests: number | null): string {
  if (requests === 0) return 'Choosing saved nothing: there were no requests in this period.';
  const all = requests === null ? 'no request' : `none of the ${whole(requests)} requests`;
  return `Choosing saved nothing: ${all} left a choice. A request leaves one if at least two models can serve it and the ranker predicts their quality.`;
}

function cachesOf(savedUsd: number): string[] {
  if (savedUsd === 0) return [];
  return savedUsd > 0
    ? [`Prompt caches saved ${usd(savedUsd)}.`]
    : [`Prompt caches cost ${usd(-savedUsd)} more than they saved.`];
}

const counted = (choices: number): string =>
  choices === 1 ? '1 request left a choice' : `${whole(choices)} requests left a choice`;

function moneyOf(
  receipt: Unsummed,
  best: BestAlternative,
  { spent, saved, always }: { spent: Estimate; saved: Estimate; always: Estimate },
): string {
  if (isCheapest(receipt, best)) return cannotSave(receipt, best, spent);
  if (best.chosenIn === best.candidateIn) return nothingSaved(receipt, best, spent);
  const compared = `the chosen models cost ${usd(spent.value)}, always calling ${named(receipt, best)}, would have cost ${usd(always.value)} (95 %: ${range(always, usd)})`;
  if (saved.low === 0 && saved.high === 0) return `Choosing saved nothing: ${compared}.`;
  if (saved.low > 0)
    return `Choosing saved about ${usd(saved.value)} (95 %: ${range(saved, usd)}): ${compared}.`;
  if (saved.high < 0)
    return `Choosing saved nothing; it cost about ${usd(-saved.value)} more (95 %: ${range({ value: 0, low: -saved.high, high: -saved.low }, usd)}): ${compared}.`;
  return `Whether choosing saved money is not certain: ${compared}.`;
}

/** A candidate and of how many choices it was one. */
const named = ({ choices }: Unsummed, { model, candidateIn }: BestAlternative): string =>
  candidateIn === choices
    ? `${model}, the candidate of the best expected quality in all of them`
    : `${model} where it was a candidate (${whole(candidateIn)} of ${whole(choices)} choices), the best in expected quality of those in most choices`;

/** Whether the best candidate of all choices was also the cheapest to call always. */
function isCheapest({ candidates, choices }: Unsummed, best: BestAlternative): boolean {
  const least = best.alwaysUsd?.value ?? null;
  return (
    least !== null &&
    best.candidateIn === choices &&
    (best.savedUsd?.value ?? 1) <= 0 &&
    candidates.every(({ alwaysUsd }: Alternative) => alwaysUsd === null || alwaysUsd.value >= least)
  );
}

function cannotSave({ choices }: Unsummed, best: BestAlternative, spent: Estimate): string {
  const why = `${best.model} has the best expected quality and is the cheapest of the candidates`;
  return best.chosenIn === choices
    ? `Choosing cannot save money here: ${why}, and it was always chosen (${usd(spent.value)}).`
    : `Choosing cannot save money here: ${why}; the chosen models cost ${usd(spent.value)}.`;
}

/** Of choices that were all as always calling the best candidate. */
function nothingSaved({ choices }: Unsummed, best: BestAlternative, spent: Estimate): string {
  const { model, candidateIn } = best;
  return candidateIn === choices
    ? `Choosing saved nothing: ${model}, the candidate of the best expected quality, was chosen in all of them (${usd(spent.value)}).`
    : `Choosing saved nothing against ${model}, which was chosen in all ${whole(candidateIn)} of ${whole(choices)} choices in which it was a candidate, the best in expected quality of those in most choices; the chosen models cost ${usd(spent.value)}.`;
}

function qualityOf(receipt: Unsummed, best: BestAlternative): string {
  const { value, low, high } = best.qualityGivenUp;
  const interval = `(95 %: ${range({ value, low, high }, points)}${basisOf(receipt)})`;
  if (best.chosenIn === best.candidateIn)
    return `No quality was given up against ${best.model}; another candidate may be better in up to ${points(high)} of 100 answers.`;
  return value >= 0
    ? `The expected quality given up is ${points(value)} of 100 answers ${interval}.`
    : `The chosen models are expected to answer ${points(-value)} of 100 answers better than ${best.model} alone ${interval}.`;
}

/** What narrows the interval. */
function basisOf({ ratings, pairs, ratedPairs }: Unsummed): string {
  const bases = [
    ...(ratings > 0 ? [counting(ratings, 'rating')] : []),
    ...(ratedPairs > 0 ? [`${counting(ratedPairs, 'pair')} of rated answers`] : []),
  ];
  const narrowed = bases.length > 0 ? `, narrowed by ${bases.join(' and ')}` : '';
  return pairs > ratedPairs
    ? `${narrowed}; ${counting(pairs - ratedPairs, 'pair')} of answers are not rated`
    : narrowed;
}

const counting = (count: number, noun: string): string =>
  `${whole(count)} ${noun}${count === 1 ? '' : 's'}`;

const whole = (count: number): string => count.toLocaleString('en-US');

const usd = (value: number): string => {
  const size = Math.abs(value);
  const digits = size === 0 || size >= 0.995 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(size)));
  return `${value < 0 ? '-' : ''}$${size.toFixed(digits)}`;
};

const points = (share: number): string => (share * 100).toFixed(1);

const range = ({ low, high }: Estimate, show: (value: number) => string): string =>
  `${show(low)} to ${show(high)}`;
