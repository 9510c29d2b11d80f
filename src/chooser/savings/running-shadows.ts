import { GatewayError } from '../../errors.js';

/** Few, because they compete with clients for connections and for the rate limits of providers. */
const maxRunning = 2;

type Cancel = (reason: GatewayError) => void;

/** The second answers that are being asked for. What finds no place is dropped. */
export class RunningShadows {
  private readonly running = new Set<{ cancel: Cancel | null }>();
  private isClosed = false;

  /**
   * Begins the work in a later turn of the event loop; false if there is no place. The work says how
   * it is cancelled once it can be, and never rejects.
   */
  run(work: (whenCancelled: (cancel: Cancel) => void) => Promise<void>): boolean {
    if (this.isClosed || this.running.size >= maxRunning) return false;
    const one: { cancel: Cancel | null } = { cancel: null };
    this.running.add(one);
    setImmediate(() => {
      void work((cancel) => {
        one.cancel = cancel;
        if (this.isClosed) cancel(stopping());
      }).finally(() => this.running.delete(one));
    });
    return true;
  }

  /** Cancels all, and lets none begin. */
  close(): void {
    this.isClosed = true;
    for (const { cancel } of this.running) cancel?.(stopping());
  }
}

const stopping = (): GatewayError => new GatewayError('unavailable', 'the gateway is stopping');
