import { logOdds, sigmoid } from '../numbers.js';
import type { KindsOfTask } from '../figures.js';
import { Beliefs } from './online-beliefs.js';
import { added, bounded, otherKinds, faded, folded } from './online-evidence.js';
import {
  largestShares,
  type OnlineState,
  type RatedModel,
  ratedName,
  type Served,
} from './online-state.js';

/** One rating as the learner takes it. */
export interface Rating {
  readonly model: string;
  readonly kinds: KindsOfTask | null;
  /** 0..1: the predicted chance of a good answer, before anything learned here moved it. */
  readonly predicted: number;
  /** 0..1. */
  readonly score: number;
  /** The same rater's previous score of the same answer; null if there was none. */
  readonly earlier: number | null;
  /** Ms since 1970. */
  readonly at: number;
}

/** New answers and faults of one provider's model. */
export interface Tally {
  readonly answers: number;
  readonly faults: number;
}

/** The most that a scope's traffic may move a model, in log odds. */
export const maxMove = 2;

const dayMs = 86_400_000;
const ratingHalfLifeMs = 30 * dayMs;
const servedHalfLifeMs = dayMs;
const maxModels = 200;
/** For each provider's model, so that a change shows after a few hundred answers. */
const maxAnswers = 200;

const share = (value: number): number =>
  Number.isNaN(value) ? 0.5 : Math.min(0.98, Math.max(0.02, value));
/** The log odds of a share, kept away from 0 and 1. */
export const oddsOf = (value: number): number => logOdds(share(value));

const leftOf = (since: number, now: number, halfLifeMs: number): number =>
  2 ** (-Math.max(0, now - since) / halfLifeMs);

/** A rated model at a later time: evidence loses half of its weight in 30 days. */
function fadedModel(model: RatedModel, now: number): RatedModel {
  return {
    ...model,
    evidence: faded(model.evidence, leftOf(model.at, now, ratingHalfLifeMs)),
    at: Math.max(model.at, now),
  };
}

/** The beliefs about all models at a time, ms since 1970. */
export function beliefsOf({ models }: OnlineState, now: number): Beliefs {
  return new Beliefs(
    new Map([...models].map(([name, model]) => [name, fadedModel(model, now).evidence])),
  );
}

/** Counts at a later time: they halve every day. */
export function fadedServed({ answers, faults, at }: Served, now: number): Served {
  const left = leftOf(at, now, servedHalfLifeMs);
  return { answers: answers * left, faults: faults * left, at: Math.max(at, now) };
}

const isShare = (value: number): boolean => value >= 0 && value <= 1;

/** The state after one more rating. A rating that cannot be used changes nothing. */
export function withRating(state: OnlineState, rating: Rating): OnlineState {
  const name = ratedName(rating.model);
  if (
    name === null ||
    !isShare(rating.score) ||
    !isShare(rating.predicted) ||
    !Number.isSafeInteger(rating.at) ||
    !isShare(rating.earlier ?? 0)
  )
    return state;
  const router = rating.kinds?.router ?? state.router;
  const known = router === state.router ? state : { ...withoutKinds(state), router };
  const before = fadedModel(
    known.models.get(name) ?? { evidence: new Map(), ratings: 0, scoreSum: 0, at: rating.at },
    rating.at,
  );
  // a previous score that was forgotten since does not count
  const earlier = before.ratings === 0 ? null : rating.earlier;
  const after: RatedModel = {
    evidence: bounded(
      withEvidence(before.evidence, { ...rating, earlier }, beliefsOf(known, before.at), name),
    ),
    at: before.at,
    ratings: before.ratings + (earlier === null ? 1 : 0),
    scoreSum: Math.max(0, before.scoreSum + rating.score - (earlier ?? 0)),
  };
  return {
    ...known,
    models: latest(new Map([...known.models, [name, after]])),
    ratedAt: Math.max(known.ratedAt ?? 0, rating.at),
  };
}

/**
 * One step of logistic regression on top of the prediction, for each kind by its share of the
 * request. A rater who changes a score moves things only by the difference: changed back,
 * everything is as before.
 */
function withEvidence(
  evidence: RatedModel['evidence'],
  { kinds, predicted, score, earlier }: Rating,
  beliefs: Beliefs,
  name: string,
): RatedModel['evidence'] {
  const shares = sharesOf(kinds),
    rest = shares.reduce((left, [, share]) => left - share, 1);
  const parts = [...shares, [otherKinds, Math.max(0, rest)] as const].map(([kind, share]) => ({
    kind,
    share,
    total: earlier === null ? beliefs.totalOf(name, kind) : 0,
  }));
  const chance = sigmoid(
    parts.reduce((odds, { share, total }) => odds + share * total, oddsOf(predicted)),
  );
  const weight = earlier === null ? chance * (1 - chance) : 0;
  const result = new Map(evidence);
  for (const { kind, share, total } of parts)
    if (share > 0)
      result.set(
        kind,
        added(
          result.get(kind),
          share * weight,
          share * (weight * total + score - (earlier ?? chance)),
        ),
      );
  return result;
}

/** The state after more answers and faults, by `<provider>/<model>`. */
export function withOutcomes(
  state: OnlineState,
  tallies: ReadonlyMap<string, Tally>,
  at: number,
): OnlineState {
  const served = new Map(state.served);
  for (const [name, { answers, faults }] of tallies) {
    if (
      !(answers >= 0 && faults >= 0 && faults <= answers && answers < Infinity) ||
      !Number.isSafeInteger(at)
    )
      continue;
    const before = fadedServed(served.get(name) ?? { answers: 0, faults: 0, at }, at);
    const whole = before.answers + answers,
      kept = Math.min(1, maxAnswers / whole);
    if (whole > 0)
      served.set(name, {
        answers: whole * kept,
        faults: (before.faults + faults) * kept,
        at: before.at,
      });
  }
  return { ...state, served: latest(served) };
}

/** Stored shares may hold anything. */
function sharesOf(kinds: KindsOfTask | null): [task: number, share: number][] {
  const shares: number[] = [];
  for (const [task, part] of kinds?.shares ?? [])
    if (Number.isInteger(task) && task >= 0 && task < 10_000 && isShare(part)) shares[task] = part;
  return largestShares(shares);
}

/**
 * The state without its kinds of task, which another predictor had numbered: only what was learned
 * about each model as a whole.
 */
export function withoutKinds(state: OnlineState): OnlineState {
  return {
    ...state,
    router: null,
    models: new Map(
      [...state.models].map(([name, model]) => [
        name,
        { ...model, evidence: folded(model.evidence, () => false) },
      ]),
    ),
  };
}

/** The most recently updated entries. */
function latest<T extends { readonly at: number }>(
  entries: Map<string, T>,
): ReadonlyMap<string, T> {
  return entries.size <= maxModels
    ? entries
    : new Map([...entries].sort(([, a], [, b]) => b.at - a.at).slice(0, maxModels));
}
