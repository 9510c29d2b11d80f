import { GatewayError } from '../../errors.js';
import { decodeOnline, encodeOnline } from '../../routing/predictor/online-codec.js';
import { type Tally, withOutcomes } from '../../routing/predictor/online-learner.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import type { LearningScope } from '../../store/contracts/learnings.js';
import type { WriteBehindReport } from '../../store/write-behind.js';
import type { Outcomes } from './outcomes.js';

/** Times in ms. */
export interface OutcomeCountsOptions {
  readonly report: WriteBehindReport;
  /** Whether answers of a scope are known to have failed before. */
  readonly hasFaults: (scope: LearningScope) => boolean;
  readonly everyMs?: number;
  readonly now?: () => number;
}

interface ScopeCounts {
  readonly scope: LearningScope;
  /** When the first of them was counted. */
  since: number;
  readonly tallies: Map<string, Tally>;
}

const writeEveryMs = 5_000;
const closeMs = 3_000;
/** Scopes that are written in one transaction. */
const mostAtOnce = 100;
/** Scopes that are counted at a time, and models in each. */
const mostScopes = 5_000;
const mostModels = 40;
/** Answers without a fault wait for so many, and are worth no more. */
const fewAnswers = 50,
  mostAnswers = 200;
const none: Tally = { answers: 0, faults: 0 };

const keyOf = ({ accountId, preferenceId }: LearningScope): string =>
  `${accountId} ${preferenceId}`;

/**
 * Counts answers and faults in memory, and adds them to what the scopes have learned every few seconds. A scope whose answers never failed is not
 * written: that is taken for granted. While the database is away counts are added up, within bounds. What was written without our hearing of it is
 * counted twice. What this process counted before a scope is forgotten does not come back; what others counted does not either, as far as their
 * clocks agree and none of them has written something newer in between.
 */
export class OutcomeCounts {
  private counts = new Map<string, ScopeCounts>();
  private timer: NodeJS.Timeout | null = null;
  private isClosed = false;
  private writing: Promise<void> = Promise.resolve();
  private readonly now: () => number;

  constructor(
    private readonly backing: LazyDatabases,
    private readonly options: OutcomeCountsOptions,
  ) {
    this.now = options.now ?? Date.now;
  }

  /** Takes the outcomes of one request. Never throws. */
  add(scope: LearningScope, outcomes: Outcomes): void {
    if (this.isClosed || outcomes.size === 0) return;
    const counts = this.countsOf(scope, this.now());
    for (const [name, outcome] of outcomes)
      merge(counts, name, { answers: 1, faults: outcome === 'failed' ? 1 : 0 });
    this.timer ??= setTimeout(
      () => void this.write(),
      this.options.everyMs ?? writeEveryMs,
    ).unref();
  }

  /** Writes what is worth it. Never rejects. */
  write(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    return (this.writing = this.writing.then(() => this.writeDue()));
  }

  /** Does what forgets a scope while nothing is written, and forgets what waits of it. Rejects as that does, and then everything waits on. */
  forget(scope: LearningScope, forgetStored: () => Promise<void>): Promise<void> {
    const forgotten = this.writing
      .then(forgetStored)
      .then(() => void this.counts.delete(keyOf(scope)));
    this.writing = forgotten.catch(() => undefined);
    return forgotten;
  }

  /** Writes what it can within a few seconds and takes no more. */
  async close(): Promise<void> {
    this.isClosed = true;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      this.write(),
      new Promise<void>((resolve) => (timer = setTimeout(resolve, closeMs))),
    ]);
    clearTimeout(timer);
  }

  private async writeDue(): Promise<void> {
    // what comes in meanwhile waits for its turn: during an outage that would never end
    const due = this.takeDue();
    for (let from = 0; from < due.length; from += mostAtOnce) {
      try {
        const { store } = await this.backing.get();
        const at = this.now();
        await store.learnings.change(
          due
            .slice(from, from + mostAtOnce)
            .map((counts) => [
              counts.scope,
              (state, forgottenAt) => added(state, forgottenAt, counts, at),
            ]),
        );
      } catch (error) {
        this.failed(due.slice(from), error);
        return;
      }
    }
  }

  /** Takes scopes out that have something to tell. */
  private takeDue(): ScopeCounts[] {
    const due: ScopeCounts[] = [];
    for (const [key, counts] of this.counts) {
      if (!this.isDue(counts)) continue;
      due.push(counts);
      this.counts.delete(key);
    }
    return due;
  }

  private isDue({ scope, tallies }: ScopeCounts): boolean {
    const all = [...tallies.values()];
    return (
      all.some(({ faults }) => faults > 0) ||
      (all.some(({ answers }) => answers >= fewAnswers) && this.options.hasFaults(scope))
    );
  }

  private failed(due: readonly ScopeCounts[], error: unknown): void {
    const { report, everyMs = writeEveryMs } = this.options;
    if (error instanceof GatewayError && error.code === 'unavailable' && !this.isClosed) {
      for (const { scope, since, tallies } of due)
        for (const [name, tally] of tallies) merge(this.countsOf(scope, since), name, tally);
      this.timer ??= setTimeout(() => void this.write(), everyMs).unref();
      return;
    }
    report.lost('outcomes', due.length);
    report.warn(
      `outcomes of answers could not be stored and are lost: ${error instanceof Error ? error.message : String(error)}`,
    );
  }

  private countsOf(scope: LearningScope, since: number): ScopeCounts {
    const key = keyOf(scope);
    let counts = this.counts.get(key);
    if (!counts) {
      if (this.counts.size >= mostScopes) this.makeRoom();
      this.counts.set(key, (counts = { scope, since, tallies: new Map() }));
    }
    counts.since = Math.min(counts.since, since);
    return counts;
  }

  /** The scope that was first counted gives way; faults that go with it are told of. */
  private makeRoom(): void {
    const [key, counts] = this.counts.entries().next().value ?? [];
    if (key === undefined || !counts) return;
    this.counts.delete(key);
    if (this.isDue(counts)) this.options.report.lost('outcomes', 1);
  }
}

/** What a scope holds with these counts; as it was where it was forgotten after the first of them. */
function added(
  state: string | null,
  forgottenAt: number | null,
  { since, tallies }: ScopeCounts,
  at: number,
): string | null {
  return forgottenAt !== null && since < forgottenAt
    ? state
    : encodeOnline(withOutcomes(decodeOnline(state), tallies, at));
}

function merge({ tallies }: ScopeCounts, name: string, { answers, faults }: Tally): void {
  // the one that was first counted gives way
  if (!tallies.has(name) && tallies.size >= mostModels)
    tallies.delete(tallies.keys().next().value ?? '');
  const before = tallies.get(name) ?? none;
  const whole = before.answers + answers,
    kept = Math.min(1, mostAnswers / whole);
  tallies.set(name, { answers: whole * kept, faults: (before.faults + faults) * kept });
}
