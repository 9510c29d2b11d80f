import type { LossReason } from '../../../async/batch-queue.js';
import { MergingQueue } from '../../../async/merging-queue.js';
import { decodeOnline, encodeOnline } from '../../predictor/online-codec.js';
import { type NewLesson, withLesson } from '../../predictor/online-learner.js';
import type { Cause, Retraction } from '../../predictor/online-state.js';
import { isMeantBy } from '../../predictor/take-back.js';
import type { LazyDatabases } from '../../../store/lazy-databases.js';
import type { LearningScope } from '../../../store/contracts/learnings.js';
import type { WriteBehindReport } from '../../../store/write-behind.js';
import type { ModelScore } from '../rated-decision.js';
import { BoundedMap } from './bounded-map.js';

/** A signal against a model. */
export interface Signal {
  readonly cause: Exclude<Cause, 'rating'>;
  readonly key: string | null;
  readonly model: Omit<ModelScore, 'score' | 'at'>;
}

/** What signals count for, in ratings. */
const weights: Record<Signal['cause'], number> = {
  retry: 0.1,
  correction: 0.1,
  refusal: 0.1,
  bad_tool_call: 0.1,
  truncation: 0.05,
  tool_error: 0.05,
};
/** After so many answers of a model without a signal, the next signal counts for nothing. */
const rareAnswers = 20;

const everyMs = 5_000;
const closeMs = 3_000;
const maxBatch = 100;
const maxScopes = 5_000;
const maxWaiting = 20;
const maxCounted = 20_000;

interface Waiting {
  readonly scope: LearningScope;
  readonly lessons: readonly NewLesson[];
}

const keyOf = ({ accountId, preferenceId }: LearningScope): string =>
  `${accountId} ${preferenceId}`;

/**
 * Signals on their way to the learned state, written every few seconds. During an outage they wait,
 * within bounds.
 */
export class SignalCounts {
  private readonly queue: MergingQueue<Waiting>;
  /** By scope, key and model: answers since the last signal against it, in this process. */
  private readonly answers = new BoundedMap<number>(maxCounted);
  private isClosed = false;

  constructor(
    private readonly databases: LazyDatabases,
    private readonly report: WriteBehindReport,
  ) {
    this.queue = new MergingQueue<Waiting>({
      maxItems: maxScopes,
      maxBatch,
      delayMs: everyMs,
      backoff: { firstMs: everyMs, maxMs: everyMs },
      merge: (older, newer) => ({
        scope: older.scope,
        lessons: [...older.lessons, ...newer.lessons].slice(-maxWaiting),
      }),
      write: (waiting) => this.write([...waiting.values()]),
      onLost: (keys, reason, cause) => this.lose(keys.length, reason, cause),
    });
  }

  /** Counts an answer, by which later signals are weighed. */
  answered(scope: LearningScope, key: string | null, model: string): void {
    const id = `${keyOf(scope)} ${key ?? ''} ${model}`;
    this.answers.set(id, (this.answers.get(id) ?? 0) + 1);
  }

  /** Takes a signal. Never throws. */
  add(scope: LearningScope, { cause, key, model }: Signal): void {
    if (this.isClosed) return;
    const id = `${keyOf(scope)} ${key ?? ''} ${model.model}`;
    const rarity = (this.answers.get(id) ?? 0) / rareAnswers;
    this.answers.set(id, 0);
    if (rarity >= 1) return;
    const weight = weights[cause] * (1 - rarity);
    const lesson = { ...model, cause, key, subject: '', score: 0, weight, at: Date.now() };
    this.queue.add(keyOf(scope), { scope, lessons: [lesson] });
  }

  /** Drops what waits for a scope, or the part of it that is meant. @param part null: everything */
  forget(scope: LearningScope, part: Retraction | null): void {
    const isMeant = part ? isMeantBy(part) : () => true;
    this.queue.replace(keyOf(scope), ({ lessons }) => {
      const left = lessons.filter((lesson) => !isMeant(lesson));
      return left.length === 0 ? null : { scope, lessons: left };
    });
  }

  /** Writes what has been added so far. False if that took longer. */
  flush(limitMs: number): Promise<boolean> {
    return this.queue.flush(limitMs);
  }

  /** Writes what it can within a few seconds, and takes no more. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.queue.close(closeMs);
  }

  private async write(waiting: readonly Waiting[]): Promise<void> {
    const { store } = await this.databases.get();
    await store.learnings.change(
      waiting.map(({ scope, lessons }) => [
        scope,
        (state, forgottenAt) => {
          const known = lessons.filter(({ at }) => forgottenAt === null || at >= forgottenAt);
          if (known.length === 0) return state;
          const before = decodeOnline(state),
            after = known.reduce(withLesson, before);
          return after === before ? state : encodeOnline(after);
        },
      ]),
    );
  }

  private lose(scopes: number, reason: LossReason, cause: unknown): void {
    this.report.lost('signals', scopes);
    if (reason === 'refused')
      this.report.warn(
        `signals are lost: the database refused them: ${cause instanceof Error ? cause.message : String(cause)}`,
      );
  }
}
