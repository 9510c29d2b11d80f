import type { Figures } from './figures.js';
import type { RankedCandidate } from './plan.js';
import { lengthOf, tenThousandths, thousandths } from '../models/numbers.js';

/** The largest share of decisions that may try a candidate other than the first. */
const maxExploration = 0.2;

/** An alternative may be expected to cost or take at most this many times as much as the first. */
const maxRatio = 2;

/** A pseudo-random number from 0 to 1, from the id alone. @param salt gives independent numbers */
export function drawOf(id: string, salt: number): number {
  let hash = 0x811c9dc5 ^ Math.imul(salt + 1, 0x9e3779b1);
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

const isNear = (figure: number | null, first: number | null): boolean =>
  figure === null || first === null ? figure === first : figure <= first * maxRatio;

/**
 * The places of the alternatives worth trying: candidates that may be the best given their
 * uncertainty, at no more than twice the cost of the first. Candidates of certain quality are left
 * out, because there is nothing to learn about them.
 * @param weighsLatency whether time matters: then also at no more than twice the time to the first token
 */
export function plausiblePlaces(
  ranked: readonly Figures[],
  depth = ranked.length,
  weighsLatency = false,
): number[] {
  const [first] = ranked;
  if (!first) return [];
  const best = ranked.reduce((highest, { quality }) => Math.max(highest, quality), 0);
  const isAllowed = ({ cost = null, latency }: Figures): boolean =>
    isNear(cost, first.cost ?? null) && (!weighsLatency || isNear(latency, first.latency));
  const isPlausible = ({ quality, uncertainty = 0 }: Figures): boolean =>
    uncertainty > 0 && quality + ownUncertainty(quality, uncertainty) >= best;
  return [...ranked.keys()].filter(
    (at) => at > 0 && at < depth && isPlausible(ranked[at]!) && isAllowed(ranked[at]!),
  );
}

/**
 * Puts a plausible alternative first in a share of decisions, so that it can be rated too. The
 * decision's id alone determines whether and which alternative is tried.
 * @param ranked best first; the alternative gets the score of the first
 * @param share 0..0.2; 0: never
 * @param depth how far down the ranking an alternative may be
 * @param weighsLatency as in `plausiblePlaces`
 */
export function explored(
  ranked: RankedCandidate[],
  share: number,
  id: string,
  depth = ranked.length,
  weighsLatency = false,
): RankedCandidate[] {
  const [first] = ranked;
  if (!first || !(share > 0) || drawOf(id, 0) >= Math.min(share, maxExploration)) return ranked;
  const places = plausiblePlaces(
    ranked.map(({ why }) => why),
    depth,
    weighsLatency,
  );
  const at = places[Math.floor(drawOf(id, 1) * places.length)];
  if (at === undefined) return ranked;
  const tried = ranked[at]!;
  tried.score = first.score;
  tried.why.explored = true;
  tried.why.reason = `explored: predicted quality ${thousandths(tried.why.quality)} ± ${tenThousandths(tried.why.uncertainty ?? 0)}, the first candidate's is ${thousandths(first.why.quality)}`;
  return [tried, ...ranked.toSpliced(at, 1)];
}

/** How far an account's requests move a model from its published results, in log odds (SD). */
const ownSpread = 0.3;

/**
 * The standard deviation of a predicted quality on one account's requests; 0 for a stated quality.
 * @param uncertainty as far as it is the model's, by published results
 */
export const ownUncertainty = (quality: number, uncertainty: number): number =>
  uncertainty > 0 ? lengthOf(uncertainty, ownSpread * quality * (1 - quality)) : 0;
