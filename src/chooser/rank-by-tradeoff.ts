import { savesLittle, stayedWith } from './affinity.js';
import type { Figures } from './figures.js';
import type { CandidateFigures, RankedCandidate, RoutingRequest } from './plan.js';
import { rankByWeights } from './rank-by-weights.js';
import { rankedCandidate, reasonAmongEquals } from './ranked-candidate.js';
import { lengthOf, thousandthsText } from '../models/numbers.js';

/**
 * How far below the best a quality may be: `tolerance` for a cheaper or faster model, `affinity`
 * for the model of a continued conversation (0: not at all). The configuration states the defaults.
 */
export interface Margins {
  readonly tolerance: number;
  readonly affinity: number;
}

type Order = (a: CandidateFigures, b: CandidateFigures) => number;

/** Compares figures: smaller first, unknown last. */
function ascending(a: number | null, b: number | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  // not their difference, which would be an object for each comparison
  return a < b ? -1 : 1;
}

/**
 * What answering costs: the expected cost of this conversation if the ranker predicts it, else the
 * price per token. A ranker predicts it for all candidates or for none.
 */
const costOf = ({ cost, price }: Figures): number | null => (cost === undefined ? price : cost);

const byQuality: Order = ({ figures: a }, { figures: b }) =>
  ascending(b.quality, a.quality) ||
  ascending(costOf(a), costOf(b)) ||
  ascending(a.latency, b.latency);
const byCost: Order = (a, b) => ascending(costOf(a.figures), costOf(b.figures)) || byQuality(a, b);
const byLatency: Order = (a, b) =>
  ascending(a.figures.latency, b.figures.latency) || byQuality(a, b);
const wholeOf = ({ times }: Figures): number | null => times?.whole ?? null;
const startOf = ({ times }: Figures): number | null => times?.start ?? null;
const byWhole: Order = (a, b) =>
  ascending(wholeOf(a.figures), wholeOf(b.figures)) || byLatency(a, b);
const byStart: Order = (a, b) => ascending(startOf(a.figures), startOf(b.figures)) || byWhole(a, b);

/** A figure that candidates are sorted by, and its wording. */
interface Sorting {
  readonly order: Order;
  readonly figure: (known: Figures) => number | null;
  readonly best: string;
  readonly unknown: string;
  readonly text: (known: Figures) => string;
}

/** What is sorted by, by tradeoff and by what is known of the time. */
const sortings = {
  cost: {
    order: byCost,
    figure: costOf,
    best: 'cheapest',
    unknown: 'its price is not known',
    text: (known: Figures) =>
      known.cost === undefined
        ? `${thousandthsText(known.price ?? 0)} USD per million tokens`
        : `about ${Number((known.cost ?? 0).toPrecision(2))} USD`,
  },
  latency: {
    order: byLatency,
    figure: (known: Figures) => known.latency,
    best: 'fastest',
    unknown: 'its latency is not known',
    text: (known: Figures) => `${thousandthsText(known.latency ?? 0)} s to the first token`,
  },
  start: {
    order: byStart,
    figure: startOf,
    best: 'fastest',
    unknown: 'its latency is not known',
    text: (known: Figures) =>
      `about ${tenths(startOf(known))} s to the first token of the answer, ${tenths(wholeOf(known))} s to the last`,
  },
  whole: {
    order: byWhole,
    figure: wholeOf,
    best: 'fastest',
    unknown: 'its latency is not known',
    text: (known: Figures) => `about ${tenths(wholeOf(known))} s to the end of the answer`,
  },
} as const satisfies Record<string, Sorting>;

const tenths = (seconds: number | null): number => Number((seconds ?? 0).toFixed(1));

/**
 * What a tradeoff sorts by. Time is that of the whole answer, or until it begins if somebody watches
 * it; if that is not known of each candidate whose latency is known, latencies are compared.
 */
function sortingOf(
  wanted: 'cost' | 'latency',
  candidates: readonly CandidateFigures[],
  isStreamed: boolean,
): Sorting {
  if (wanted === 'cost') return sortings.cost;
  const timed = candidates.filter(({ figures }) => figures.latency !== null);
  const isKnown = timed.length > 0 && timed.every(({ figures }) => figures.times);
  return isKnown ? sortings[isStreamed ? 'start' : 'whole'] : sortings.latency;
}

/** Smaller differences are not paid for, if they are within the uncertainty. */
const minDifference = 0.01;

/** Whether a candidate's quality cannot be told from the best one's. */
function equals({ figures: best }: CandidateFigures, { figures }: CandidateFigures): boolean {
  const lost = best.quality - figures.quality;
  return lost < minDifference && lost <= lengthOf(best.uncertainty ?? 0, figures.uncertainty ?? 0);
}

// 0.9 - 0.85 is slightly more than 0.05 in binary
const roundingError = 1e-9;
/** Doubt takes at most this share of a tolerance: new models are doubtful, and not to be left out. */
const maxDoubt = 0.5;

/** What an account's own data said of a model is taken as it is. */
const doubtOf = ({ learned, uncertainty }: Figures): number => (learned ? 0 : (uncertainty ?? 0));

/**
 * Whether a loss of quality is no more than a tolerance, also if it is larger than expected by one
 * standard deviation. On 1,342 texts of classification that were held out, `cost` loses .023 of right
 * labels by this rule and saves 82 % of the bill, .028 and 94 % without the doubt (2026-11).
 * @param doubt the standard deviation of the loss
 */
export const isTolerated = (lost: number, doubt: number, tolerance: number): boolean =>
  lost + Math.min(doubt, maxDoubt * tolerance) <= tolerance + roundingError;

/** Whether what a candidate loses against the best is tolerated. */
const isWithin = (
  { figures: best }: CandidateFigures,
  { figures }: CandidateFigures,
  tolerance: number,
): boolean =>
  isTolerated(best.quality - figures.quality, lengthOf(doubtOf(best), doubtOf(figures)), tolerance);

/** By quality, but the cheapest first of those that cannot be told from the best. */
function rankByQuality(sorted: readonly CandidateFigures[], best: number): RankedCandidate[] {
  const [first] = sorted;
  const different = sorted.findIndex((one) => !equals(first!, one));
  const alike = different < 0 ? sorted.length : different;
  const order = [...sorted.slice(0, alike).sort(byCost), ...sorted.slice(alike)];
  const costs = order.slice(0, alike).map(({ figures }) => costOf(figures));
  return order.map((known, index) => {
    const { quality } = known.figures;
    // their order is by cost: the score of each is that of the best
    if (index < alike && alike > 1) {
      const said = {
        quality: `predicted quality ${thousandthsText(quality)}`,
        costText: sortings.cost.text(known.figures),
      };
      return rankedCandidate(
        known,
        best,
        reasonAmongEquals({ costs, index, all: sorted.length, ...said }),
      );
    }
    const reason =
      index === 0
        ? `best predicted quality, ${thousandthsText(best)}`
        : `predicted quality ${thousandthsText(quality)}, best is ${thousandthsText(best)}`;
    return rankedCandidate(known, quality, reason);
  });
}

function reasonBelow(first: CandidateFigures, one: CandidateFigures, tolerance: number): string {
  const [best, quality] = [first.figures.quality, one.figures.quality];
  const text = `predicted quality ${thousandthsText(quality)}, best is ${thousandthsText(best)}`;
  const isUnsure = best - quality <= tolerance + roundingError && !isWithin(first, one, tolerance);
  return isUnsure ? `${text}; not surely within the tolerance` : text;
}

/**
 * Candidates within the tolerance score above 1, more for smaller figures; the others score their
 * quality. So scores never rise down the list.
 */
function rankWinners(
  winners: readonly CandidateFigures[],
  { figure, best, unknown, text }: Sorting,
  tolerance: number,
): RankedCandidate[] {
  const last = winners.at(-1);
  const first = last && figure(last.figures) === null ? `${best} known` : best;
  return winners.map((known, index) => {
    const value = figure(known.figures);
    const within = `within ${thousandthsText(tolerance)} of the best quality`;
    if (value === null) return rankedCandidate(known, 1, `${within}, ${unknown}`);
    return rankedCandidate(
      known,
      1 + 1 / (1 + value),
      `${index === 0 ? `${first} ` : ''}${within}, ${text(known.figures)}`,
    );
  });
}

/**
 * Ranked by quality or weights, but the conversation's own model comes first if it is almost as
 * good.
 */
function stayedByScore(
  ranked: RankedCandidate[],
  { continued }: RoutingRequest,
  depth: number,
  affinity: number,
  what: string,
): RankedCandidate[] {
  if (affinity <= 0) return ranked;
  return stayedWith(ranked, continued, depth, ({ score }, best) =>
    score < best.score - affinity - roundingError
      ? null
      : `${what} ${thousandthsText(score)}, best is ${thousandthsText(best.score)}`,
  );
}

/**
 * Ranked by a tradeoff, but the conversation's own model comes first if leaving it saves little.
 */
function stayedByFigure(
  ranked: RankedCandidate[],
  { continued }: RoutingRequest,
  reach: number,
  { figure, best, text, unknown }: Sorting,
): RankedCandidate[] {
  return stayedWith(ranked, continued, reach, ({ why }, { why: least }) => {
    if (!savesLittle(figure(why), figure(least))) return null;
    return figure(why) === null ? unknown : `${text(why)}, the ${best} is ${text(least)}`;
  });
}

/**
 * Orders candidates by their predicted quality and the request's tradeoff. Every ranker that
 * predicts quality ends here.
 *
 * Without a tradeoff, the best quality comes first; those that cannot be told from it, and other
 * equals, are ordered by cost, then by latency, then as given. With a tradeoff, the candidates within
 * `tolerance` of the best quality come first (`isWithin`: the less is known of one, the nearer it
 * must be), cheapest or fastest first (`sortingOf`), then the others by quality. `maxModelDepth`
 * limits how far down the quality ranking such candidates are sought, so that the first
 * `maxModelDepth` candidates are the same with and without a tradeoff. The given order decides only
 * between exact equals. A preference's tradeoff applies if the request names none; its weights apply
 * if there is no tradeoff at all.
 *
 * A continued conversation stays with its model, within the same depth, if its quality (or its
 * weighted score) is within `affinity` of the best; with a tradeoff, if it is within the tolerance
 * and another model saves less than a fifth of its cost or time.
 */
export function rankByTradeoff(
  request: RoutingRequest,
  candidates: readonly CandidateFigures[],
  { tolerance, affinity }: Margins,
): RankedCandidate[] {
  const { preference } = request;
  const wanted = request.tradeoff ?? preference?.tradeoff;
  const depth = Math.max(1, request.maxModelDepth ?? candidates.length);
  const sorted = [...candidates].sort(byQuality);
  if (sorted.length === 0) return [];
  if (!wanted && preference?.weights)
    return stayedByScore(
      rankByWeights(sorted, preference.weights),
      request,
      depth,
      affinity,
      'score by the weights of the preference',
    );
  const best = sorted[0]?.figures.quality ?? 0;
  if (!wanted)
    return stayedByScore(
      rankByQuality(sorted, best),
      request,
      depth,
      affinity,
      'predicted quality',
    );
  const winners: CandidateFigures[] = [],
    rest: CandidateFigures[] = [];
  sorted.forEach((one, index) => {
    const isWinner = index < depth && isWithin(sorted[0]!, one, tolerance);
    (isWinner ? winners : rest).push(one);
  });
  const tradeoff = sortingOf(wanted, winners, request.isStreamed ?? false);
  const ranked = [
    ...rankWinners(winners.sort(tradeoff.order), tradeoff, tolerance),
    ...rest.map((one) =>
      rankedCandidate(one, one.figures.quality, reasonBelow(sorted[0]!, one, tolerance)),
    ),
  ];
  return affinity > 0 ? stayedByFigure(ranked, request, winners.length, tradeoff) : ranked;
}
