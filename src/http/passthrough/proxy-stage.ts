import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import type { RequestHandler as ProxyHandler } from 'http-proxy-middleware';
import { networkFailure } from '../../dispatch/network-failure.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { GatewayError } from '../../errors.js';
import type { Passthrough } from '../../providers/adapter.js';
import { contextOf } from '../context.js';
import { writeError } from '../error-handler.js';
import { sendAnswer } from './send-answer.js';

/** Where a passed-through request goes, and with which headers. */
interface PreparedRoute {
  target: Passthrough;
  /** The configured provider's name. */
  name: string;
  path: string;
  /** The complete headers for the provider. */
  headers: Record<string, string>;
  clientHeaders: IncomingHttpHeaders;
  /** Values that are removed from errors of the provider. */
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
function routeOf(req: IncomingMessage): PreparedRoute {
  const route = routes.get(req);
  if (!route) throw new GatewayError('internal', 'pass-through: no route was prepared');
  return route;
}

/**
 * Sends a prepared request to its provider, and the answer back. Imports the proxy library at its
 * first use, because most gateways never need it.
 */
export function proxyStage(parts: GatewayParts): RequestHandler {
  let proxy: Promise<Proxy> | undefined;
  return (req, res, next) => {
    (proxy ??= createProxy(parts))
      .then((handle) => {
        // the proxy library forwards all headers that it finds
        req.headers = { ...routeOf(req).headers };
        // the unread rest of a request answered early would block the connection
        res.once('close', () => {
          if (req.complete) return;
          req.unpipe();
          req.resume();
        });
        return handle(req, res, next);
      })
      .catch(next);
  };
}

type Proxy = ProxyHandler<IncomingMessage, Response>;

async function createProxy(parts: GatewayParts): Promise<Proxy> {
  const { createProxyMiddleware } = await import('http-proxy-middleware');
  return createProxyMiddleware<IncomingMessage, Response>({
    changeOrigin: true,
    xfwd: false,
    // keeps the path unchanged; url.parse would normalize it
    toProxy: true,
    proxyTimeout: 0,
    selfHandleResponse: true,
    router: (req) => new URL(routeOf(req).target.baseUrl).origin,
    pathRewrite: (_path, req) => routeOf(req).path,
    on: {
      proxyReq: sendUp,
      proxyRes: (answer, req, res) => sendAnswer(answer, res, routeOf(req)),
      error: (error, req, res) => {
        if (!('headersSent' in res) || res.writableEnded || res.destroyed) return;
        const failure = networkFailure(routeOf(req).name, error);
        const context = contextOf(parts, res);
        if (failure.code === 'internal') parts.log.failure(context.request, failure);
        writeError(res, failure, context);
      },
    },
  });
}

function sendUp(upstream: ClientRequest, req: IncomingMessage, res: Response): void {
  const { headers, clientHeaders, body } = routeOf(req);
  // the proxy library adds headers of its own and removes some of a DELETE
  for (const name of upstream.getHeaderNames())
    if (name !== 'host' && !(name in headers)) upstream.removeHeader(name);
  for (const [name, value] of Object.entries(headers)) upstream.setHeader(name, value);
  req.headers = clientHeaders;
  if (res.closed) upstream.destroy();
  res.once('close', () => {
    if (!res.writableFinished) upstream.destroy();
  });
  if (body) upstream.write(body);
}
