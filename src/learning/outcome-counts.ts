import { GatewayError } from '../errors.js';
import { decodeOnline, encodeOnline } from '../routing/learned/online-codec.js';
import { type Tally, withOutcomes } from '../routing/learned/online-learner.js';
import type { Backing } from '../store/backing.js';
import type { LearningScope } from '../store/learning-records.js';
import type { WriteBehindReport } from '../store/write-behind.js';
import type { Outcomes } from './outcomes.js';

/** Times in ms. */
export interface OutcomeCountsOptions {
  readonly report: WriteBehindReport;
  /** Whether answers of a scope are known to have failed before. */
  readonly hasFaults: (scope: LearningScope) => boolean;
  readonly everyMs?: number;
}

interface ScopeCounts {
  readonly scope: LearningScope;
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
const fewAnswers = 50, mostAnswers = 200;
const none: Tally = { answers: 0, faults: 0 };

/**
 * Counts answers and faults in memory, and adds them to what the scopes have learned every few seconds. A scope whose answers never failed is not
 * written: that is taken for granted. While the database is away counts are added up, within bounds. What was written without our hearing of it is
 * counted twice.
 */
export class OutcomeCounts {
  private counts = new Map<string, ScopeCounts>();
  private timer: NodeJS.Timeout | null = null;
  private isClosed = false;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly backing: Backing, private readonly options: OutcomeCountsOptions) {}

  /** Takes the outcomes of one request. Never throws. */
  add(scope: LearningScope, outcomes: Outcomes): void {
    if (this.isClosed || outcomes.size === 0) return;
    for (const [name, outcome] of outcomes) this.merge(scope, name, { answers: 1, faults: outcome === 'failed' ? 1 : 0 });
    this.timer ??= setTimeout(() => void this.write(), this.options.everyMs ?? writeEveryMs).unref();
  }

  /** Writes what is worth it. Never rejects. */
  write(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    return (this.writing = this.writing.then(() => this.writeDue()));
  }

  /** Writes what it can within a few seconds and takes no more. */
  async close(): Promise<void> {
    this.isClosed = true;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.write(), new Promise<void>((resolve) => (timer = setTimeout(resolve, closeMs)))]);
    clearTimeout(timer);
  }

  private async writeDue(): Promise<void> {
    // what comes in meanwhile waits for its turn: during an outage that would never end
    const due = this.takeDue();
    for (let from = 0; from < due.length; from += mostAtOnce) {
      try {
        const { store } = await this.backing.get();
        const at = Date.now();
        await store.learnings.change(due.slice(from, from + mostAtOnce).map(({ scope, tallies }) => [scope, (state) => encodeOnline(withOutcomes(decodeOnline(state), tallies, at))]));
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
    return all.some(({ faults }) => faults > 0) || (all.some(({ answers }) => answers >= fewAnswers) && this.options.hasFaults(scope));
  }

  private failed(due: readonly ScopeCounts[], error: unknown): void {
    const { report, everyMs = writeEveryMs } = this.options;
    if (error instanceof GatewayError && error.code === 'unavailable' && !this.isClosed) {
      for (const { scope, tallies } of due) for (const [name, tally] of tallies) this.merge(scope, name, tally);
      this.timer ??= setTimeout(() => void this.write(), everyMs).unref();
      return;
    }
    report.lost('outcomes', due.length);
    report.warn(`outcomes of answers could not be stored and are lost: ${error instanceof Error ? error.message : String(error)}`);
  }

  private merge(scope: LearningScope, name: string, { answers, faults }: Tally): void {
    const counts = this.countsOf(scope);
    if (!counts.tallies.has(name) && counts.tallies.size >= mostModels) {
      // the one that was first counted gives way
      counts.tallies.delete(counts.tallies.keys().next().value ?? '');
    }
    const before = counts.tallies.get(name) ?? none;
    const whole = before.answers + answers, kept = Math.min(1, mostAnswers / whole);
    counts.tallies.set(name, { answers: whole * kept, faults: (before.faults + faults) * kept });
  }

  private countsOf(scope: LearningScope): ScopeCounts {
    const key = `${scope.accountId} ${scope.preferenceId}`;
    let counts = this.counts.get(key);
    if (!counts) {
      if (this.counts.size >= mostScopes) this.makeRoom();
      this.counts.set(key, (counts = { scope, tallies: new Map() }));
    }
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
