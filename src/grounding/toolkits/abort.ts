import { untilAborted } from '../../async/until-aborted.js';
import { GatewayError } from '../../errors.js';

/** Why a signal ended a call, as an error. */
export const endOf = ({ reason }: AbortSignal): GatewayError =>
  reason instanceof GatewayError
    ? reason
    : new GatewayError('client_closed', 'the request was cancelled', { cause: reason });

/**
 * Settles as `work` does, or fails when the signal is aborted. The work itself goes on: others may
 * wait for it.
 * @throws GatewayError the reason of the signal
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await untilAborted(work, signal);
  } catch (error) {
    throw signal.aborted ? endOf(signal) : error;
  }
}
