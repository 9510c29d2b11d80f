interface Waiting {
  readonly begin: () => void;
  readonly fail: (error: Error) => void;
}

/** Bounds how much work runs at once; the rest waits in the order of arrival. */
export class ConcurrencyLimit {
  private readonly waiting = new Set<Waiting>();
  /** With those whose turn has come but who did not begin yet. */
  private taken = 0;
  private failure: Error | null = null;

  constructor(private readonly max: number) {}

  /**
   * Runs the work when its turn comes.
   * @throws the reason of the signal, or that of `close`, if that comes first
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.taken < this.max) this.taken++;
    else await this.waitFor(signal);
    try {
      if (this.failure) throw this.failure;
      signal.throwIfAborted();
      return await work();
    } finally {
      const [next] = this.waiting;
      if (next) next.begin();
      else this.taken--;
    }
  }

  /** Work that waits, and all later work, fails. */
  close(failure: Error): void {
    this.failure = failure;
    for (const { fail } of this.waiting) fail(failure);
  }

  private waitFor(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (settle: () => void): void => {
        this.waiting.delete(entry);
        signal.removeEventListener('abort', cancel);
        settle();
      };
      const entry: Waiting = {
        begin: () => leave(resolve),
        fail: (error) => leave(() => reject(error)),
      };
      const cancel = (): void => entry.fail(signal.reason as Error);
      this.waiting.add(entry);
      if (signal.aborted) cancel();
      else signal.addEventListener('abort', cancel);
    });
  }
}
