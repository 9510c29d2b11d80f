import { logOdds, sigmoid } from '../log-odds.js';
import type { KindsOfTask } from '../plan.js';
import { type Belief, largestShares, type OnlineState, priors, type RatedModel, ratedName, type Served } from './online-state.js';

/** One rating as the learner takes it. */
export interface Rating {
  readonly model: string;
  readonly kinds: KindsOfTask | null;
  /** 0..1: the chance of a good answer that was predicted, before anything learned here moved it. */
  readonly predicted: number;
  /** 0..1. */
  readonly score: number;
  /** What the same rater said of the same answer before; null: nothing. */
  readonly earlier: number | null;
  /** Ms since 1970. */
  readonly at: number;
}

/** Answers and faults of one provider's model that are to be counted. */
export interface Tally {
  readonly answers: number;
  readonly faults: number;
}

/** The most that a scope's traffic moves a model, in log odds. */
export const mostMove = 2;

const dayMs = 86_400_000;
const ratingHalfLifeMs = 30 * dayMs;
const servedHalfLifeMs = dayMs;
const mostModels = 200;
const mostKinds = 24;
/** Of each provider's model, so that a change shows after some hundred answers. */
const mostAnswers = 200;

const share = (value: number): number => (Number.isNaN(value) ? 0.5 : Math.min(0.98, Math.max(0.02, value)));
/** The log odds of a share, kept away from 0 and 1. */
export const oddsOf = (value: number): number => logOdds(share(value));

const leftOf = (since: number, now: number, halfLifeMs: number): number => 2 ** (-Math.max(0, now - since) / halfLifeMs);

function fade({ mean, variance }: Belief, prior: Belief, left: number): Belief {
  return { mean: prior.mean + (mean - prior.mean) * left, variance: prior.variance - (prior.variance - variance) * left };
}

/** What is left of what was learned of a model: after a month half of it, in the end what was held before. */
export function fadedModel(model: RatedModel, now: number): RatedModel {
  const left = leftOf(model.at, now, ratingHalfLifeMs);
  const kinds = new Map([...model.kinds].map(([kind, belief]) => [kind, fade(belief, priors.kind, left)]));
  return { ...model, offset: fade(model.offset, priors.offset, left), kinds, at: Math.max(model.at, now) };
}

/** What is left of a count: after a day half of it. */
export function fadedServed({ answers, faults, at }: Served, now: number): Served {
  const left = leftOf(at, now, servedHalfLifeMs);
  return { answers: answers * left, faults: faults * left, at: Math.max(at, now) };
}

/** One of the numbers that a rating moves, and how much it had to do with it. */
interface Part {
  readonly belief: Belief;
  readonly weight: number;
}

/** The log odds by which the parts move a prediction together, and how far that is from certain. */
function moveOf(parts: readonly Part[]): { move: number; variance: number } {
  let move = 0, variance = 0;
  for (const { belief, weight } of parts) {
    move += weight * belief.mean;
    variance += weight * weight * belief.variance;
  }
  return { move, variance };
}

/** Parts moved by so much together, each by how little is known of it and by its weight. */
function shifted(parts: readonly Part[], by: number): Part[] {
  const { variance } = moveOf(parts);
  return parts.map(({ belief, weight }) => ({ belief: { ...belief, mean: belief.mean + (belief.variance * weight * by) / variance }, weight }));
}

function bounded(parts: readonly Part[]): Part[] {
  const { move } = moveOf(parts);
  const over = move - Math.max(-mostMove, Math.min(mostMove, move));
  return over === 0 ? [...parts] : shifted(parts, -over);
}

/**
 * One step of logistic regression on top of the prediction. Who has rated before moves things by the change of mind alone.
 * @param strictness moves every model alike, and is bounded by itself
 * @param own what moves this model
 */
function stepped(strictness: Part, own: readonly Part[], { predicted, score, earlier }: Rating): [strictness: Belief, own: Belief[]] {
  const parts = [strictness, ...own];
  const { move, variance } = moveOf(parts);
  // a change of mind is weighed where the first word was: back and forth, it must end where it began
  const chance = sigmoid(oddsOf(predicted) + (earlier === null ? move : 0));
  const information = chance * (1 - chance);
  const gain = 1 / (1 + information * variance);
  const [shared, ...others] = shifted(parts, variance * gain * (earlier === null ? score - chance : score - earlier));
  const surer = ({ belief, weight }: Part): Belief =>
    earlier === null ? { ...belief, variance: belief.variance * (1 - information * belief.variance * weight * weight * gain) } : belief;
  return [surer(bounded([shared!])[0]!), bounded(others).map(surer)];
}

const isShare = (value: number): boolean => value >= 0 && value <= 1;

/** What a scope holds after one more rating. One that cannot be used changes nothing. */
export function withRating(state: OnlineState, rating: Rating): OnlineState {
  const name = ratedName(rating.model);
  if (name === null || !isShare(rating.score) || !isShare(rating.predicted) || !Number.isSafeInteger(rating.at) || !isShare(rating.earlier ?? 0)) return state;
  const router = rating.kinds?.router ?? state.router;
  const known = router === state.router ? state : withoutKinds(state, router);
  const before = fadedModel(known.models.get(name) ?? { offset: priors.offset, kinds: new Map(), ratings: 0, scoreSum: 0, at: rating.at }, rating.at);
  // what was said before it was forgotten counts no more
  const earlier = before.ratings === 0 ? null : rating.earlier;
  const shares = sharesOf(rating.kinds);
  const strictness = fade(known.strictness, priors.strictness, leftOf(known.strictness.at, rating.at, ratingHalfLifeMs));
  const own = [{ belief: before.offset, weight: 1 }, ...shares.map(([kind, weight]) => ({ belief: before.kinds.get(kind) ?? priors.kind, weight }))];
  const [shared, [offset, ...kinds]] = stepped({ belief: strictness, weight: 1 }, own, { ...rating, earlier });
  const after: RatedModel = {
    offset: offset!, at: before.at,
    kinds: bestKnown(new Map([...before.kinds, ...shares.map(([kind], at) => [kind, kinds[at]!] as const)])),
    ratings: before.ratings + (earlier === null ? 1 : 0),
    scoreSum: Math.max(0, before.scoreSum + rating.score - (earlier ?? 0)),
  };
  return { ...known, strictness: { ...shared, at: Math.max(known.strictness.at, rating.at) }, models: latest(new Map([...known.models, [name, after]])), ratedAt: Math.max(known.ratedAt ?? 0, rating.at) };
}

/** What a scope holds after some answers and faults, by `<provider>/<model>`. */
export function withOutcomes(state: OnlineState, tallies: ReadonlyMap<string, Tally>, at: number): OnlineState {
  const served = new Map(state.served);
  for (const [name, { answers, faults }] of tallies) {
    if (!(answers >= 0 && faults >= 0 && faults <= answers && answers < Infinity) || !Number.isSafeInteger(at)) continue;
    const before = fadedServed(served.get(name) ?? { answers: 0, faults: 0, at }, at);
    const whole = before.answers + answers, kept = Math.min(1, mostAnswers / whole);
    if (whole > 0) served.set(name, { answers: whole * kept, faults: (before.faults + faults) * kept, at: before.at });
  }
  return { ...state, served: latest(served) };
}

/** Shares as they were stored may be anything. */
function sharesOf(kinds: KindsOfTask | null): [task: number, share: number][] {
  const shares: number[] = [];
  for (const [task, part] of kinds?.shares ?? []) if (Number.isInteger(task) && task >= 0 && task < 10_000 && isShare(part)) shares[task] = part;
  return largestShares(shares);
}

function withoutKinds(state: OnlineState, router: string | null): OnlineState {
  return { ...state, router, models: new Map([...state.models].map(([name, model]) => [name, { ...model, kinds: new Map() }])) };
}

/** The kinds that most is known of. */
function bestKnown(kinds: Map<number, Belief>): ReadonlyMap<number, Belief> {
  return kinds.size <= mostKinds ? kinds : new Map([...kinds].sort(([, a], [, b]) => a.variance - b.variance).slice(0, mostKinds));
}

/** Those that were last heard of. */
function latest<T extends { readonly at: number }>(entries: Map<string, T>): ReadonlyMap<string, T> {
  return entries.size <= mostModels ? entries : new Map([...entries].sort(([, a], [, b]) => b.at - a.at).slice(0, mostModels));
}
