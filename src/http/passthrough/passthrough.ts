import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { budgetOwner, hasTokenLimit, isLimited } from '../../accounts/caller-limits.js';
import type { Caller } from '../../accounts/caller.js';
import { nextKey, type Provider } from '../../dispatch/provider.js';
import { secretsOf } from '../../dispatch/secrets.js';
import { GatewayError } from '../../errors.js';
import { takeLimits } from '../../pipeline/limits.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { GatewayRequest } from '../../pipeline/request.js';
import type { GatewaySnapshot } from '../../pipeline/engine/snapshot.js';
import { contextOf, sendRateLimits } from '../context.js';
import { stage } from '../stage.js';
import { forwardedHeaders, sessionOf, withoutCodings } from './headers.js';
import { prepareRoute, proxyStage } from './proxy-stage.js';
import type { BodyCarrier } from '../bodies/read-body.js';

/**
 * `/<provider>/…`: any path of a provider's own API. The gateway's key is replaced by the
 * provider's. Cookies, forwarding headers and other headers of the client are removed unless
 * `proxy.forwardHeaders` names them. Streams are not buffered.
 */
export function passthrough(parts: GatewayParts): RequestHandler[] {
  return [routeStage(parts), proxyStage(parts)];
}

/** Whether a key may use all of a provider's models: pass-through does not read their names. */
export const mayUseAll = (models: readonly string[] | null, provider: string): boolean =>
  models === null ||
  models.some((pattern) => pattern === '*' || pattern.toLowerCase() === `${provider}/*`);

/**
 * Splits `/<provider>/<path>`.
 * @throws GatewayError `not_found` if no such provider allows pass-through
 */
export function addressed(
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

function routeStage(parts: GatewayParts): RequestHandler {
  return stage(async (req, res) => {
    const { request } = contextOf(parts, res);
    const { snapshot, caller } = request;
    refuseNavigation(req.headers);
    // its answer repeats the request, with the provider's key, and is a success
    if (req.method === 'TRACE')
      throw new GatewayError('method_not_allowed', 'proxy: TRACE is not passed through');
    // the client chose the name and the path, which the log must not repeat
    request.prompt = req.url.split('/');
    const { name, provider, path } = addressed(req.url, snapshot);
    request.prompt = path;
    if (!mayUseAll(caller.models, name))
      throw new GatewayError(
        'forbidden',
        `proxy: this API key is limited to some models, but the model of a request passed through to ${name} is not checked`,
      );
    if (isLimited(caller)) await countPassthrough(parts, request, res, name);
    const target = provider.adapter.passthrough;
    if (!target)
      throw new GatewayError(
        'not_implemented',
        `proxy: ${name} does not support pass-through (its requests are signed)`,
      );
    request.record.provider = name;
    refuseDotSegments(path);
    const body = bodyAgain(req);
    const session = sessionOf(req.headers);
    const affinity = session === null ? null : () => `${caller.accountId}\0${session}`;
    const auth = await target.headers(nextKey(provider, { affinity }));
    const headers = {
      ...forwardedHeaders(req.headers, snapshot, caller.accountId),
      ...(body ? { 'content-length': String(body.length) } : {}),
      ...request.trace?.headersFor(target.baseUrl),
      ...auth,
    };
    prepareRoute(req, {
      target,
      name,
      path: upstreamPath(target.baseUrl, withoutKey(path)),
      headers: body ? withoutCodings(headers) : headers,
      clientHeaders: req.headers,
      secrets: [...provider.secrets, ...secretsOf([auth['authorization'] ?? ''])],
      body,
    });
  });
}

/** A browser must not show a provider's answer as a page of the gateway's own origin. */
function refuseNavigation(headers: IncomingHttpHeaders): void {
  if (headers['sec-fetch-mode'] === 'navigate')
    throw new GatewayError('forbidden', 'proxy: a browser cannot open an answer as a page');
}

/** The limit of a caller that needs the tokens or the cost of each request, in words; null: none. */
export function countedLimit(caller: Caller): string | null {
  const owner = budgetOwner(caller);
  if (owner !== null) return `this ${owner === 'key' ? 'API key' : owner} has a budget`;
  if (!hasTokenLimit(caller)) return null;
  return `this ${caller.limits.tokensPerMinute === null ? 'account' : 'API key'} has a token limit`;
}

/** Counts a passed-through request; its tokens and cost are unknown. */
async function countPassthrough(
  parts: GatewayParts,
  request: GatewayRequest,
  res: Response,
  name: string,
): Promise<void> {
  const { caller, snapshot } = request;
  const counted = countedLimit(caller);
  if (counted !== null && !snapshot.budgets.allowUnpriced)
    throw new GatewayError(
      'forbidden',
      `proxy: ${counted}, but the usage of requests passed through to ${name} is not counted`,
    );
  const settle = await takeLimits(parts, request, { requests: 1, tokens: 0, costUsd: 0 }).finally(
    () => sendRateLimits(request, res),
  );
  settle();
}

/**
 * The bytes of a body that the host app's parser has already read, so that they can be forwarded;
 * null if the body is unread or empty. JSON and forms are serialized again: the same values, not
 * always the same bytes.
 * @throws GatewayError `internal` if the parser kept nothing to forward, as multipart parsers do
 */
function bodyAgain(req: IncomingMessage & BodyCarrier): Buffer | null {
  const { body, headers } = req;
  if (
    !req.readableEnded ||
    (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0)
  )
    return null;
  if (Buffer.isBuffer(body)) return body;
  if (typeof body === 'string') return Buffer.from(body);
  const type = headers['content-type'] ?? '';
  if (typeof body !== 'object' || body === null || type.startsWith('multipart/'))
    throw new GatewayError(
      'internal',
      "proxy: the host app's body parser has consumed the body; mount the gateway before that parser",
    );
  return Buffer.from(
    type.startsWith('application/x-www-form-urlencoded') ? formOf(body) : JSON.stringify(body),
  );
}

function formOf(fields: object): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields) as [string, unknown][])
    addField(form, name, value);
  return form.toString();
}

function addField(form: URLSearchParams, name: string, value: unknown): void {
  if (Array.isArray(value)) for (const item of value) addField(form, name, item);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) addField(form, `${name}[${key}]`, inner);
  else form.append(name, String(value));
}

/** Everything that some server may take as a separator of path segments, encoded or not. */
const separators = /[/\\]|%2f|%5c/i;

/**
 * The path at the provider. SDKs include the API version in the path or in the base URL: both
 * `/proxy/x/v1/models` and `/proxy/x/models` reach `/v1/models` of a provider whose base URL ends
 * in `/v1`. Uploads and downloads precede the version: `/upload/v1/files`.
 */
export function upstreamPath(baseUrl: string, path: string): string {
  const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '');
  if (path === basePath || path.startsWith(`${basePath}/`)) return path;
  const root = /^(\/(upload|download))?\/v\d[^/]*\//.test(path)
    ? basePath.replace(/\/v\d[^/]*$/, '')
    : basePath;
  return root + path;
}

/** Path and query without `?key=`, where Google's clients put the gateway's own key. */
function withoutKey(path: string): string {
  const query = path.indexOf('?');
  if (query === -1) return path;
  // parsed as the key is parsed, so that encoded spellings of the name are removed too
  const kept = path
    .slice(query + 1)
    .split('&')
    .filter((part) => !new URLSearchParams(part).has('key'))
    .join('&');
  return kept === '' ? path.slice(0, query) : `${path.slice(0, query)}?${kept}`;
}

/**
 * Refuses paths that would leave the provider's base URL.
 * @throws GatewayError `bad_request` for `.` and `..` segments
 */
function refuseDotSegments(path: string): void {
  const segments = (path.split('?', 1)[0] ?? '').split(separators);
  // servers also end a segment at its parameters, at a fragment, or at a NUL
  if (segments.some((segment) => /^(\.|%2e){1,2}($|[;#]|%(3b|23|00))/i.test(segment)))
    throw new GatewayError('bad_request', 'proxy: a path must not have "." or ".." segments');
}
