import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../errors.js';

/** How long a browser may keep the answer to a preflight, in seconds. */
const preflightSeconds = 600;

/**
 * Lets pages of allowed origins read the answer (CORS), and answers preflights. Credentials are
 * never allowed: a page of another origin needs a key, and cannot use a cookie.
 * @param origins as in `BrowserRules`
 * @returns true if this was a preflight and has been answered
 * @throws GatewayError `forbidden` for a preflight of an origin that is not allowed
 */
export function answerCors(
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

function answerPreflight(askedHeaders: string | undefined, res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE');
  // SDKs send headers of their own, which differ between versions
  if (askedHeaders !== undefined) res.setHeader('Access-Control-Allow-Headers', askedHeaders);
  res.setHeader('Access-Control-Max-Age', preflightSeconds);
  res.statusCode = 204;
  res.end();
}

const closed = (): GatewayError =>
  new GatewayError(
    'forbidden',
    'origin: pages of this origin may not call the gateway; the setting cors.allowedOrigins names those that may',
  );
