import type { ProcessLink } from '../../async/process-link.js';
import type { Counters, ReserveResult } from '../contracts/counters.js';
import { resultOf } from '../drivers/libsql/database-thread.js';
import type { StatementRunner } from '../drivers/libsql/driver.js';
import type { OwnerCalls } from './database-owner.js';

/** What a worker has of the owner's databases. */
export class RelayedDatabases {
  private readonly listeners: { topic: string; listener: (text: string) => void }[] = [];
  private lastReservation = 0;

  constructor(private readonly owner: Pick<ProcessLink<OwnerCalls>, 'call' | 'tell'>) {}

  /** Must be called with what another worker has published. */
  published(topic: string, text: string): void {
    for (const each of this.listeners) if (each.topic === topic) each.listener(text);
  }

  /** Runs statements of the embedded database in the owner, which replaces a thread that has died. */
  statements(): StatementRunner {
    return {
      isGone: false,
      run: async (...statement) => resultOf(await this.owner.call('run', ...statement)),
      close: () => Promise.resolve(),
    };
  }

  /** The counters that all workers share. */
  counters(): Counters {
    const { owner } = this;
    return {
      state: 'workers',
      pubSub: {
        publish: (...published) => owner.tell('publish', ...published),
        subscribe: (topic, listener) => void this.listeners.push({ topic, listener }),
      },
      recentLists: {
        add: (...added) => owner.tell('add', ...added),
        read: (list) => owner.call('read', list),
      },
      answerLogs: {
        // all workers stop at the same time
        isShared: false,
        append: (...entry) => owner.call('appendEntry', ...entry),
        read: (...place) => owner.call('readEntries', ...place),
        claim: (...note) => owner.call('claimNote', ...note),
        set: (...note) => owner.call('setNote', ...note),
        get: (note) => owner.call('getNote', note),
        expire: (...names) => owner.call('expire', ...names),
      },
      reserve: (charges) => this.reserve(charges),
      setSpent: (...spent) => owner.call('setSpent', ...spent),
      countFailure: (subject) => owner.call('countFailure', subject),
      loginBackoff: (subject) => owner.call('loginBackoff', subject),
      clearFailures: (subject) => owner.call('clearFailures', subject),
      close: () => Promise.resolve(),
    };
  }

  private async reserve(charges: Parameters<Counters['reserve']>[0]): Promise<ReserveResult> {
    const id = ++this.lastReservation;
    const result = await this.owner.call('reserve', id, charges);
    if (result.outcome !== 'granted') return result;
    return { ...result, reservation: { settle: (used) => this.owner.tell('settle', id, used) } };
  }
}
