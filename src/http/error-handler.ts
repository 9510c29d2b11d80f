import type { ErrorRequestHandler } from 'express';
import type { ServerResponse } from 'node:http';
import { GatewayError, statusTitle } from '../errors.js';
import { recordFailure } from '../telemetry/observed-request.js';
import { contextOf, type HttpContext } from './context.js';
import { malformedJson } from './bodies/parse-body.js';
import { surfaceAt } from './surfaces/completion-surfaces.js';
import { nativeErrorBody } from './surfaces/native-error.js';
import { openAIErrors } from './surfaces/openai-error.js';
import type { GatewayParts } from '../pipeline/engine/gateway-parts.js';

/** What was thrown as a GatewayError: other frameworks' 4xx status stays, else `internal`. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const {
    statusCode,
    status = statusCode,
    type,
    body,
  } = (typeof error === 'object' && error !== null ? error : {}) as {
    status?: unknown;
    statusCode?: unknown;
    type?: unknown;
    body?: unknown;
  };
  if (type === 'entity.parse.failed')
    return malformedJson(typeof body === 'string' ? body : '{}', error);
  if (type === 'entity.too.large')
    return new GatewayError('payload_too_large', 'the body is too large', { cause: error });
  if (error instanceof URIError || status === 400)
    return new GatewayError('bad_request', 'the request cannot be read', { cause: error });
  // not the error's own message, which may quote the request
  if (typeof status === 'number' && status > 400 && status < 500)
    return new GatewayError('bad_request', statusTitle(status), { cause: error, status });
  return new GatewayError(
    'internal',
    'internal error; the log has the details under the request id',
    { cause: error },
  );
}

/** The only function that writes an error response. Destroys a response that has started. */
export function writeError(
  res: ServerResponse,
  failure: GatewayError,
  { request, surface }: HttpContext,
): void {
  recordFailure(request.record, failure);
  const error = failure.forClients();
  // destroyed: the client of a recorded answer may have left long ago
  if (error.code === 'client_closed' || res.headersSent || res.destroyed) {
    if (!res.headersSent) request.record.status = error.status;
    res.destroy();
    return;
  }
  const body = Buffer.from(
    JSON.stringify(surface ? surface.errorBody(error, request.id) : nativeErrorBody(error)),
  );
  res.statusCode = surface?.statusOf?.(error) ?? error.status;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', body.length);
  if (error.status === 429 || error.status === 503)
    res.setHeader('Retry-After', retryAfterSeconds(error));
  // the gateway has retried already, and a budget does not recover within a client's retry delays;
  // Claude Code repeats even a request whose key is refused. An overloaded provider was not called
  const { code, errorTrace } = error;
  const isTried = errorTrace.length > 0 && code !== 'overloaded';
  if (!error.retriable || isTried || code.startsWith('budget_'))
    res.setHeader('x-should-retry', 'false');
  if (error.status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  res.end(body);
}

/** Whole seconds, at most a year: clients cannot parse the exponents of larger numbers. */
const retryAfterSeconds = ({ retryAfterMs }: GatewayError): string =>
  String(Math.min(31_536_000, Math.max(1, Math.ceil((retryAfterMs ?? 1_000) / 1_000))));

/** Under any mount path; `/api/v1/models` has the native shape. */
const openAIPath = /(?<!\/api)\/v1\/(embeddings|models|rerank)(?=$|[/?])/i;

/** The last stage of each router: answers errors in the surface's own shape. */
export function errorHandler(parts: GatewayParts): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters
  return (thrown: unknown, req, res, _next) => {
    const error = asGatewayError(thrown);
    const context = contextOf(parts, res);
    if (error.code === 'internal') parts.log.failure(context.request, error);
    // an error of the host's body parser comes before the route has set its surface
    context.surface ??=
      surfaceAt(req.originalUrl) ??
      (openAIPath.test(req.originalUrl) ? openAIErrors('other') : null);
    writeError(res, error, context);
  };
}
