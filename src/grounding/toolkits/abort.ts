import { GatewayError } from '../../errors.js';

/** Why a signal ended a call, as an error. */
export function endOf({ reason }: AbortSignal): GatewayError {
  return reason instanceof GatewayError
    ? reason
    : new GatewayError('client_closed', 'the request was cancelled', { cause: reason });
}

/**
 * Settles as `work` does, or fails when the signal is aborted. The work itself goes on: others may
 * wait for it.
 * @throws GatewayError the reason of the signal
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => undefined);
    throw endOf(signal);
  }
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(endOf(signal));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
