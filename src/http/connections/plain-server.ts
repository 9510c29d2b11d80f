import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type Request } from 'express';

/** Whether Express has prepared the request: a server without it adds no `get`. */
const isPrepared = (req: IncomingMessage): boolean =>
  typeof (req as Partial<Request>).get === 'function';

const apps = new Map<number, Express>();

/** An app that only lends its prototypes and its settings. */
function lender(trustedProxies: number): Express {
  let app = apps.get(trustedProxies);
  if (!app) {
    app = express().set('trust proxy', (_address: string, hop: number) => hop < trustedProxies);
    apps.set(trustedProxies, app);
  }
  return app;
}

/**
 * Gives a request and its response what Express adds to them (`req.query`, `req.ip`, `res.cookie`),
 * if their server is plain `http`, Connect or another framework. What they have already stays as it
 * is. Does nothing to a request of an Express app.
 * @param trustedProxies the number of reverse proxies in front, for `req.ip`
 */
export function prepareRequest(res: ServerResponse, trustedProxies: number): void {
  const req = (res as { req?: IncomingMessage & { res?: ServerResponse } }).req;
  if (req === undefined || isPrepared(req)) return;
  const app = lender(trustedProxies);
  req.res = res;
  lend(req, app.request);
  lend(res, app.response);
}

/** Prototypes by what is lent, then by the original prototype: made once, not for each request. */
const lent = new WeakMap<object, WeakMap<object, object>>();

/** Puts a prototype with Express's members between the object and its own prototype. */
function lend(borrower: object, members: object): void {
  const own = Object.getPrototypeOf(borrower) as object;
  const made = lent.get(members) ?? new WeakMap<object, object>();
  lent.set(members, made);
  let prototype = made.get(own);
  if (!prototype) made.set(own, (prototype = withMembers(own, members)));
  Object.setPrototypeOf(borrower, prototype);
}

/** Adds the members that the prototype does not have. */
function withMembers(own: object, members: object): object {
  const prototype = Object.create(own) as object;
  for (const source of [Object.getPrototypeOf(members) as object, members])
    for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(source)))
      if (!(name in own)) Object.defineProperty(prototype, name, member);
  return prototype;
}
