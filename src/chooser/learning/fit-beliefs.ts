import { logOdds, sigmoid } from '../../models/numbers.js';
import { added, Beliefs, type Evidence, otherKinds } from './beliefs.js';
import { type EvidenceRow, leftOf } from './evidence.js';

/** Rounds of Newton's method: after these, sums differ by less than what is shown. */
const rounds = 5;
/** What is believed changes by at most this in one round, in log odds: a surprise overshoots. */
const maxStep = 2;

const share = (value: number): number =>
  Number.isNaN(value) ? 0.5 : Math.min(0.98, Math.max(0.02, value));
/** The log odds of a share, kept away from 0 and 1. */
export const oddsOf = (value: number): number => logOdds(share(value));

type ByModel<T> = Map<string, Map<number, T>>;

const wholly = [[otherKinds, 1]] as const;
const kindsOf = ({ kinds }: EvidenceRow): readonly (readonly [kind: number, share: number])[] =>
  kinds.length > 0 ? kinds : wholly;

/**
 * What ratings say beyond the predictions: logistic regression on top of these, for each kind of
 * task by its share of the request. The order of the ratings does not matter.
 * @param now ms since 1970: older ratings count less
 */
export function fitBeliefs(ratings: readonly EvidenceRow[], now: number): Beliefs {
  const totals: ByModel<number> = new Map();
  let beliefs = new Beliefs(evidenceOf(ratings, now, totals));
  for (let round = 1; round < rounds; round++) {
    for (const [name, kinds] of totals)
      for (const [kind, total] of kinds) {
        const next = beliefs.totalOf(name, kind);
        kinds.set(kind, total + Math.max(-maxStep, Math.min(maxStep, next - total)));
      }
    beliefs = new Beliefs(evidenceOf(ratings, now, totals));
  }
  return beliefs;
}

/**
 * The evidence of all ratings as seen from what is believed so far.
 * @param totals by how much ratings are expected to exceed the predictions; what is missing is
 * added as 0
 */
function evidenceOf(
  ratings: readonly EvidenceRow[],
  now: number,
  totals: ByModel<number>,
): ByModel<Evidence> {
  const sums: ByModel<{ weight: number; sum: number }> = new Map();
  for (const rating of ratings) {
    const weight = leftOf(rating, now),
      kinds = kindsOf(rating);
    const believed = ofModel(totals, rating.model),
      held = ofModel(sums, rating.model);
    let odds = oddsOf(rating.predicted);
    for (const [kind, part] of kinds) {
      if (!believed.has(kind)) believed.set(kind, 0);
      odds += part * believed.get(kind)!;
    }
    const chance = sigmoid(odds),
      certainty = weight * chance * (1 - chance),
      surprise = weight * (rating.score - chance);
    for (const [kind, part] of kinds) {
      const one = held.get(kind) ?? { weight: 0, sum: 0 };
      one.weight += part * certainty;
      one.sum += part * (certainty * believed.get(kind)! + surprise);
      held.set(kind, one);
    }
  }
  return new Map([...sums].map(([name, held]) => [name, keptIn(held)]));
}

/** Bounded only once all are added up, so that their order does not matter. */
const keptIn = (sums: ReadonlyMap<number, Evidence>): Map<number, Evidence> =>
  new Map([...sums].map(([kind, { weight, sum }]) => [kind, added(undefined, weight, sum)]));

function ofModel<T>(models: ByModel<T>, name: string): Map<number, T> {
  let kinds = models.get(name);
  if (!kinds) models.set(name, (kinds = new Map<number, T>()));
  return kinds;
}
