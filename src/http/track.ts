import type { RequestHandler } from 'express';
import { anonymous } from '../accounts/caller.js';
import { outcomesOf } from '../training/online/outcomes.js';
import { statedAnswer } from '../routing/longest-cost.js';
import { contextOf, type RequestContext } from './context.js';
import type { Parts } from './parts.js';
import type { Surface } from './surfaces/surface.js';

/** The first stage of every route: gives the request its surface, and has it logged and measured once when it is over. */
export function track(parts: Parts, surface: Surface): RequestHandler {
  return (_req, res, next) => {
    const context = contextOf(res);
    context.surface = surface;
    context.runtime ??= parts.current();
    const report = (): void => {
      context.record.status = context.record.code === 'client_closed' ? 499 : res.statusCode;
      parts.metrics.request(context);
      parts.log.request(context);
      parts.memory.requestLog.addRequest(context);
      learnOutcomes(parts, context);
    };
    res.once('close', () => {
      if (res.writableFinished) {
        report();
        return;
      }
      // a broken stream has said 200 and then the truth
      context.record.code ??= 'client_closed';
      // what is under way hears of it in this same turn, and puts down what it has used
      setImmediate(report);
    });
    next();
  };
}

/** How the models of a completion fared, for the account's later choices. */
function learnOutcomes(
  { memory }: Parts,
  { planned, runtime, caller, record: { attempts, finishReason, preferenceId } }: RequestContext,
): void {
  if (planned === null || !runtime?.routing.learning.enabled || attempts.length === 0) return;
  // as it was sent: a budget may have bounded what the client had not
  const isBounded = statedAnswer(planned.call.chat) !== null;
  memory.outcomes.add(
    { accountId: (caller ?? anonymous).accountId, preferenceId: preferenceId ?? '' },
    outcomesOf({ attempts, finishReason, isBounded }),
  );
}

/** The first stage of pages that are asked for all the time, by health checks and scrapers: they have a request id, but are not told of. */
export const named: RequestHandler = (_req, res, next) => {
  contextOf(res);
  next();
};
