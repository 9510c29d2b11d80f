import type { RequestHandler } from 'express';
import { contextOf } from './context.js';
import type { Parts } from './parts.js';
import type { Surface } from './surfaces/surface.js';

/** The first stage of every route: gives the request its surface, and has it logged and measured once when it is over. */
export function track(parts: Parts, surface: Surface): RequestHandler {
  return (_req, res, next) => {
    const context = contextOf(res);
    context.surface = surface;
    context.runtime ??= parts.current();
    res.once('close', () => {
      // a broken stream has said 200 and then the truth
      if (!res.writableFinished) context.record.code ??= 'client_closed';
      context.record.status = context.record.code === 'client_closed' ? 499 : res.statusCode;
      parts.metrics.request(context);
      parts.log.request(context);
    });
    next();
  };
}
