import { withTimeout } from '../../async/with-timeout.js';
import { decodeOnline, encodeOnline } from '../../routing/predictor/online-codec.js';
import { type Rating, withRating } from '../../routing/predictor/online-learner.js';
import type { OnlineState } from '../../routing/predictor/online-state.js';
import { createOnlineTuning, hasFaults } from '../../routing/predictor/online-tuning.js';
import type { Tuning } from '../../routing/predictor/tuning.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import type { LearningRecord, LearningScope } from '../../store/contracts/learnings.js';
import { RecordCache } from '../../store/record-cache.js';
import type { FeedbackRow } from '../../store/contracts/requests.js';
import { RatingQueue } from './rating-queue.js';

/** What a scope has learned, as requests use it. */
export interface KnownLearning {
  readonly tuning: Tuning | null;
  /** Whether something was rated of late, so that there is somebody who rates. */
  readonly isRated: boolean;
  /** Whether answers are known to have failed. */
  readonly hasFaults: boolean;
}

/** What a scope has learned, for whoever wants to see it. */
export interface ShownLearning {
  readonly state: OnlineState;
  /** Ms since 1970; null: nothing was ever learned. */
  readonly updatedAt: number | null;
}

/** Times in ms. */
export interface LearningCacheOptions {
  /** The name of the router that numbers the kinds of task. */
  readonly router: () => string;
  /** How long a request waits for what its process does not know yet. */
  readonly patienceMs?: number;
  /** How long it is not asked for again after that. */
  readonly restMs?: number;
  readonly now?: () => number;
}

interface GivenRating {
  readonly feedback: FeedbackRow;
  readonly ratingOf: (earlier: number | null) => Rating;
}

const recentMs = 30 * 86_400_000;
/** What was learned fades: after so long it is looked at anew. */
const freshMs = 600_000;

const keyOf = ({ accountId, preferenceId }: LearningScope): string =>
  `${accountId} ${preferenceId}`;

/** What accounts and their preferences have learned: what has been used here before is known without asking the database. */
export class LearningCache {
  private readonly cache: RecordCache<LearningRecord>;
  private readonly read = new WeakMap<
    LearningRecord,
    { readonly known: KnownLearning | null; readonly until: number }
  >();
  private readonly now: () => number;
  private readonly ratings = new RatingQueue<GivenRating>((scope, ratings) =>
    this.take(scope, ratings),
  );
  private readonly looking = new Map<string, Promise<KnownLearning | null>>();
  private restingUntil = 0;

  constructor(
    private readonly backing: LazyDatabases,
    private readonly options: LearningCacheOptions,
  ) {
    this.now = options.now ?? Date.now;
    this.cache = new RecordCache<LearningRecord>(backing, {
      topic: 'learnings',
      keyOf,
      // a scope that has learned nothing is known as such until it does
      load: async ({ store }, key) => {
        const end = key.lastIndexOf(' '),
          scope = { accountId: key.slice(0, end), preferenceId: key.slice(end + 1) };
        return (await store.learnings.find(scope)) ?? { ...scope, state: null, updatedAt: 0 };
      },
      changedSince: ({ store }, revision) => store.learnings.changedSince(revision),
    });
  }

  /** Null where nothing is known; a promise, for a moment, where it has to be looked up. Never fails: without a database nothing is known. */
  find(scope: LearningScope): KnownLearning | null | Promise<KnownLearning | null> {
    const key = keyOf(scope);
    const looking = this.looking.get(key);
    if (looking) return looking;
    const found = this.now() < this.restingUntil ? this.cache.peek(key) : this.cache.find(key);
    return found instanceof Promise ? this.lookUp(key, found) : this.known(found);
  }

  /** Whether answers of a scope are known here to have failed. */
  hasFaults(scope: LearningScope): boolean {
    const found = this.cache.peek(keyOf(scope));
    return found !== null && (this.known(found)?.hasFaults ?? false);
  }

  /** Stores feedback, and takes it in where it is a rating. @throws GatewayError `unavailable` */
  rate(
    feedback: FeedbackRow,
    scope: LearningScope,
    ratingOf: (earlier: number | null) => Rating,
  ): Promise<void> {
    return this.ratings.add(scope, { feedback, ratingOf });
  }

  private async take(scope: LearningScope, ratings: readonly GivenRating[]): Promise<void> {
    const { store } = await this.backing.get();
    await store.learnings.rate(
      scope,
      ratings.map(({ feedback }) => feedback),
      (state, earlier) =>
        encodeOnline(
          ratings.reduce(
            (before, { ratingOf }, at) =>
              withRating(before, this.numberedHere(ratingOf(earlier[at] ?? null))),
            decodeOnline(state),
          ),
        ),
    );
    this.changed(scope);
  }

  /** Of a decision that another router had made, its kinds of task mean nothing, and must not do away with what is known of this one's. */
  private numberedHere(rating: Rating): Rating {
    return rating.kinds === null || rating.kinds.router === this.options.router()
      ? rating
      : { ...rating, kinds: null };
  }

  /** What is stored now. @throws GatewayError `unavailable` */
  async show(scope: LearningScope): Promise<ShownLearning> {
    const { store } = await this.backing.get();
    const record = await store.learnings.find(scope);
    return {
      state: decodeOnline(record?.state ?? null),
      updatedAt: record && record.state !== null ? record.updatedAt : null,
    };
  }

  /** Forgets everything, here and on other replicas. @throws GatewayError `unavailable` */
  async forget(scope: LearningScope): Promise<void> {
    const { store } = await this.backing.get();
    await store.learnings.forget(scope);
    this.changed(scope);
  }

  /** Takes in what this process has changed of a scope. */
  changed(scope: LearningScope): void {
    this.looking.delete(keyOf(scope));
    this.cache.changed({ ...scope, state: null, updatedAt: 0 });
  }

  /** Stops following changes. */
  close(): void {
    this.cache.close();
  }

  /** All that ask for the same at the same time wait for one answer. */
  private lookUp(
    key: string,
    found: Promise<LearningRecord | null>,
  ): Promise<KnownLearning | null> {
    const looking = this.withinPatience(found).finally(() => {
      if (this.looking.get(key) === looking) this.looking.delete(key);
    });
    this.looking.set(key, looking);
    return looking;
  }

  /** Nobody waits long for what only makes a choice better; where it is slow, nobody waits for a while. */
  private async withinPatience(
    looked: Promise<LearningRecord | null>,
  ): Promise<KnownLearning | null> {
    const { patienceMs = 100, restMs = 2_000 } = this.options;
    const found = await withTimeout(
      looked.catch(() => 'late' as const),
      patienceMs,
      () => 'late' as const,
    );
    if (found !== 'late') return this.known(found);
    this.restingUntil = this.now() + restMs;
    return null;
  }

  private known(record: LearningRecord | null): KnownLearning | null {
    if (record === null || record.state === null) return null;
    const now = this.now();
    let read = this.read.get(record);
    if (!read || read.until <= now)
      this.read.set(
        record,
        (read = { known: this.knownOf(decodeOnline(record.state), now), until: now + freshMs }),
      );
    return read.known;
  }

  private knownOf(state: OnlineState, now: number): KnownLearning | null {
    const tuning = createOnlineTuning(state, this.options.router(), now);
    const isRated = state.ratedAt !== null && now - state.ratedAt < recentMs;
    return { tuning, isRated, hasFaults: hasFaults(state, now) };
  }
}
