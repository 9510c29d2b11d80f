import type { Counters } from './contracts/counters.js';
import type { Store } from './contracts/store.js';

/** The databases, opened. */
export interface Databases {
  readonly store: Store;
  readonly counters: Counters;
}

/** Databases that are opened when they are first needed: a guest that remembers nothing opens none. */
export class LazyDatabases {
  private opening: Promise<Databases> | null = null;
  private opened: Databases | null = null;
  private readonly waiting: ((opened: Databases) => void)[] = [];

  /** @param isVolatile nothing that it holds was there before it is opened, and nothing outlives the process */
  constructor(
    private readonly open: () => Promise<Databases>,
    readonly isVolatile: boolean,
  ) {}

  /** The databases if they are open already. */
  get now(): Databases | null {
    return this.opened;
  }

  /** Opens them, once; after a failure the next call tries again. @throws GatewayError `unavailable` */
  get(): Promise<Databases> {
    return (this.opening ??= this.open().then(
      (opened) => {
        this.opened = opened;
        for (const tell of this.waiting.splice(0)) tell(opened);
        return opened;
      },
      (error: unknown) => {
        this.opening = null;
        throw error;
      },
    ));
  }

  /** Calls back when they are open, at once where they are; opens nothing. */
  whenOpened(listener: (opened: Databases) => void): void {
    if (this.opened) listener(this.opened);
    else this.waiting.push(listener);
  }

  async close(): Promise<void> {
    if (this.opening === null) return;
    const opened = await this.opening.catch(() => null);
    await Promise.all([opened?.counters.close(), opened?.store.close()]);
  }
}
