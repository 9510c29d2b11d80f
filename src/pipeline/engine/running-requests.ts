import { LiveList } from '../../async/live-list.js';
import type { Cancellation } from '../../dispatch/cancellation.js';
import { GatewayError } from '../../errors.js';

const retryAfterMs = 5_000;

/** The requests whose model is being called, so that a gateway that stops can end them itself. */
export class RunningRequests {
  private readonly running = new LiveList<Cancellation>();
  /** Whether requests were, and still are, cut short because the gateway stops. */
  isCut = false;

  /** Runs a request's work; it is cancelled with `unavailable` if the gateway stops meanwhile. */
  async run<T>(cancellation: Cancellation, work: () => Promise<T>): Promise<T> {
    const entry = this.running.add(cancellation);
    if (this.isCut) cancellation.cancel(stopping());
    try {
      return await work();
    } finally {
      this.running.remove(entry);
    }
  }

  /** Cancels all that run, and all that will. */
  cut(): void {
    this.isCut = true;
    for (const cancellation of this.running.items()) cancellation.cancel(stopping());
  }
}

const stopping = (): GatewayError =>
  new GatewayError('unavailable', 'the gateway is stopping: send the request again', {
    retryAfterMs,
  });
