import { CompiledQuery, type DatabaseConnection } from 'kysely';
import type { AnswerLogs } from '../contracts/answer-logs.js';
import type { Counters, LimitCharge, PubSub, RecentLists } from '../contracts/counters.js';
import { createMemoryCounters } from '../counters/memory/memory-counters.js';
import { isBudget } from '../counters/period.js';
import type { StatementAnswer, StatementResult } from '../drivers/libsql/database-thread.js';
import { LibsqlDriver } from '../drivers/libsql/driver.js';
import { DatabaseFailure } from '../failure.js';

/** What a worker asks of the owner. */
export type OwnerCalls = ReturnType<DatabaseOwner['share']>['calls'];

/** Owns the database and counters of several workers: one writer, and exact limits. */
export class DatabaseOwner {
  private readonly driver: LibsqlDriver;
  private readonly listeners = new Set<PubSub['publish']>();

  /** @param path absolute, or `:memory:`; opened with the first statement */
  constructor(
    path: string,
    private readonly counters: Counters = createMemoryCounters(),
  ) {
    this.driver = new LibsqlDriver(path);
  }

  /**
   * What one worker may call. `end`, when it has ended, rolls its transaction back, gives back the
   * money that it has reserved, and forgets the answers that it was writing and their notes.
   * @param published gets what other workers publish
   */
  share(published: PubSub['publish']) {
    const { counters, listeners } = this;
    const { recentLists } = counters;
    const statements = new WorkerStatements(this.driver);
    const unsettled = new Map<number, (used: readonly number[] | null) => void>();
    const answers = answersOf(counters.answerLogs);
    listeners.add(published);
    const calls = {
      run: (sql: string, parameters: readonly unknown[]) => statements.run(sql, parameters),
      /** @param id of the worker's own choice, for `settle` */
      async reserve(id: number, charges: readonly LimitCharge[]) {
        const result = await counters.reserve(charges);
        if (result.outcome !== 'granted') return result;
        const { reservation, ...granted } = result;
        // as a lease that expires: requests and tokens fade out with their minute
        const unused = charges.map((charge) => (isBudget(charge) ? 0 : charge.amount));
        unsettled.set(id, (used) => reservation.settle(used ?? unused));
        return granted;
      },
      settle(id: number, used: readonly number[]) {
        unsettled.get(id)?.(used);
        unsettled.delete(id);
      },
      setSpent: (...spent: Parameters<Counters['setSpent']>) => counters.setSpent(...spent),
      countFailure: (subject: string) => counters.countFailure(subject),
      loginBackoff: (subject: string) => counters.loginBackoff(subject),
      clearFailures: (subject: string) => counters.clearFailures(subject),
      publish(topic: string, text: string) {
        for (const listener of listeners) if (listener !== published) listener(topic, text);
      },
      add: (...added: Parameters<RecentLists['add']>) => recentLists.add(...added),
      read: (list: string) => recentLists.read(list),
      ...answers.calls,
    };
    const end = (): void => {
      listeners.delete(published);
      statements.end();
      for (const settle of unsettled.values()) settle(null);
      answers.end();
    };
    return { calls, end };
  }

  /** Ends the database's thread after the statements that have begun. */
  close(): Promise<void> {
    return this.driver.destroy();
  }
}

/** What one worker may do with answers. `end` forgets those that it was writing, and its claims. */
function answersOf(answerLogs: AnswerLogs) {
  /** Logs that have no end yet, and claims, with their lease. */
  const unended = new Map<string, number>();
  const calls = {
    appendEntry(...[log, entry, keepMs]: Parameters<AnswerLogs['append']>) {
      if (entry.kind === 'done' || entry.kind === 'broken') unended.delete(log);
      else unended.set(log, keepMs);
      return answerLogs.append(log, entry, keepMs);
    },
    readEntries: (...place: Parameters<AnswerLogs['read']>) => answerLogs.read(...place),
    async claimNote(...[note, text, keepMs]: Parameters<AnswerLogs['claim']>) {
      const known = await answerLogs.claim(note, text, keepMs);
      if (known === null) unended.set(note, keepMs);
      return known;
    },
    setNote(...[note, text, keepMs]: Parameters<AnswerLogs['set']>) {
      // a note of an answer that is whole is kept for longer
      if (keepMs > (unended.get(note) ?? Infinity)) unended.delete(note);
      return answerLogs.set(note, text, keepMs);
    },
    getNote: (note: string) => answerLogs.get(note),
    expire: (...names: Parameters<AnswerLogs['expire']>) => answerLogs.expire(...names),
  };
  return { calls, end: () => void answerLogs.expire([...unended.keys()], 0) };
}

/**
 * The statements of one worker, which come one after the other. It has the connection for one, or
 * from `begin` to the end of the transaction.
 */
class WorkerStatements {
  private lent: DatabaseConnection | null = null;
  private inTransaction = false;
  private isEnded = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly driver: LibsqlDriver) {}

  run(sql: string, parameters: readonly unknown[]): Promise<StatementAnswer> {
    const result = this.execute(sql, parameters).catch(failed);
    this.last = result;
    return result;
  }

  end(): void {
    this.isEnded = true;
    void this.last.then(() => (this.inTransaction ? this.run('rollback', []) : null));
  }

  private async execute(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    const connection = (this.lent ??= await this.driver.acquireConnection());
    try {
      if (sql === 'rollback') {
        this.inTransaction = false;
        await this.driver.rollbackTransaction(connection);
        return { rows: [], changes: 0 };
      }
      // it may have ended while its statement waited for its turn
      if (this.isEnded) throw new DatabaseFailure('the worker has ended', null);
      const query = CompiledQuery.raw(sql, [...parameters]);
      const { rows, numAffectedRows = 0n } = await connection.executeQuery(query);
      if (sql === 'begin immediate') this.inTransaction = true;
      if (sql === 'commit') this.inTransaction = false;
      return { rows, changes: Number(numAffectedRows) };
    } finally {
      if (!this.inTransaction) {
        this.lent = null;
        await this.driver.releaseConnection();
      }
    }
  }
}

function failed(error: Error): StatementAnswer {
  const failure = error.cause instanceof DatabaseFailure ? error.cause : error;
  const code = failure instanceof DatabaseFailure ? failure.code : null;
  return { failure: { message: failure.message, code } };
}
