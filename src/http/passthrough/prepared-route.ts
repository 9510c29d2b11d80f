import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { GatewayError } from '../../errors.js';
import type { Passthrough } from '../../providers/adapter.js';

/** Where a passed-through request goes, and with which headers. */
export interface PreparedRoute {
  target: Passthrough;
  /** The configured provider's name. */
  name: string;
  path: string;
  /** The complete headers for the provider. */
  headers: Record<string, string>;
  clientHeaders: IncomingHttpHeaders;
  /** What an error of the provider must not repeat. */
  secrets: readonly string[];
  /** The body, if the host's own parser has read it already. */
  body: Buffer | null;
}

const routes = new WeakMap<IncomingMessage, PreparedRoute>();

/** Keeps the route of a request for the proxy library's hooks. */
export function prepareRoute(req: IncomingMessage, route: PreparedRoute): void {
  routes.set(req, route);
}

/** @throws GatewayError `internal` if no route was prepared */
export function routeOf(req: IncomingMessage): PreparedRoute {
  const route = routes.get(req);
  if (!route) throw new GatewayError('internal', 'pass-through: no route was prepared');
  return route;
}
