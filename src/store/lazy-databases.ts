import type { Counters } from './contracts/counters.js';
import type { Store } from './contracts/store.js';

export interface Databases {
  readonly store: Store;
  readonly counters: Counters;
}

/** Databases that open at first need: a gateway that stores nothing opens none. */
export class LazyDatabases {
  private opening: Promise<Databases> | null = null;
  private opened: Databases | null = null;
  private readonly waiting: ((opened: Databases) => void)[] = [];

  /** @param isVolatile in memory: empty when it is opened, and gone with the process */
  constructor(
    private readonly open: () => Promise<Databases>,
    readonly isVolatile: boolean,
  ) {}

  /** The databases if they are open, else null. */
  get now(): Databases | null {
    return this.opened;
  }

  /**
   * Opens the databases once; after a failure the next call tries again.
   * @throws GatewayError `unavailable`
   */
  get(): Promise<Databases> {
    return (this.opening ??= this.open().then(
      (opened) => {
        this.opened = opened;
        for (const listener of this.waiting.splice(0)) listener(opened);
        return opened;
      },
      (error: unknown) => {
        this.opening = null;
        throw error;
      },
    ));
  }

  /** Calls back when the databases are open, at once if they are; does not open them. */
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
