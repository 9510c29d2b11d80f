import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { GatewayError } from '../errors.js';
import type { Passthrough } from '../providers/adapter.js';
import { bearerKey } from './authenticate.js';
import { contextOf } from './context.js';
import { writeError } from './error-handler.js';
import type { Parts } from './parts.js';
import { stage } from './stage.js';

/** What a client's request may carry up to a provider beside the configured headers: what describes its content. */
const contentHeaders = new Set(['accept', 'content-type', 'content-length', 'content-encoding', 'transfer-encoding', 'accept-language', 'range']);
/** Providers' own switches that their SDKs send; they hold no secrets. */
const providerHeaders = /^(anthropic-(version|beta)|openai-beta|x-stainless-[\w-]+|x-goog-api-client|x-amzn-bedrock-[\w-]+|idempotency-key|http-referer|x-title)$/;
const keyHeaders = ['x-api-key', 'api-key', 'x-goog-api-key'] as const;

/** Our key wherever a provider's own SDK puts its key. */
export function proxyKey(headers: IncomingHttpHeaders, url: string): string | null {
  const bearer = bearerKey(headers);
  if (bearer) return bearer;
  for (const name of keyHeaders) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  const query = url.indexOf('?');
  return query === -1 ? null : new URLSearchParams(url.slice(query)).get('key');
}

interface Route {
  target: Passthrough;
  headers: Record<string, string>;
  path: string;
}

const routes = new WeakMap<IncomingMessage, Route>();

/**
 * `/<provider>/…`: any path of a provider's own API. Our key is taken off and the provider's put on; cookies, forwarding headers and
 * everything else that is the client's own stay here unless the configuration lets them pass. Streams are not buffered.
 */
export function passthrough(parts: Parts): RequestHandler[] {
  return [routeStage(parts), proxyStage(parts)];
}

function routeStage(parts: Parts): RequestHandler {
  return stage(async (req, res) => {
    const runtime = (contextOf(res).runtime ??= parts.current());
    const slash = req.url.indexOf('/', 1);
    const name = decodeURIComponent(req.url.slice(1, slash === -1 ? (req.url.indexOf('?') === -1 ? undefined : req.url.indexOf('?')) : slash));
    const provider = runtime.proxy.enabled && runtime.proxy.allowed.has(name) ? runtime.providers.get(name) : undefined;
    if (!provider || slash === -1) throw new GatewayError('not_found', `proxy: there is no provider ${JSON.stringify(name)} to pass through to`);
    const target = provider.adapter.passthrough;
    if (!target) throw new GatewayError('not_implemented', `proxy: ${name} cannot be passed through to (its requests are signed)`);
    contextOf(res).record.provider = name;
    const auth = await target.headers(provider.keys.next());
    routes.set(req, { target, path: upstreamPath(target.baseUrl, withoutKey(req.url.slice(slash))), headers: { ...chosenHeaders(req.headers, runtime.proxy.forwardHeaders), ...auth } });
  });
}

/**
 * A provider's SDK says the version in its path or leaves it to the base address: both `/proxy/x/v1/models` and `/proxy/x/models` reach
 * `/v1/models` of a provider whose API's root ends in `/v1`.
 */
export function upstreamPath(baseUrl: string, path: string): string {
  const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '');
  if (path.startsWith(`${basePath}/`)) return path;
  const root = /^\/v\d[^/]*\//.test(path) ? basePath.replace(/\/v\d[^/]*$/, '') : basePath;
  return root + path;
}

/** `?key=` is where Google's clients put a key: ours must not travel on. */
function withoutKey(path: string): string {
  const query = path.indexOf('?');
  if (query === -1) return path;
  const kept = path.slice(query + 1).split('&').filter((part) => !/^key=/i.test(part)).join('&');
  return kept === '' ? path.slice(0, query) : `${path.slice(0, query)}?${kept}`;
}

function chosenHeaders(headers: IncomingHttpHeaders, forwarded: readonly string[]): Record<string, string> {
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && (contentHeaders.has(name) || providerHeaders.test(name) || forwarded.includes(name))) chosen[name] = value;
  }
  return chosen;
}

function proxyStage(parts: Parts): RequestHandler {
  const proxy = createProxyMiddleware<IncomingMessage, Response>({
    changeOrigin: true,
    xfwd: false,
    proxyTimeout: 0,
    router: (req) => new URL(routeOf(req).target.baseUrl).origin,
    pathRewrite: (_path, req) => routeOf(req).path,
    on: {
      proxyReq: (upstream, req) => sendOnly(upstream, req),
      proxyRes: (answer) => {
        delete answer.headers['set-cookie'];
      },
      error: (error, _req, res) => {
        if (!('headersSent' in res) || res.writableEnded) return;
        if (error instanceof GatewayError) parts.log.failure(contextOf(res), error);
        writeError(res, new GatewayError('connection_failed', 'the provider could not be reached', { cause: error }), contextOf(res).surface);
      },
    },
  });
  return (req, res, next) => void proxy(req, res, next);
}

function routeOf(req: IncomingMessage): Route {
  const route = routes.get(req);
  if (!route) throw new GatewayError('internal', 'a pass-through without a route');
  return route;
}

/** Replaces the client's headers by the chosen ones, and sends a body again that a host's parser has read. */
function sendOnly(upstream: ClientRequest, req: IncomingMessage & { body?: unknown }): void {
  const { headers } = routeOf(req);
  for (const name of upstream.getHeaderNames()) if (name !== 'host' && !(name in headers)) upstream.removeHeader(name);
  for (const [name, value] of Object.entries(headers)) upstream.setHeader(name, value);
  if (!req.readableEnded || typeof req.body !== 'object' || req.body === null || Object.keys(req.body).length === 0) return;
  const body = Buffer.from(JSON.stringify(req.body));
  upstream.setHeader('content-length', body.length);
  upstream.write(body);
}
