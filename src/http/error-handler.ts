import type { ErrorRequestHandler } from 'express';
import type { ServerResponse } from 'node:http';
import { GatewayError, statusTitle } from '../errors.js';
import { contextOf, type HttpContext } from './context.js';
import type { Parts } from '../pipeline/parts.js';

/** The native error body: `{error, message}` and the error trace where there is one. */
export function nativeErrorBody(error: GatewayError): object {
  return {
    error: statusTitle(error.status),
    message: error.message,
    ...(error.errorTrace.length > 0 ? { errorTrace: error.errorTrace } : {}),
  };
}

/** Whatever was thrown, as a GatewayError: other frameworks' errors keep a 4xx status, all else is a fault of ours. */
export function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const { status, type } = (typeof error === 'object' && error !== null ? error : {}) as {
    status?: unknown;
    type?: unknown;
  };
  if (type === 'entity.parse.failed')
    return new GatewayError('malformed_json', 'the body is not valid JSON', { cause: error });
  if (type === 'entity.too.large')
    return new GatewayError('payload_too_large', 'the body is too large', { cause: error });
  if (error instanceof URIError || status === 400)
    return new GatewayError('bad_request', 'the request cannot be read', { cause: error });
  // not its own message, which may repeat what somebody wrote
  if (typeof status === 'number' && status > 400 && status < 500)
    return new GatewayError('bad_request', statusTitle(status), { cause: error, status });
  return new GatewayError(
    'internal',
    'something went wrong here; the request id names it in the log',
    { cause: error },
  );
}

/** The only place that writes an error as an answer. */
export function writeError(
  res: ServerResponse,
  error: GatewayError,
  { request, surface }: HttpContext,
): void {
  request.record.code = error.code;
  if (error.code === 'client_closed' || res.headersSent) {
    res.destroy();
    return;
  }
  const body = Buffer.from(
    JSON.stringify(surface ? surface.errorBody(error) : nativeErrorBody(error)),
  );
  res.statusCode = error.status;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', body.length);
  if (error.status === 429 || error.status === 503)
    res.setHeader('Retry-After', retryAfterSeconds(error));
  // our retries are done, a client's own would multiply them; and a budget is not back in a moment
  if (error.errorTrace.length > 0 || error.code === 'budget_spent')
    res.setHeader('x-should-retry', 'false');
  if (error.status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  res.end(body);
}

/** Whole seconds, a year at most: larger numbers are written with an exponent, which no client reads. */
function retryAfterSeconds({ retryAfterMs }: GatewayError): string {
  return String(Math.min(31_536_000, Math.max(1, Math.ceil((retryAfterMs ?? 1_000) / 1_000))));
}

/** The last stage of every router of ours: answers in the surface's own error shape. */
export function errorHandler(parts: Parts): ErrorRequestHandler {
  // Express knows an error handler by its four parameters
  return (thrown: unknown, _req, res, _next) => {
    const error = asGatewayError(thrown);
    const context = contextOf(parts, res);
    if (error.code === 'internal') parts.log.failure(context.request, error);
    writeError(res, error, context);
  };
}
