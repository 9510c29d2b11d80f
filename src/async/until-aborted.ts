import { GatewayError } from '../errors.js';

/** As `work`, or rejects with the signal's reason; the work continues, for others may await it. */
export const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });

/** Why a signal was aborted: its own GatewayError, else `client_closed`. */
export const abortError = ({ reason }: AbortSignal): GatewayError =>
  reason instanceof GatewayError
    ? reason
    : new GatewayError('client_closed', 'the request was cancelled', { cause: reason });

/** As `untilAborted`, but rejects with `abortError`. */
export const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  untilAborted(work, signal).catch((error: unknown) => {
    throw signal.aborted ? abortError(signal) : error;
  });
