import { explanationOf } from './figures.js';
import type { CandidateFigures, RankedCandidate } from './plan.js';

/** A candidate with its score and the reason for its place. */
export function rankedCandidate(
  { candidate, figures }: CandidateFigures,
  score: number,
  reason: string,
): RankedCandidate {
  const { label, provider, model, price, latency, attributes, effort } = candidate;
  const why = explanationOf(figures, reason);
  const result: RankedCandidate = { label, provider, model, score, why };
  if (price !== undefined) result.price = price;
  if (latency !== undefined) result.latency = latency;
  if (attributes !== undefined) result.attributes = attributes;
  if (effort !== undefined) result.effort = effort;
  return result;
}

/** A candidate beside others that answer equally well, for the reason of its place. */
interface AmongEquals {
  /** Of those that answer equally well, the cheapest first, unknown ones last. */
  readonly costs: readonly (number | null)[];
  /** Its own; null: its price is not known. */
  readonly cost: number | null;
  readonly isFirst: boolean;
  /** How many candidates there are, worse ones included. */
  readonly all: number;
  /** `predicted quality .8`. */
  readonly quality: string;
  /** Its own cost in words. */
  readonly costText: string;
}

/** Why a candidate has its place among those whose quality cannot be told from the best one's. */
export function reasonAmongEquals(among: AmongEquals): string {
  const { costs, cost, isFirst, all, quality, costText } = among;
  if (!isFirst) {
    const why = cost === null ? 'but its price is not known' : 'but not cheaper';
    return costs[0] === null
      ? `${quality}, as good as the best; no price is known`
      : `${quality}, as good as the best, ${why}`;
  }
  const alike = costs.length;
  const whole = all === 2 ? 'both' : `all ${all}`;
  const found = `${alike === all ? whole : `${alike} of ${all}`} candidates answer this equally well`;
  if (cost === null) return `${found}; no price of them is known: ${quality}`;
  return `${found}; ${firstAmong(costs)}: ${quality}, ${costText}`;
}

/** What is true of the first cost, which is known. */
function firstAmong(costs: readonly (number | null)[]): string {
  const [first, next] = costs;
  if (next === first) return 'none is cheaper';
  if (next === null) return 'only the price of this is known';
  if (costs.includes(null)) return 'this is the cheapest whose price is known';
  return `this is the ${costs.length === 2 ? 'cheaper' : 'cheapest'}`;
}
