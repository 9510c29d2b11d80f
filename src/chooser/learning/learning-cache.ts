import { hash } from 'node:crypto';
import { withTimeout } from '../../async/with-timeout.js';
import { ratedAt, withRating } from './add-evidence.js';
import type { LearnedState, Retraction } from './evidence.js';
import { decodeEvidence, encodeEvidence, fateOf } from './evidence-codec.js';
import { hasFaults } from './known-faults.js';
import { createLearnedTuning } from './learned-tuning.js';
import type { Tuning } from '../predictor/tuning.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import {
  type LearningRecord,
  type LearningScope,
  scopeKey,
} from '../../store/contracts/learnings.js';
import { RecordCache } from '../../store/record-cache.js';
import type { FeedbackRow } from '../../store/contracts/requests.js';
import { forgetLearned } from './forget-learned.js';
import type { ModelScore } from './rated-decision.js';
import { RatingQueue } from './rating-queue.js';
import { showLearning, type ShownLearning } from './show-learning.js';

/** What a scope has learned, as requests use it. */
export interface KnownLearning {
  readonly tuning: Tuning | null;
  /** Whether there was a rating recently. */
  readonly isRated: boolean;
  /** Whether answers are known to have failed. */
  readonly hasFaults: boolean;
}

/** Durations in ms. */
export interface LearningCacheOptions {
  /** Under this name kinds of task are numbered. */
  readonly router: () => string;
  /** Warns once of each scope whose ratings an earlier version kept by other kinds of task. */
  readonly warn?: (warning: string) => void;
  readonly maxWaitMs?: number;
  /** After a lookup that took longer: how long requests do without lookups. */
  readonly restMs?: number;
  readonly now?: () => number;
}

interface GivenRating {
  readonly feedback: FeedbackRow;
  readonly score: ModelScore;
}

const nothingStored = { state: null, updatedAt: 0 };
/** How long a rating counts as recent. */
const recentMs = 30 * 86_400_000;
/** What was learned fades, so a cached tuning is computed anew after this long. */
const refreshMs = 600_000;

function scopeOf(key: string): LearningScope {
  const end = key.lastIndexOf(' ');
  return { accountId: key.slice(0, end), preferenceId: key.slice(end + 1) };
}

/** Identifies what feedback is about, in a few characters. */
const subjectOf = ({ sessionId, responseId }: FeedbackRow): string =>
  hash('sha256', `${sessionId ?? ''} ${responseId ?? ''}`, 'base64url').slice(0, 12);

/** What accounts and preferences have learned. A scope that was used here needs no database. */
export class LearningCache {
  private readonly cache: RecordCache<LearningRecord>;
  private readonly read = new WeakMap<
    LearningRecord,
    { readonly known: KnownLearning | null; readonly until: number }
  >();
  private readonly now: () => number;
  private readonly ratings = new RatingQueue<GivenRating>((scope, ratings) =>
    this.store(scope, ratings),
  );
  private readonly lookups = new Map<string, Promise<KnownLearning | null>>();
  private restingUntil = 0;
  /** The warnings that were given; few, since only an update of the gateway makes any. */
  private readonly warned = new Set<string>();

  constructor(
    private readonly databases: LazyDatabases,
    private readonly options: LearningCacheOptions,
  ) {
    this.now = options.now ?? Date.now;
    this.cache = new RecordCache<LearningRecord>(databases, {
      topic: 'learnings',
      keyOf: scopeKey,
      // a scope that has learned nothing is cached as such
      load: async ({ store }, key) =>
        (await store.learnings.find(scopeOf(key))) ?? { ...scopeOf(key), ...nothingStored },
      changedSince: ({ store }, revision) => store.learnings.changedSince(revision),
    });
  }

  /** Null if nothing is known, or cannot be looked up in a moment. Never rejects. */
  async find(scope: LearningScope): Promise<KnownLearning | null> {
    const key = scopeKey(scope);
    const lookup = this.lookups.get(key);
    if (lookup) return lookup;
    const isResting = this.now() < this.restingUntil;
    const cached = isResting ? this.cache.peek(key) : this.cache.cached(key);
    return cached === undefined ? this.lookUp(key) : this.known(cached);
  }

  /** Whether answers of a scope are known in this process to have failed. */
  hasFaults(scope: LearningScope): boolean {
    return this.known(this.cache.peek(scopeKey(scope)))?.hasFaults ?? false;
  }

  /** Stores feedback, and learns from it if it is a rating. @throws GatewayError `unavailable` */
  rate(feedback: FeedbackRow, scope: LearningScope, score: ModelScore): Promise<void> {
    return this.ratings.add(scope, { feedback, score });
  }

  private async store(scope: LearningScope, ratings: readonly GivenRating[]): Promise<void> {
    const { store } = await this.databases.get();
    const rows = ratings.map(({ feedback }) => feedback);
    await store.learnings.rate(scope, rows, (state) => {
      let evidence = decodeEvidence(state);
      for (const { feedback, score } of ratings) {
        const from = { key: feedback.keyId, subject: subjectOf(feedback) };
        evidence = withRating(evidence, { ...this.withOwnKinds(score), ...from });
      }
      return encodeEvidence(evidence);
    });
    this.changed(scope);
  }

  /**
   * Removes the kinds of task of a decision by another router: its numbers mean nothing here, and
   * must not overwrite what was learned with this one's.
   */
  private withOwnKinds(score: ModelScore): ModelScore {
    return score.kinds === null || score.kinds.router === this.options.router()
      ? score
      : { ...score, kinds: null };
  }

  /** The stored state. @throws GatewayError `unavailable` */
  async show(scope: LearningScope): Promise<ShownLearning> {
    const { store } = await this.databases.get();
    return showLearning(store, scope, this.options.router(), this.now());
  }

  /**
   * Forgets what a scope has learned, or a part of it, on all replicas. False if nothing that it
   * names was stored.
   * @throws GatewayError `unavailable`
   */
  async forget(scope: LearningScope, part: Retraction | null = null): Promise<boolean> {
    const { store } = await this.databases.get();
    const isAny = await forgetLearned(store, scope, part, this.now());
    this.changed(scope);
    return isAny;
  }

  /** Must be called when this process has changed a scope. */
  changed(scope: LearningScope): void {
    this.lookups.delete(scopeKey(scope));
    // the database answers again, and a client that has just rated expects the choice to follow
    this.restingUntil = 0;
    this.cache.changed({ ...scope, ...nothingStored });
  }

  /** Stops following changes. */
  close(): void {
    this.cache.close();
  }

  /** Concurrent requests for the same scope share one lookup. */
  private lookUp(key: string): Promise<KnownLearning | null> {
    const lookup = this.findInTime(key).finally(() => {
      if (this.lookups.get(key) === lookup) this.lookups.delete(key);
    });
    this.lookups.set(key, lookup);
    return lookup;
  }

  /** Requests wait briefly for what only improves a choice; after a slow lookup, not at all. */
  private async findInTime(key: string): Promise<KnownLearning | null> {
    const { maxWaitMs = 100, restMs = 2_000 } = this.options;
    const late = () => 'late' as const;
    const found = await withTimeout(this.cache.find(key).catch(late), maxWaitMs, late);
    if (found !== 'late') return this.known(found);
    this.restingUntil = this.now() + restMs;
    return null;
  }

  private known(record: LearningRecord | null): KnownLearning | null {
    if (record === null || record.state === null) return null;
    const now = this.now();
    let read = this.read.get(record);
    if (!read || read.until <= now) {
      const state = decodeEvidence(record.state);
      this.warnOfOtherVersion(record);
      this.warnOfOtherKinds(record, state);
      this.read.set(record, (read = { known: this.knownOf(state, now), until: now + refreshMs }));
    }
    return read.known;
  }

  /** What another version has stored is migrated or reset, and never silently. */
  private warnOfOtherVersion(record: LearningRecord): void {
    const fate = fateOf(record.state);
    if (fate !== null) this.warnOnce(record, `was stored by another version: ${fate}`);
  }

  private warnOfOtherKinds(record: LearningRecord, state: LearnedState): void {
    const { router } = state;
    if (router === null || router === this.options.router() || ratedAt(state) === null) return;
    this.warnOnce(
      record,
      'was told apart by the kinds of task of an earlier version: it counts for all kinds alike until new ratings come',
    );
  }

  private warnOnce(scope: LearningScope, what: string): void {
    const { accountId, preferenceId } = scope;
    const whose = preferenceId === '' ? '' : ` for preference ${preferenceId}`;
    const warning = `what account ${accountId} has learned${whose} ${what}`;
    if (this.warned.has(warning)) return;
    this.warned.add(warning);
    this.options.warn?.(warning);
  }

  private knownOf(state: LearnedState, now: number): KnownLearning | null {
    const tuning = createLearnedTuning(state, this.options.router(), now);
    const rated = ratedAt(state);
    const isRated = rated !== null && now - rated < recentMs;
    return { tuning, isRated, hasFaults: hasFaults(state, now) };
  }
}
