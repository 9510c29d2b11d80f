import type { RequestHandler } from 'express';
import { finishRequest } from '../pipeline/finish-request.js';
import type { Parts } from '../pipeline/parts.js';
import { contextOf } from './context.js';
import type { Surface } from './surfaces/surface.js';

/** What proxies log for a client that closed its connection before the answer. */
const clientClosedStatus = 499;

/** The first stage of every route: gives the request its surface, and reports it once when it is over. */
export function track(parts: Parts, surface: Surface): RequestHandler {
  return (_req, res, next) => {
    const context = contextOf(parts, res);
    const { request } = context;
    context.surface = surface;
    request.surface = surface.name;
    const { record } = request;
    const report = (): void => {
      record.status = record.code === 'client_closed' ? clientClosedStatus : res.statusCode;
      finishRequest(parts, request);
    };
    res.once('close', () => {
      if (res.writableFinished) {
        report();
        return;
      }
      // a broken stream has said 200, and then the truth
      record.code ??= 'client_closed';
      // the upstream call is cancelled in this same turn, and records what it has used
      setImmediate(report);
    });
    next();
  };
}

/** The first stage of pages that health checks and scrapers ask for all the time: they have a request id, but are not reported. */
export function untracked(parts: Parts): RequestHandler {
  return (_req, res, next) => {
    contextOf(parts, res);
    next();
  };
}
