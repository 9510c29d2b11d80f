import type { Beliefs } from './online-beliefs.js';
import { beliefsOf, fadedServed, maxMove, oddsOf, withoutKinds } from './online-learner.js';
import {
  type Belief,
  largestShares,
  type OnlineState,
  type RatedModel,
  ratedName,
  servedName,
} from './online-state.js';
import type { Expectation } from './quality-predictor.js';
import type { Adjustment, TunedCandidate, TunedRequest, Tuning } from './tuning.js';

/** The number of answers without a fault that every model starts with. */
const priorAnswers = 50;
/** Models with fewer faults count as faultless. */
const minFaults = 0.5;
/** The number of model names that are cached with their canonical spelling. */
const maxNames = 2_000;

/**
 * A move is reduced by this many standard deviations: on kinds of task that no predictor had seen,
 * smaller moves made choices worse as often as better (2026-11).
 */
const leftOut = 0.5;

/** The part of a belief that moves a model: 0 if it may well be chance. */
export const surePart = ({ mean, variance }: Belief): number =>
  Math.sign(mean) * Math.max(0, Math.abs(mean) - leftOut * Math.sqrt(variance));

interface KnownFaults {
  /** 0..1, compared to a model that never fails. */
  readonly reliability: number;
  readonly reason: string;
}

/**
 * What a scope's own traffic taught, as a tuning. A model moves by its ratings, as a whole and on
 * kinds of task like this one, and falls by its faults; the sum is limited to `maxMove`. `expected`
 * may have been moved by other tunings before.
 * @param router the name of the predictor that numbers the kinds of task
 * @param now ms since 1970: older evidence counts less
 * @returns null if nothing is known about any model
 */
export function createOnlineTuning(state: OnlineState, router: string, now: number): Tuning | null {
  const served = new Map<string, KnownFaults>();
  for (const [name, one] of state.served) {
    const { answers, faults } = fadedServed(one, now);
    if (faults >= minFaults)
      served.set(name, {
        reliability: 1 - faults / (priorAnswers + answers),
        reason: `${Math.round(faults)} of ${Math.round(answers)} answers failed`,
      });
  }
  if (state.models.size + served.size === 0) return null;
  return new OnlineTuning(
    state.models,
    beliefsOf(state.router === router ? state : withoutKinds(state), now),
    served,
  );
}

/** Whether faults of any model are remembered. @param now ms since 1970 */
export const hasFaults = ({ served }: OnlineState, now: number): boolean =>
  [...served.values()].some((one) => fadedServed(one, now).faults >= minFaults);

class OnlineTuning implements Tuning {
  private readonly names = new Map<string, string | null>();
  /** Caches one request: all its candidates are asked one after the other. */
  private last: {
    readonly request: TunedRequest;
    readonly shares: readonly (readonly [number, number])[];
  } | null = null;

  constructor(
    private readonly models: ReadonlyMap<string, RatedModel>,
    private readonly beliefs: Beliefs,
    private readonly served: ReadonlyMap<string, KnownFaults>,
  ) {}

  adjust(
    { provider, model }: TunedCandidate,
    request: TunedRequest,
    expected: Expectation,
  ): Adjustment | null {
    const name = this.nameOf(model) ?? '',
      known = this.models.get(name);
    const service =
      this.served.size === 0 ? undefined : this.served.get(servedName(provider, model) ?? '');
    if (!known && !service) return null;
    const rated = known ? this.beliefs.moveOf(name, this.sharesOf(request)) : null;
    const lost = service
      ? oddsOf(expected.quality * service.reliability) - oddsOf(expected.quality)
      : 0;
    const odds = Math.max(-maxMove, Math.min(maxMove, (rated ? surePart(rated) : 0) + lost));
    const reason = [
      ...(known
        ? [known.ratings === 1 ? 'moved by 1 rating' : `moved by ${known.ratings} ratings`]
        : []),
      ...(service ? [service.reason] : []),
    ].join('; ');
    return rated
      ? {
          odds,
          reason,
          uncertainty: expected.uncertainty * Math.sqrt(rated.variance / rated.before),
        }
      : { odds, reason };
  }

  private sharesOf(request: TunedRequest): readonly (readonly [number, number])[] {
    if (this.last?.request !== request)
      this.last = { request, shares: largestShares(request.reading.shares) };
    return this.last.shares;
  }

  private nameOf(model: string): string | null {
    let name = this.names.get(model);
    if (name === undefined) {
      // clients can send any number of names
      if (this.names.size >= maxNames) this.names.clear();
      this.names.set(model, (name = ratedName(model)));
    }
    return name;
  }
}
