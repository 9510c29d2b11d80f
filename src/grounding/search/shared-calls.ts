import { untilAborted } from '../../async/until-aborted.js';

interface SharedCall<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

/** Calls that equal callers share while in progress; cancelled when the last one has left. */
export class SharedCalls<T> {
  private readonly calls = new Map<string, SharedCall<T>>();

  /**
   * Joins the call of this key, or starts it.
   * @param signal ends the waiting of this caller alone
   * @throws the reason of the signal, or what the call throws
   */
  async join(
    key: string,
    signal: AbortSignal,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const call = this.calls.get(key) ?? this.begin(key, start);
    call.waiting++;
    try {
      // one signal may end many searches, and Node warns of more than ten listeners of one
      return await untilAborted(call.result, AbortSignal.any([signal]));
    } finally {
      if (--call.waiting === 0) this.end(key, call, signal.reason);
    }
  }

  private begin(key: string, start: (signal: AbortSignal) => Promise<T>): SharedCall<T> {
    const controller = new AbortController();
    const call = { result: start(controller.signal), controller, waiting: 0 };
    // its callers receive the failure
    call.result.catch(() => undefined);
    this.calls.set(key, call);
    return call;
  }

  private end(key: string, call: SharedCall<T>, reason: unknown): void {
    if (this.calls.get(key) === call) this.calls.delete(key);
    // does nothing to a call that is over
    call.controller.abort(reason);
  }
}
