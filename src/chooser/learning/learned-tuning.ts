import { NameCache } from '../../models/name-cache.js';
import { oddsOf } from './fit-beliefs.js';
import { type LearnedMoves, learnedMoves, type ModelMoves } from './learned-moves.js';
import { type LearnedState, ratedName, servedName } from './evidence.js';
import { faultsOf, type KnownFaults, outcomesByModel } from './known-faults.js';
import type {
  Adjustment,
  Expected,
  TunedCandidate,
  TunedRequest,
  Tuning,
} from '../predictor/tuning.js';

/** The most that a scope's traffic may move a model, in log odds. */
export const maxMove = 2;

/** The number of model names that are cached with their canonical spelling: clients send any. */
const maxNames = 2_000;

/** The failures of one model, ready for each request. */
interface KnownService {
  /** 0..1, compared to a model that never fails. */
  readonly reliability: number;
  readonly reason: string;
}

/**
 * What a scope's own traffic taught, as a tuning. A model moves by its ratings, as a whole and on
 * kinds of task like this one, and falls by its faults; the sum is limited to `maxMove`. `expected`
 * may have been moved by other tunings before.
 * @param router under this name kinds of task are numbered now
 * @param now ms since 1970: older evidence counts less
 * @returns null if nothing is known about any model
 */
export function createLearnedTuning(
  state: LearnedState,
  router: string,
  now: number,
): Tuning | null {
  const served = new Map<string, KnownService>();
  for (const [name, rows] of outcomesByModel(state)) {
    const known = faultsOf(rows, now);
    if (known) served.set(name, { reliability: 1 - known.loss, reason: failedReason(known) });
  }
  const moves = learnedMoves(state, router, now);
  return moves.models.size + served.size === 0 ? null : new LearnedTuning(moves, served);
}

function failedReason({ answers, faults, isBounded }: KnownFaults): string {
  const failed = `${Math.round(faults)} of ${Math.round(answers)} answers failed`;
  return isBounded ? `${failed}, fewer where the keys agree` : failed;
}

function countedReason({ ratings }: LearnedMoves, name: string): string {
  const count = ratings.filter(({ model }) => model === name).length;
  return `moved by ${count === 1 ? '1 rating' : `${count} ratings`}`;
}

class LearnedTuning implements Tuning {
  private readonly names = new NameCache<string | null>(maxNames);
  private readonly known: ReadonlyMap<string, ModelMoves & { readonly reason: string }>;
  private readonly places: ReadonlyMap<number, number>;
  /** Caches one request: all its candidates are asked one after the other. */
  private last: {
    readonly request: TunedRequest;
    readonly places: readonly (readonly [place: number, share: number])[];
  } | null = null;

  constructor(
    moves: LearnedMoves,
    private readonly served: ReadonlyMap<string, KnownService>,
  ) {
    this.places = moves.places;
    this.known = new Map(
      [...moves.models].map(([name, model]) => [
        name,
        { ...model, reason: countedReason(moves, name) },
      ]),
    );
  }

  adjust(
    { provider, model }: TunedCandidate,
    request: TunedRequest,
    expected: Expected,
  ): Adjustment | null {
    const known = this.known.get(this.names.of(model, ratedName) ?? '');
    const service =
      this.served.size === 0 ? undefined : this.served.get(servedName(provider, model) ?? '');
    if (!known && !service) return null;
    let odds = service
        ? oddsOf(expected.quality * service.reliability) - oddsOf(expected.quality)
        : 0,
      doubt = 0;
    if (known)
      for (const [place, share] of this.placesOf(request)) {
        odds += share * known.odds[place]!;
        doubt += share * known.doubts[place]!;
      }
    odds = Math.max(-maxMove, Math.min(maxMove, odds));
    if (!known) return { odds, reason: service!.reason };
    const reason = service ? `${known.reason}; ${service.reason}` : known.reason;
    return { odds, reason, uncertainty: expected.uncertainty * doubt };
  }

  /** The request's kinds by their places in the moves. */
  private placesOf(request: TunedRequest): readonly (readonly [place: number, share: number])[] {
    if (this.last?.request !== request) {
      const { shares } = request.kinds;
      const places: (readonly [number, number])[] =
        shares.length === 0
          ? [[0, 1]]
          : shares.map(([kind, share]) => [this.places.get(kind) ?? 0, share]);
      this.last = { request, places };
    }
    return this.last.places;
  }
}
