import { savesLittle, stayedWith } from './affinity.js';
import type { Figures } from './figures.js';
import type { CandidateFigures, RankedCandidate, RoutingRequest } from './plan.js';
import {
  ascending,
  byQuality,
  expectedCost,
  costDial,
  economyAt,
  type CompareFigures,
  rankByWorth,
} from './rank-by-worth.js';
import { rankedCandidate } from './ranked-candidate.js';
import { thousandthsText, thousandths } from '../models/numbers.js';
import type { Weights } from '../store/contracts/preferences.js';

/** What governs a choice. The configuration states the defaults. */
export interface Margins {
  /** How far below the best quality that of a cheaper or faster model may be. */
  readonly tolerance: number;
  /** How much worse the model of a continued conversation may be; 0: not at all. */
  readonly affinity: number;
  /** The dial of economy, from 0 (quality decides) to 10 (the price decides): see `economyAt`. */
  readonly economy: number;
}

const wholeOf = ({ times }: Figures): number | null => times?.whole ?? null;
const startOf = ({ times }: Figures): number | null => times?.start ?? null;
/** Stated or measured; else expected. */
const latencyOf = (known: Figures): number | null => known.latency ?? startOf(known);
const byLatency: CompareFigures = (a, b) =>
  ascending(latencyOf(a.figures), latencyOf(b.figures)) || byQuality(a, b);
const byWhole: CompareFigures = (a, b) =>
  ascending(wholeOf(a.figures), wholeOf(b.figures)) || byLatency(a, b);
const byStart: CompareFigures = (a, b) =>
  ascending(startOf(a.figures), startOf(b.figures)) || byWhole(a, b);

/** A time that candidates are sorted by, and its wording. */
interface Sorting {
  readonly order: CompareFigures;
  readonly figure: (known: Figures) => number | null;
  readonly text: (known: Figures) => string;
}

/** What `tradeoff: latency` sorts by, by what is known of the time. */
const sortings = {
  latency: {
    order: byLatency,
    figure: latencyOf,
    text: (known: Figures) => `${thousandthsText(latencyOf(known) ?? 0)} s to the first token`,
  },
  start: {
    order: byStart,
    figure: startOf,
    text: (known: Figures) =>
      `about ${tenths(startOf(known))} s to the first token of the answer, ${tenths(wholeOf(known))} s to the last${basisOf(known)}`,
  },
  whole: {
    order: byWhole,
    figure: wholeOf,
    text: (known: Figures) =>
      `about ${tenths(wholeOf(known))} s to the end of the answer${basisOf(known)}`,
  },
} as const satisfies Record<string, Sorting>;

const basisOf = ({ times }: Figures): string =>
  times?.isExpected ? ' (expected, not measured)' : '';
const tenths = (seconds: number | null): number => Number((seconds ?? 0).toFixed(1));

/**
 * Compares the time of the whole answer, or the time until it begins if it is streamed. If a
 * latency is stated, it compares latencies instead, with expected ones where none is known.
 */
function sortingOf(candidates: readonly CandidateFigures[], isStreamed: boolean): Sorting {
  const timed = candidates.filter(({ figures }) => latencyOf(figures) !== null);
  const isKnown = timed.length > 0 && timed.every(({ figures }) => figures.times);
  return isKnown ? sortings[isStreamed ? 'start' : 'whole'] : sortings.latency;
}

// 0.9 - 0.85 is slightly more than 0.05 in binary
const roundingError = 1e-9;

/** Whether a loss of quality is no more than a tolerance. */
export const isTolerated = (lost: number, tolerance: number): boolean =>
  lost <= tolerance + roundingError;

/** The fastest first, each with a score above 1 that falls with its time. */
function rankByTime(
  winners: CandidateFigures[],
  { order, figure, text }: Sorting,
  tolerance: number,
): RankedCandidate[] {
  winners.sort(order);
  const last = winners.at(-1);
  const first = last && figure(last.figures) === null ? 'fastest known' : 'fastest';
  const within = `within ${thousandthsText(tolerance)} of the best quality`;
  return winners.map((known, index) => {
    const value = figure(known.figures);
    if (value === null) return rankedCandidate(known, 1, `${within}, its latency is not known`);
    return rankedCandidate(
      known,
      1 + 1 / (1 + value),
      `${index === 0 ? `${first} ` : ''}${within}, ${text(known.figures)}`,
    );
  });
}

/** Ranked by worth, but the model stays if another is hardly better, and saves little. */
const stayedByWorth = (
  ranked: RankedCandidate[],
  { continued }: RoutingRequest,
  reach: number,
  affinity: number,
): RankedCandidate[] =>
  stayedWith(ranked, continued, reach, (staying, best) => {
    const [cost, lowest] = [expectedCost(staying.why), expectedCost(best.why)];
    const isWorse = staying.why.quality < best.why.quality - affinity - roundingError;
    const isDearer = cost !== null && lowest !== null && cost > lowest;
    if (isWorse || (isDearer && !savesLittle(cost, lowest))) return null;
    return `predicted quality ${thousandthsText(staying.why.quality)}, that of ${best.label} is ${thousandthsText(best.why.quality)}`;
  });

/** Ranked by time, but the model stays if leaving it saves little. */
const stayedByTime = (
  ranked: RankedCandidate[],
  { continued }: RoutingRequest,
  reach: number,
  { figure, text }: Sorting,
): RankedCandidate[] =>
  stayedWith(ranked, continued, reach, ({ why }, { why: least }) => {
    if (!savesLittle(figure(why), figure(least))) return null;
    return figure(why) === null
      ? 'its latency is not known'
      : `${text(why)}, the fastest is ${text(least)}`;
  });

/**
 * The candidates that may come first: those within the tolerance, of which fewer than `depth` others
 * are clearly better.
 * @param sorted by quality
 */
function winnersOf(
  sorted: readonly CandidateFigures[],
  depth: number,
  { tolerance, window }: { readonly tolerance: number; readonly window: number },
): { winners: CandidateFigures[]; rest: CandidateFigures[] } {
  const winners: CandidateFigures[] = [],
    rest: CandidateFigures[] = [];
  let better = 0;
  for (const one of sorted) {
    const paid = one.figures.quality + window + roundingError;
    while (sorted[better]!.figures.quality > paid) better++;
    const lost = sorted[0]!.figures.quality - one.figures.quality;
    (better < depth && isTolerated(lost, tolerance) ? winners : rest).push(one);
  }
  return { winners, rest };
}

/** The dial that holds for a request: its own, else its key's or the configuration's. */
function dialOf(
  { economy, keyEconomy }: RoutingRequest,
  wanted: RoutingRequest['tradeoff'],
  margins: Margins,
): number {
  if (typeof economy === 'number') return economy;
  const dial = keyEconomy ?? margins.economy;
  return wanted === 'cost' ? costDial(dial) : dial;
}

/**
 * Orders candidates by predicted quality, cost and time. Every ranker that predicts quality ends
 * here.
 *
 * First come the candidates within `tolerance` of the best quality, by what their answers are worth
 * (`rankByWorth`): quality less cost, at the rate that the dial of economy sets. `tradeoff: cost`
 * turns the dial further; `tradeoff: latency` puts the fastest first (`sortingOf`). The others
 * follow by quality. `maxModelDepth` limits how many
 * candidates may be clearly better than the first. The given order decides only between exact
 * equals. A preference's tradeoff applies if the request names none; its weights apply if the
 * request names neither a tradeoff nor an economy.
 *
 * A continued conversation stays with its model, within the same limits, if another one is better by
 * no more than `affinity`, and saves less than a fifth of its cost or time.
 */
export function rankByTradeoff(
  request: RoutingRequest,
  candidates: readonly CandidateFigures[],
  margins: Margins,
): RankedCandidate[] {
  const { tolerance, affinity } = margins;
  const { preference, maxModelDepth, isStreamed = false } = request;
  const wanted = request.tradeoff ?? preference?.tradeoff;
  const depth = Math.max(1, maxModelDepth ?? candidates.length);
  const sorted = [...candidates].sort(byQuality);
  const [first] = sorted;
  if (!first) return [];
  if (!wanted && preference?.weights && typeof request.economy !== 'number')
    return stayedWith(
      rankByWeights(sorted, preference.weights),
      request.continued,
      depth,
      ({ score }, best) =>
        score < best.score - affinity - roundingError
          ? null
          : `score by the weights of the preference ${thousandthsText(score)}, best is ${thousandthsText(best.score)}`,
    );
  const economy = economyAt(dialOf(request, wanted, margins));
  const { winners, rest } = winnersOf(sorted, depth, { tolerance, window: economy.window });
  // the margin of a conversation may be wider than the tolerance
  const reach = wanted ? winners.length : depth;
  const sorting = wanted === 'latency' ? sortingOf(winners, isStreamed) : null;
  const ranked = sorting
    ? rankByTime(winners, sorting, tolerance)
    : rankByWorth(winners, first.figures.quality, economy, sorted.length);
  let lowest = ranked.at(-1)?.score ?? 0;
  for (const one of rest) {
    lowest = Math.min(lowest, one.figures.quality);
    const { quality } = one.figures;
    const reason = `predicted quality ${thousandthsText(quality)}, best is ${thousandthsText(first.figures.quality)}`;
    ranked.push(rankedCandidate(one, lowest, reason));
  }
  if (affinity <= 0) return ranked;
  return sorting
    ? stayedByTime(ranked, request, reach, sorting)
    : stayedByWorth(ranked, request, reach, affinity);
}

/** The expected cost in USD, and the seconds to the first token, that count as half bad. */
const middleCost = 0.003;
const middleLatency = 1;
/** How bad an unknown figure counts. */
const unknownShare = 0.5;

/** How bad a figure is, from 0 to almost 1, whatever the other candidates have. */
const badness = (figure: number | null, middle: number): number =>
  figure === null ? unknownShare : figure / (figure + middle);

/**
 * Orders candidates by a preference's weights of quality, cost and latency; scores are between 0
 * and 1. Cost is as `expectedCost` says.
 * A candidate's score does not depend on the others. Of equal scores the better quality comes
 * first, then the given order.
 */
function rankByWeights(
  candidates: readonly CandidateFigures[],
  { quality, cost, latency }: Weights,
): RankedCandidate[] {
  const whole = quality + cost + latency;
  const scoreOf = ({ figures }: CandidateFigures): number =>
    (quality * figures.quality +
      cost * (1 - badness(expectedCost(figures), middleCost)) +
      latency * (1 - badness(figures.latency, middleLatency))) /
    whole;
  const scored = candidates
    .map((known) => ({ known, score: scoreOf(known) }))
    .sort((a, b) => b.score - a.score || b.known.figures.quality - a.known.figures.quality);
  return scored.map(({ known, score }, index) =>
    rankedCandidate(
      known,
      score,
      `${index === 0 ? 'best ' : ''}${thousandths(score)} by the weights of the preference`,
    ),
  );
}
