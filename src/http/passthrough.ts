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
import { refuseDotSegments, upstreamPath, withoutKey } from './upstream-path.js';

/** Request headers that are always forwarded, because they describe the content. */
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
/**
 * Response headers that are not forwarded: cookies, and those of the connection to the provider.
 */
const blockedHeaders = [
  'set-cookie',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'trailer',
  'upgrade',
];

/**
 * The gateway's API key, read from any place where a provider's SDK puts a key: headers, or
 * `?key=`.
 */
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
  /** The complete headers for the provider. */
  headers: Record<string, string>;
  clientHeaders: IncomingHttpHeaders;
  /** The body, if the host's own parser has read it already. */
  body: Buffer | null;
}

const routes = new WeakMap<IncomingMessage, Route>();

/**
 * `/<provider>/…`: any path of a provider's own API. The gateway's key is replaced by the
 * provider's. Cookies, forwarding headers and other headers of the client are removed unless
 * `proxy.forwardHeaders` names them. Streams are not buffered.
 */
export function passthrough(parts: Parts): RequestHandler[] {
  return [routeStage(parts), proxyStage(parts)];
}

/**
 * Whether a key may use every model of a provider: pass-through does not read which model a body
 * names.
 */
function mayUseAll(models: readonly string[] | null, provider: string): boolean {
  return (
    models === null ||
    models.some((pattern) => pattern === '*' || pattern.toLowerCase() === `${provider}/*`)
  );
}

/**
 * Splits `/<provider>/<path>`.
 * @throws GatewayError `not_found` if no such provider allows pass-through
 */
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
      `proxy: there is no provider ${JSON.stringify(name)} that allows pass-through`,
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
        `proxy: this API key is limited to some models, but the model of a request passed through to ${name} is not checked`,
      );
    if (isBounded(caller)) await countPassthrough(parts, request, res, name);
    const target = provider.adapter.passthrough;
    if (!target)
      throw new GatewayError(
        'not_implemented',
        `proxy: ${name} does not support pass-through (its requests are signed)`,
      );
    request.record.provider = name;
    refuseDotSegments(path);
    const body = bodyAgain(req);
    const auth = await target.headers(provider.keys.next());
    const headers = {
      ...forwardedHeaders(req.headers, snapshot),
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

/** Counts a passed-through request; its tokens and cost are unknown. */
async function countPassthrough(
  parts: Parts,
  request: GatewayRequest,
  res: Response,
  name: string,
): Promise<void> {
  const { caller, snapshot } = request;
  const counted = hasBudget(caller.limits)
    ? 'has a budget'
    : caller.limits.tokensPerMinute === null
      ? null
      : 'has a token limit';
  if (counted !== null && !snapshot.budgets.allowUnpriced)
    throw new GatewayError(
      'forbidden',
      `proxy: this API key ${counted}, but the usage of requests passed through to ${name} is not counted`,
    );
  const settle = await takeLimits(parts, request, { requests: 1, tokens: 0, costUsd: 0 }).finally(
    () => sendRateLimits(request, res),
  );
  settle();
}

function forwardedHeaders(
  headers: IncomingHttpHeaders,
  { proxy, keysRequired }: GatewaySnapshot,
): Record<string, string> {
  // if keys are required, a key header of the request holds the gateway's own key
  const forwarded = proxy.forwardHeaders.filter((name) => !keysRequired || !isKeyHeader(name));
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

/** The host's parser has decoded the body, so its encodings no longer apply. */
function withoutCodings({
  'transfer-encoding': _transfer,
  'content-encoding': _content,
  ...headers
}: Record<string, string>): Record<string, string> {
  return headers;
}

/** Imports the proxy library at its first use, because most gateways never need it. */
function proxyStage(parts: Parts): RequestHandler {
  let proxy: Promise<Proxy> | undefined;
  return (req, res, next) => {
    (proxy ??= createProxy(parts))
      .then((handle) => {
        // the proxy library forwards all headers that it finds
        req.headers = { ...routeOf(req).headers };
        discardUnread(req, res);
        return handle(req, res, next);
      })
      .catch(next);
  };
}

/**
 * Discards the rest of a request whose answer came early: an unread rest would block the
 * connection.
 */
function discardUnread(req: IncomingMessage, res: Response): void {
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
    // keeps the path unchanged; url.parse would normalize it
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
  if (!route) throw new GatewayError('internal', 'pass-through: no route was prepared');
  return route;
}

function sendUp(upstream: ClientRequest, req: IncomingMessage, res: Response): void {
  const { headers, clientHeaders, body } = routeOf(req);
  // the proxy library adds headers of its own and removes some of a DELETE
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
  for (const name of blockedHeaders) Reflect.deleteProperty(answer.headers, name);
  // a truncated answer must not look complete
  answer.once('close', () => {
    if (!answer.complete) res.destroy();
  });
}
