import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import type { RequestHandler as ProxyHandler } from 'http-proxy-middleware';
import { hasBudget } from '../accounts/rate-limiter.js';
import { networkFailure } from '../dispatch/network-failure.js';
import type { Provider } from '../dispatch/provider.js';
import { GatewayError } from '../errors.js';
import type { Passthrough } from '../providers/adapter.js';
import { isPassthroughHeader, sdkKeyHeaders } from '../providers/passthrough-headers.js';
import { bearerKey } from './authenticate.js';
import { bodyAgain } from './body-again.js';
import { contextOf, sendRateLimits } from './context.js';
import type { GatewayRequest } from '../pipeline/request.js';
import { writeError } from './error-handler.js';
import type { Parts } from '../pipeline/parts.js';
import type { GatewaySnapshot } from '../pipeline/snapshot.js';
import { stage } from './stage.js';
import { isBounded, takeLimits } from '../pipeline/limits.js';
import { refuseClimbing, upstreamPath, withoutKey } from './upstream-path.js';

/** What a client's request may carry up to a provider beside the configured headers: what describes its content. */
const contentHeaders = new Set([
  'accept',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'accept-language',
  'range',
  'content-range',
]);
const isKeyHeader = (name: string): boolean =>
  name === 'authorization' || sdkKeyHeaders.includes(name);
/** What does not come down: cookies, and what holds for the connection to the provider alone. */
const keptHeaders = [
  'set-cookie',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'trailer',
  'upgrade',
];

/** Our key wherever a provider's own SDK puts its key. */
export function proxyKey(headers: IncomingHttpHeaders, url: string): string | null {
  const bearer = bearerKey(headers);
  if (bearer) return bearer;
  for (const name of sdkKeyHeaders) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  const query = url.indexOf('?');
  return query === -1 ? null : new URLSearchParams(url.slice(query)).get('key');
}

interface Route {
  target: Passthrough;
  /** The configured provider's name. */
  name: string;
  path: string;
  /** All that goes up. */
  headers: Record<string, string>;
  clientHeaders: IncomingHttpHeaders;
  /** What a host's parser has read already, to be sent again. */
  body: Buffer | null;
}

const routes = new WeakMap<IncomingMessage, Route>();

/**
 * `/<provider>/…`: any path of a provider's own API. Our key is taken off and the provider's put on; cookies, forwarding headers and
 * everything else that is the client's own stay here unless the configuration lets them pass. Streams are not buffered.
 */
export function passthrough(parts: Parts): RequestHandler[] {
  return [routeStage(parts), proxyStage(parts)];
}

/** A key that is bound to models may pass through only where it may use every model: which one is meant stands in a body that nobody reads. */
function mayUseAll(models: readonly string[] | null, provider: string): boolean {
  return (
    models === null ||
    models.some((pattern) => pattern === '*' || pattern.toLowerCase() === `${provider}/*`)
  );
}

/** The provider and the path that a URL addresses: `/<provider>/<path>`. @throws GatewayError `not_found` */
function addressed(
  url: string,
  { proxy, providers }: GatewaySnapshot,
): { name: string; provider: Provider; path: string } {
  const slash = url.indexOf('/', 1);
  const end = slash === -1 ? url.indexOf('?') : slash;
  const name = decodeURIComponent(url.slice(1, end === -1 ? undefined : end));
  const provider = proxy.enabled && proxy.allowed.has(name) ? providers.get(name) : undefined;
  if (!provider || slash === -1)
    throw new GatewayError(
      'not_found',
      `proxy: there is no provider ${JSON.stringify(name)} to pass through to`,
    );
  return { name, provider, path: url.slice(slash) };
}

function routeStage(parts: Parts): RequestHandler {
  return stage(async (req, res) => {
    const { request } = contextOf(parts, res);
    const { snapshot, caller } = request;
    const { name, provider, path } = addressed(req.url, snapshot);
    if (!mayUseAll(caller.models, name))
      throw new GatewayError(
        'forbidden',
        `proxy: this key may use some models only, and requests to ${name} are passed through unread`,
      );
    if (isBounded(caller)) await countPassthrough(parts, request, res, name);
    const target = provider.adapter.passthrough;
    if (!target)
      throw new GatewayError(
        'not_implemented',
        `proxy: ${name} cannot be passed through to (its requests are signed)`,
      );
    request.record.provider = name;
    refuseClimbing(path);
    const body = bodyAgain(req);
    const auth = await target.headers(provider.keys.next());
    const headers = {
      ...chosenHeaders(req.headers, snapshot),
      ...(body ? { 'content-length': String(body.length) } : {}),
      ...auth,
    };
    routes.set(req, {
      target,
      name,
      path: upstreamPath(target.baseUrl, withoutKey(path)),
      headers: body ? withoutCodings(headers) : headers,
      clientHeaders: req.headers,
      body,
    });
  });
}

/** What passes through is counted as a request; nobody knows what else it uses. */
async function countPassthrough(
  parts: Parts,
  request: GatewayRequest,
  res: Response,
  name: string,
): Promise<void> {
  const { caller, snapshot: runtime } = request;
  const counted = hasBudget(caller.limits)
    ? 'has a budget'
    : caller.limits.tokensPerMinute === null
      ? null
      : 'has a limit of tokens';
  if (counted !== null && !runtime.budgets.allowUnpriced)
    throw new GatewayError(
      'forbidden',
      `proxy: this key ${counted}, and what passes through to ${name} is not counted`,
    );
  const settle = await takeLimits(parts, request, { requests: 1, tokens: 0, costUsd: 0 }).finally(
    () => sendRateLimits(request, res),
  );
  settle();
}

function chosenHeaders(
  headers: IncomingHttpHeaders,
  runtime: GatewaySnapshot,
): Record<string, string> {
  // where keys are required, what stands where a key belongs is ours
  const forwarded = runtime.proxy.forwardHeaders.filter(
    (name) => !runtime.keysRequired || !isKeyHeader(name),
  );
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (
      typeof value === 'string' &&
      (contentHeaders.has(name) || isPassthroughHeader(name) || forwarded.includes(name))
    )
      chosen[name] = value;
  }
  return chosen;
}

/** A parser has undone them. */
function withoutCodings({
  'transfer-encoding': _transfer,
  'content-encoding': _content,
  ...headers
}: Record<string, string>): Record<string, string> {
  return headers;
}

/** The proxy is imported when it is first used: most gateways never do. */
function proxyStage(parts: Parts): RequestHandler {
  let proxy: Promise<Proxy> | undefined;
  return (req, res, next) => {
    (proxy ??= createProxy(parts))
      .then((handle) => {
        // the proxy sends on whatever headers it finds
        req.headers = { ...routeOf(req).headers };
        readToTheEnd(req, res);
        return handle(req, res, next);
      })
      .catch(next);
  };
}

/** Where the answer came before the request was read, nobody reads the rest of it, and the connection would serve nothing more. */
function readToTheEnd(req: IncomingMessage, res: Response): void {
  res.once('close', () => {
    if (req.complete) return;
    req.unpipe();
    req.resume();
  });
}

type Proxy = ProxyHandler<IncomingMessage, Response>;

async function createProxy(parts: Parts): Promise<Proxy> {
  const { createProxyMiddleware } = await import('http-proxy-middleware');
  return createProxyMiddleware<IncomingMessage, Response>({
    changeOrigin: true,
    xfwd: false,
    // the path as it came, without url.parse's improvements
    toProxy: true,
    proxyTimeout: 0,
    router: (req) => new URL(routeOf(req).target.baseUrl).origin,
    pathRewrite: (_path, req) => routeOf(req).path,
    on: {
      proxyReq: sendUp,
      proxyRes: sendDown,
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

function routeOf(req: IncomingMessage): Route {
  const route = routes.get(req);
  if (!route) throw new GatewayError('internal', 'a pass-through without a route');
  return route;
}

function sendUp(upstream: ClientRequest, req: IncomingMessage, res: Response): void {
  const { headers, clientHeaders, body } = routeOf(req);
  // the proxy adds some of its own, and takes others off a DELETE
  for (const name of upstream.getHeaderNames())
    if (name !== 'host' && !(name in headers)) upstream.removeHeader(name);
  for (const [name, value] of Object.entries(headers)) upstream.setHeader(name, value);
  req.headers = clientHeaders;
  res.once('close', () => {
    if (!res.writableFinished) upstream.destroy();
  });
  if (body) upstream.write(body);
}

function sendDown(answer: IncomingMessage, _req: IncomingMessage, res: Response): void {
  for (const name of keptHeaders) Reflect.deleteProperty(answer.headers, name);
  // an answer that breaks off must not look whole
  answer.once('close', () => {
    if (!answer.complete) res.destroy();
  });
}
