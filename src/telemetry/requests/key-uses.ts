import type { LazyDatabases } from '../../store/lazy-databases.js';

const writeEveryMs = 60_000;

/** When issued keys were last used; put down once a minute. */
export class KeyUses {
  private uses = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly backing: LazyDatabases,
    private readonly everyMs = writeEveryMs,
  ) {}

  /** A key was used just now. Those that the configuration fixes have no record. */
  mark(keyId: string): void {
    if (keyId.startsWith('fixed:')) return;
    this.uses.set(keyId, Date.now());
    this.timer ??= setTimeout(() => void this.write(), this.everyMs).unref();
  }

  /** Puts down what has been gathered. Never rejects: what cannot be written is kept for the next time. */
  async write(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const uses = this.uses;
    if (uses.size === 0) return;
    this.uses = new Map();
    try {
      const { store } = await this.backing.get();
      await store.keys.touch(uses);
    } catch {
      this.uses = new Map([...uses, ...this.uses]);
      this.timer ??= setTimeout(() => void this.write(), this.everyMs).unref();
    }
  }

  close(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}
