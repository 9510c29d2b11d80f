import { newRowId } from '../row-id.js';
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { GatewayError } from '../errors.js';
import { finishRequest } from '../pipeline/afterwards/finish-request.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';
import { contextOf, type HttpContext } from './context.js';
import { endIfStalled } from './connections/stalled-responses.js';
import { completionSurfaces, pathsOf } from './surfaces/completion-surfaces.js';
import type { Surface } from './surfaces/surface.js';

/** The status that proxies log if the client closed the connection before the answer. */
const clientClosedStatus = 499;

/**
 * The first stage of every route: sets the request's surface, and reports the request once when it
 * has ended.
 * @param of the surface, or a function that chooses it by the request's headers
 * @param sheds whether requests are refused while the event loop is late
 */
export function track(
  parts: GatewayParts,
  of: Surface | ((headers: IncomingHttpHeaders) => Surface),
  sheds = false,
): RequestHandler {
  const { shedder } = parts.state.load;
  const refuse = shedRefusal(parts);
  return (req, res, next) => {
    const surface = typeof of === 'function' ? of(req.headers) : of;
    if (sheds && !shedder.admits) {
      refuse(req, res, surface);
      return;
    }
    const context = contextOf(parts, res);
    const { request } = context;
    const { record } = request;
    context.surface = surface;
    request.surface = surface.label;
    record.traceId = clientsTrace(req.headers);
    parts.tracing?.begin(request, req.headers, tracedHttp(req));
    if (surface.requestIdHeader) res.setHeader(surface.requestIdHeader, request.id);
    // Node reports a response as finished even if its last bytes were dropped
    endIfStalled(res, request.snapshot.limits.clientIdleMs, () => {
      if (!request.recording?.isRunning) record.code ??= 'client_closed';
    });
    // in a host's app the client may have left before
    if (sheds && !res.closed) shedder.begin();
    const report = (): void => {
      record.status =
        record.code === 'client_closed' ? clientClosedStatus : (record.status ?? res.statusCode);
      finishRequest(parts, request);
    };
    res.once('close', () => {
      if (sheds) shedder.end();
      // the error handler runs after the recording has ended
      if (request.recording?.isRunning) request.recording.whenOver(() => setImmediate(report));
      else if (res.writableFinished) report();
      else {
        // a stream that failed after its 200 has set its code already
        record.code ??= parts.state.running.isCut ? 'unavailable' : 'client_closed';
        // the upstream call is cancelled in this turn of the event loop and records its usage
        setImmediate(report);
      }
    });
    if (request.trace) request.trace.run(() => greetBrowser(req, res, context, next));
    else greetBrowser(req, res, context, next);
  };
}

/** The trace id of a client's `traceparent`, whether or not the gateway traces; null: none. */
const clientsTrace = ({ traceparent }: IncomingHttpHeaders): string | null =>
  /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/.exec(String(traceparent))?.[1] ??
  null;

/** The longest path in a span. */
const maxPath = 256;

/** Attributes of a request's span. Of several patterns of a route the first: others are older. */
function tracedHttp({ method, protocol, baseUrl, path, route }: Request): Record<string, string> {
  const [pattern = ''] = [(route as { path?: unknown } | undefined)?.path].flat();
  return {
    'http.request.method': method,
    'http.route': `${baseUrl}${String(pattern)}`,
    'url.path': `${baseUrl}${path}`.slice(0, maxPath),
    'url.scheme': protocol,
  };
}

/**
 * Makes the function that refuses requests while the event loop is late. Refusing must cost little:
 * nothing is read, looked up or logged, and answers of the same second are the same bytes.
 */
function shedRefusal({ current, metrics, state: { load } }: GatewayParts) {
  const answers = new Map<Surface, { at: number; headers: OutgoingHttpHeaders; body: string }>();
  return (req: IncomingMessage, res: ServerResponse, surface: Surface): void => {
    const retryAfterMs = load.shedder.refuse();
    metrics.shed('event_loop');
    answerCors(req, res, current().browser.origins);
    const now = performance.now();
    let answer = answers.get(surface);
    if (!answer || now - answer.at > 1_000) {
      const id = newRowId();
      const error = new GatewayError('overloaded', 'the gateway is busy: try again later');
      const body = JSON.stringify(surface.errorBody(error, id));
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
        'Retry-After': Math.max(1, Math.ceil(retryAfterMs / 1_000)),
        'X-Content-Type-Options': 'nosniff',
        'X-Request-Id': id,
      };
      answers.set(surface, (answer = { at: now, headers, body }));
    }
    const { headers, body } = answer;
    // A client that is refused sends again at once. Answered at once, a thousand of them keep libuv
    // reading sockets, and timers and connections of undici that wait for their turn get none.
    // Text, not bytes: Node sends it in one piece with the head.
    setImmediate(() => res.headersSent || res.writeHead(503, headers).end(body));
  };
}

/**
 * Refuses completions while the event loop is late, as `track` does, for a server that can ask before
 * Express: its routers are a third of what a refusal costs.
 * @returns whether the request has been answered
 */
export function shedEarly(
  parts: GatewayParts,
): (req: IncomingMessage, res: ServerResponse) => boolean {
  const { shedder } = parts.state.load;
  const refuse = shedRefusal(parts);
  const surfaces = new Map(
    completionSurfaces.flatMap((surface) => pathsOf(surface).map((path) => [path, surface])),
  );
  return (req, res) => {
    if (shedder.admits || req.method !== 'POST') return false;
    const surface = surfaces.get(req.url ?? '');
    if (surface) refuse(req, res, surface);
    return surface !== undefined;
  };
}

/** The first stage of pages that are polled (health, metrics): sets an id, reports nothing. */
export function untracked(parts: GatewayParts): RequestHandler {
  return (req, res, next) => {
    const context = contextOf(parts, res);
    endIfStalled(res, context.request.snapshot.limits.clientIdleMs);
    greetBrowser(req, res, context, next);
  };
}

/** Sets the headers of every answer for browsers. Calls `next` unless it answered a preflight. */
function greetBrowser(
  req: Request,
  res: Response,
  { request }: HttpContext,
  next: NextFunction,
): void {
  try {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    if (answerCors(req, res, request.snapshot.browser.origins)) return;
  } catch (error) {
    next(error);
    return;
  }
  next();
}

/** How long a browser may keep the answer to a preflight, in seconds. */
const preflightSeconds = 600;

/**
 * Lets pages of allowed origins read the answer (CORS), and answers preflights. Credentials are
 * never allowed: a page of another origin needs a key, and cannot use a cookie.
 * @param origins as in `BrowserRules`
 * @returns true if this was a preflight and has been answered
 * @throws GatewayError `forbidden` for a preflight of an origin that is not allowed
 */
function answerCors(
  { headers, method }: IncomingMessage,
  res: ServerResponse,
  origins: readonly string[],
): boolean {
  const { origin } = headers;
  if (origin === undefined && origins.length === 0) return false;
  const isPreflight =
    method === 'OPTIONS' &&
    origin !== undefined &&
    headers['access-control-request-method'] !== undefined;
  const everyone = origins.includes('*');
  // caches must not give the answer for one origin to another
  if (origins.length > 0 && !everyone) res.setHeader('Vary', 'Origin');
  if (origin === undefined || !(everyone || origins.includes(origin))) {
    if (isPreflight) throw closed();
    return false;
  }
  res.setHeader('Access-Control-Allow-Origin', everyone ? '*' : origin);
  res.setHeader('Access-Control-Expose-Headers', '*');
  if (isPreflight) answerPreflight(headers['access-control-request-headers'], res);
  return isPreflight;
}

/** With these a page would pass for one of the gateway's own. */
const ofProxies = /^\s*(?:x-)?forwarded/i;

function answerPreflight(askedHeaders: string | undefined, res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE');
  // SDKs send headers of their own, which differ between versions
  const allowed = askedHeaders?.split(',').filter((name) => !ofProxies.test(name));
  if (allowed) res.setHeader('Access-Control-Allow-Headers', allowed.join(','));
  res.setHeader('Access-Control-Max-Age', preflightSeconds);
  res.statusCode = 204;
  res.end();
}

const closed = (): GatewayError =>
  new GatewayError(
    'forbidden',
    'origin: pages of this origin may not call the gateway; the setting cors.allowedOrigins names those that may',
  );
