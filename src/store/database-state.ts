import { withTimeout } from '../async/with-timeout.js';
import type { LazyDatabases } from './lazy-databases.js';

/** Whether the database answers. `unwritable`: the last write failed; `unused`: none was needed. */
export type DatabaseState = 'ok' | 'unreachable' | 'unwritable' | 'unused';

const timeoutMs = 1_000;

/** Asks the database whether it answers; concurrent calls share one query. */
export class DatabaseProbe {
  private asking: Promise<DatabaseState> | null = null;

  /** @param writesFail whether the last write behind failed */
  constructor(
    private readonly databases: LazyDatabases,
    private readonly writesFail: () => boolean,
  ) {}

  /** Resolves within a second. */
  state(): Promise<DatabaseState> {
    const { now } = this.databases;
    if (now === null) return Promise.resolve('unused');
    return (this.asking ??= this.ask(now.store.ping()).finally(() => (this.asking = null)));
  }

  private ask(ping: Promise<void>): Promise<DatabaseState> {
    const answered = ping.then(
      (): DatabaseState => (this.writesFail() ? 'unwritable' : 'ok'),
      (): DatabaseState => 'unreachable',
    );
    return withTimeout(answered, timeoutMs, () => 'unreachable');
  }
}
