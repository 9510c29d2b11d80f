import { messageOf } from '../../errors.js';
import pLimit from 'p-limit';
import type { LossReason } from '../../async/batch-queue.js';
import { MergingQueue } from '../../async/merging-queue.js';
import { sumOf, withOutcomes } from './add-evidence.js';
import { type EvidenceRow, isMeantBy, outcomeRow, type Retraction } from './evidence.js';
import { decodeEvidence, encodeEvidence } from './evidence-codec.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import { type LearningScope, scopeKey } from '../../store/contracts/learnings.js';
import type { WriteBehindReport } from '../../store/write-behind.js';
import type { Outcome, Outcomes } from './learn-from-request.js';

/** Durations in ms. */
export interface OutcomeCountsOptions {
  readonly report: WriteBehindReport;
  /** Whether answers of a scope are known to have failed before. */
  readonly hasFaults: (scope: LearningScope) => boolean;
  readonly everyMs?: number;
  readonly now?: () => number;
}

interface ScopeCounts {
  readonly scope: LearningScope;
  /** When the first outcome was counted, ms since 1970. */
  readonly since: number;
  /** By key and provider's model. */
  readonly tallies: Map<string, EvidenceRow>;
}

const defaultEveryMs = 5_000;
const closeMs = 3_000;
/** Scopes that are written in one transaction. */
const maxBatch = 100;
/** Scopes with counts that are due, scopes with counts that are not, and models of keys in each. */
const maxScopes = 5_000;
const maxTallies = 100;
/** Answers without a fault are written once there are this many, or they have waited this long. */
const minAnswers = 50;
const maxWaitMs = 60_000;

/**
 * Counts answers and faults in memory, and adds them every few seconds to what the scopes have
 * learned. A scope whose answers never failed is not written, because that is what the learner
 * assumes. During an outage counts add up, within bounds. Counts whose confirmation got lost are
 * counted twice.
 *
 * After a scope was forgotten, counts from before do not return: those of this process never, those
 * of other processes as far as the clocks agree and nothing newer was written in between.
 */
export class OutcomeCounts {
  private readonly undue = new Map<string, ScopeCounts>();
  private readonly due: MergingQueue<ScopeCounts>;
  /** One at a time: writing a batch, or forgetting a scope. */
  private readonly exclusive = pLimit(1);
  private isClosed = false;
  private readonly now: () => number;

  constructor(
    private readonly databases: LazyDatabases,
    private readonly options: OutcomeCountsOptions,
  ) {
    this.now = options.now ?? Date.now;
    const everyMs = options.everyMs ?? defaultEveryMs;
    this.due = new MergingQueue<ScopeCounts>({
      maxItems: maxScopes,
      maxBatch,
      delayMs: everyMs,
      backoff: { firstMs: everyMs, maxMs: everyMs },
      merge: merged,
      write: (counts) => this.exclusive(() => this.write([...counts.values()])),
      onLost: (keys, reason, cause) => this.lose(keys.length, reason, cause),
    });
  }

  /** Takes the outcomes of one request with a key. Never throws. */
  add(scope: LearningScope, keyId: string | null, outcomes: Outcomes): void {
    if (this.isClosed || outcomes.size === 0) return;
    const key = scopeKey(scope);
    const now = this.now();
    const undue = this.due.has(key) ? undefined : this.undue.get(key);
    const counts = undue ?? { scope, since: now, tallies: new Map<string, EvidenceRow>() };
    for (const [model, outcome] of outcomes) tally(counts, model, outcome, keyId, now);
    if (this.due.has(key) || this.isDue(counts)) {
      this.undue.delete(key);
      this.due.add(key, counts);
    } else if (!undue) this.keepUndue(key, counts);
  }

  /** Writes the counts that are due. False if that took longer; they will still be written. */
  flush(limitMs: number): Promise<boolean> {
    return this.due.flush(limitMs);
  }

  /**
   * Runs `forgetStored` while nothing is written, and drops the counts of the scope that wait, or
   * the part of them that is meant. Rejects as `forgetStored` does; the counts stay then.
   * @param part null: everything
   */
  forget<T>(
    scope: LearningScope,
    part: Retraction | null,
    forgetStored: () => Promise<T>,
  ): Promise<T> {
    return this.exclusive(async () => {
      const forgotten = await forgetStored();
      const key = scopeKey(scope);
      const left = (counts: ScopeCounts | undefined): ScopeCounts | null =>
        counts && part ? withoutPart(counts, part) : null;
      const undue = left(this.undue.get(key));
      if (undue) this.undue.set(key, undue);
      else this.undue.delete(key);
      this.due.replace(key, left);
      return forgotten;
    });
  }

  /** Writes what it can within a few seconds, and takes no more. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.due.close(closeMs);
  }

  private async write(due: readonly ScopeCounts[]): Promise<void> {
    const { store } = await this.databases.get();
    await store.learnings.change(
      due.map((counts) => [
        counts.scope,
        (state, forgottenAt) => {
          const { since, tallies } = counts;
          // what was forgotten stays so
          if (forgottenAt !== null && since < forgottenAt) return state;
          const before = decodeEvidence(state),
            after = withOutcomes(before, tallies.values());
          return after === before ? state : encodeEvidence(after);
        },
      ]),
    );
  }

  private isDue({ scope, since, tallies }: ScopeCounts): boolean {
    let isEnough = this.now() - since >= maxWaitMs;
    for (const { weight, score } of tallies.values()) {
      if (score < 1) return true;
      isEnough ||= weight >= minAnswers;
    }
    return isEnough && this.options.hasFaults(scope);
  }

  /** Beyond the bound, the scope that was counted first is dropped: nothing in it has failed. */
  private keepUndue(key: string, counts: ScopeCounts): void {
    if (!this.undue.has(key) && this.undue.size >= maxScopes)
      this.undue.delete(this.undue.keys().next().value ?? '');
    this.undue.set(key, counts);
  }

  private lose(scopes: number, reason: LossReason, cause: unknown): void {
    const { report } = this.options;
    report.lost('outcomes', scopes);
    if (reason === 'refused')
      report.warn(`counts of outcomes are lost: the database refused them: ${messageOf(cause)}`);
  }
}

/** Counts one outcome, in place. */
function tally(
  { tallies }: ScopeCounts,
  model: string,
  outcome: Outcome,
  key: string | null,
  at: number,
): void {
  const score = outcome === 'failed' ? 0 : 1;
  add(tallies, `${key ?? ''} ${model}`, outcomeRow({ model, key, score, weight: 1, at }));
}

/** Adds a tally. Beyond the bound, the one that was counted first is dropped. */
function add(tallies: Map<string, EvidenceRow>, id: string, row: EvidenceRow): void {
  const known = tallies.get(id);
  if (!known && tallies.size >= maxTallies) tallies.delete(tallies.keys().next().value ?? '');
  tallies.set(id, known ? sumOf(known, row) : row);
}

/** The counts of both. What is counted already may be being written, so it stays as it is. */
function merged(older: ScopeCounts, newer: ScopeCounts): ScopeCounts {
  const tallies = new Map(older.tallies);
  for (const [id, row] of newer.tallies) add(tallies, id, row);
  return { ...older, since: Math.min(older.since, newer.since), tallies };
}

/** The counts without what a retraction means; null if nothing is left. */
function withoutPart({ tallies, ...counts }: ScopeCounts, part: Retraction): ScopeCounts | null {
  const isMeant = isMeantBy(part);
  const left = [...tallies].filter(([, tally]) => !isMeant(tally));
  return left.length === 0 ? null : { ...counts, tallies: new Map(left) };
}
