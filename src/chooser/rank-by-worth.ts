import { thousandthsText } from '../models/numbers.js';
import type { Figures } from './figures.js';
import type { CandidateFigures, RankedCandidate } from './plan.js';
import { rankedCandidate, reasonAmongEquals } from './ranked-candidate.js';

/** The highest setting of the dial of economy. */
export const maxEconomy = 10;
/** How far `tradeoff: cost` turns the dial. */
const costSteps = 3;

/** The dial of `tradeoff: cost` where that of other requests is `dial`. */
export const costDial = (dial: number): number => Math.min(maxEconomy, dial + costSteps);

/** What quality is paid for, and how much. */
export interface Economy {
  /** USD that one more good answer is worth. */
  readonly rate: number;
  /** Smaller differences to the best predicted quality are never paid for. */
  readonly window: number;
}

/**
 * The economy for a setting of the dial: one more good answer is worth 100 USD at 0 (quality
 * decides), 1 USD at 5 and 0.01 USD at 10 (the price decides). The difference of quality that is
 * never paid for grows from 0 to 0.02, because rewording a request changes a prediction that much.
 */
export const economyAt = (dial: number): Economy => ({
  rate: 10 ** (2 - 0.4 * dial),
  window: 0.002 * dial,
});

/** What an answer is worth: its quality, as far as it is paid for, less its cost. */
export const worthOf = (
  quality: number,
  best: number,
  costUsd: number,
  { rate, window }: Economy,
): number => Math.min(quality, best - window) - costUsd / rate;

export type CompareFigures = (a: CandidateFigures, b: CandidateFigures) => number;

/** Compares figures: smaller first, unknown last. */
export function ascending(a: number | null, b: number | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  // not their difference, which would be an object for each comparison
  return a < b ? -1 : 1;
}

/** Tokens of an answer whose cost the ranker does not predict. */
const defaultAnswerTokens = 1_000;

/**
 * USD for answering: the expected cost of this conversation if the ranker predicts it, else that of
 * a thousand tokens. Null: the price is unknown.
 */
export const expectedCost = ({ cost, price }: Figures): number | null =>
  cost !== undefined ? cost : price === null ? null : (price * defaultAnswerTokens) / 1e6;

/** Better quality first; of equals the cheaper, then the faster. */
export const byQuality: CompareFigures = ({ figures: a }, { figures: b }) =>
  ascending(b.quality, a.quality) ||
  ascending(expectedCost(a), expectedCost(b)) ||
  ascending(a.latency, b.latency);
const byCost: CompareFigures = (a, b) =>
  ascending(expectedCost(a.figures), expectedCost(b.figures)) || byQuality(a, b);

/** A candidate with what its answer costs and is worth. */
interface Weighed {
  readonly known: CandidateFigures;
  readonly quality: number;
  readonly cost: number | null;
  readonly worth: number;
}

function weighed(
  candidates: readonly CandidateFigures[],
  best: number,
  economy: Economy,
): Weighed[] {
  // a model of unknown price is taken to cost as much as the dearest
  let dearest = 0;
  for (const { figures } of candidates) dearest = Math.max(dearest, expectedCost(figures) ?? 0);
  return candidates
    .map((known) => {
      const { quality } = known.figures,
        cost = expectedCost(known.figures);
      return { known, quality, cost, worth: worthOf(quality, best, cost ?? dearest, economy) };
    })
    .sort((a, b) => b.worth - a.worth || byCost(a.known, b.known));
}

/**
 * Orders candidates by what their answers are worth: quality less cost. The first scores the best
 * quality, each other one less by what it is worth less, but no less than 0.
 * @param best the best quality
 * @param all how many candidates there are, those that are not ordered here too
 */
export function rankByWorth(
  candidates: readonly CandidateFigures[],
  best: number,
  economy: Economy,
  all: number,
): RankedCandidate[] {
  const order = weighed(candidates, best, economy);
  const [first] = order;
  if (!first) return [];
  const reasons = new Reasons(order, first, best, economy, all);
  return order.map((one, index) =>
    rankedCandidate(
      one.known,
      Math.max(0, best - (first.worth - one.worth)),
      reasons.of(one, index),
    ),
  );
}

const usd = (cost: number): string => `${Number(cost.toPrecision(2))} USD`;
/** Of a hundred answers. */
function pointsText(quality: number): string {
  const points = Math.max(0.1, Math.round(quality * 1000) / 10);
  return points === 1 ? '1 point' : `${points} points`;
}

/** Says why each candidate has its place. */
class Reasons {
  /** The highest quality that is paid for. */
  private readonly paid: number;
  /** The costs of the candidates whose quality counts as equal to the best. */
  private readonly alike: (number | null)[];
  private readonly atRate: string;

  constructor(
    order: readonly Weighed[],
    private readonly first: Weighed,
    private readonly best: number,
    { rate, window }: Economy,
    private readonly all: number,
  ) {
    this.paid = best - window;
    this.alike = order.filter((one) => this.isPaid(one)).map(({ cost }) => cost);
    this.atRate = `at ${usd(rate)} per good answer`;
  }

  of(one: Weighed, index: number): string {
    const { alike, first, all } = this;
    if (this.isPaid(first) && this.isPaid(one) && alike.length > 1)
      return reasonAmongEquals({
        costs: alike,
        cost: one.cost,
        isFirst: index === 0,
        all,
        quality: `predicted quality ${thousandthsText(one.quality)}`,
        costText: this.costText(one),
      });
    return index === 0 ? this.ofFirst() : this.beside(one);
  }

  /** Whether no better quality would be paid for. */
  private isPaid({ quality }: Weighed): boolean {
    return quality >= this.paid;
  }

  private costText({ known: { figures }, cost }: Weighed): string {
    return figures.cost === undefined
      ? `${thousandthsText(figures.price ?? 0)} USD per million tokens`
      : `about ${usd(cost ?? 0)}`;
  }

  private ofFirst(): string {
    const { first, best, atRate } = this;
    const quality = thousandthsText(first.quality);
    if (this.isPaid(first)) return `best predicted quality, ${quality}`;
    return `best value ${atRate}: predicted quality ${quality}, best is ${thousandthsText(best)}, ${this.costText(first)}`;
  }

  private beside({ quality, cost }: Weighed): string {
    const { first, best, atRate } = this;
    const { label } = first.known.candidate;
    const more = quality - first.quality;
    if (more > 0) {
      const better = `${pointsText(more)} better than ${label}`;
      return cost === null
        ? `${better}, but its price is not known`
        : `${better} for ${this.moreThan(cost)}: not worth it ${atRate}`;
    }
    const text = `predicted quality ${thousandthsText(quality)}, best is ${thousandthsText(best)}`;
    const saves = cost !== null && first.cost !== null && cost < first.cost;
    return saves ? `${text}; saves too little ${atRate}` : text;
  }

  private moreThan(cost: number): string {
    const least = this.first.cost ?? 0;
    if (least <= 0) return `about ${usd(cost)}`;
    const times = cost / least;
    return `${times < 10 ? Math.round(times * 10) / 10 : Math.round(times)} times the price`;
  }
}
