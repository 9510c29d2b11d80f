import type { RequestHandler } from 'express';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { clientLeft, contextOf } from './context.js';

/**
 * Waits until the caller may have one more request in progress (`limits.maxConcurrent`,
 * `limits.maxAccountConcurrent`). Stands after `authenticate`, which names the account, and before
 * the body is read: whether a request streams is not known yet.
 */
export function waitForSlot(parts: GatewayParts): RequestHandler {
  return (_req, res, next) => {
    const { queue } = parts.state.load;
    if (!queue.isBounded) {
      next();
      return;
    }
    try {
      // `close` was emitted while the key was looked up, and would never give the slot back
      if (res.closed) throw clientLeft();
      const slot = queue.take(contextOf(parts, res).request.caller, 'whole');
      res.once('close', () => slot.end(clientLeft));
      if (slot.ready) slot.ready.then(() => next(), next);
      else next();
    } catch (error) {
      next(error);
    }
  };
}
