import type { LazyDatabases } from './lazy-databases.js';

/** Whether the database answers. `unused`: nobody has needed it yet. */
export type DatabaseState = 'ok' | 'unreachable' | 'unused';

const patienceMs = 1_000;

/** Asks the database; a probe that comes while another one waits for the same answer shares it. */
export class DatabaseProbe {
  private asking: Promise<DatabaseState> | null = null;

  constructor(private readonly backing: LazyDatabases) {}

  /** Within a second. */
  state(): Promise<DatabaseState> {
    const { now } = this.backing;
    if (now === null) return Promise.resolve('unused');
    return (this.asking ??= this.ask(now.store.ping()).finally(() => (this.asking = null)));
  }

  private ask(ping: Promise<void>): Promise<DatabaseState> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve('unreachable'), patienceMs);
      const tell = (state: DatabaseState): void => {
        clearTimeout(timer);
        resolve(state);
      };
      ping.then(
        () => tell('ok'),
        () => tell('unreachable'),
      );
    });
  }
}
