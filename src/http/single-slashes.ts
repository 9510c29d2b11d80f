import type { RequestHandler } from 'express';
import { messagesPrefix } from './surfaces/messages/paths.js';

/** The paths of clients' dialects. Others stay as they are: what guards them may compare paths. */
const clientPath = new RegExp(
  `^/+(?:v1|v1alpha|v1beta1?|v2|${messagesPrefix.slice(1)}|mcp|api/+v1/+(?:completions|chat|model-?select|model-router))(?:/|$)`,
  'i',
);
/** What follows the name is a path of the provider, and may hold an address. */
const proxyPath = /^\/+proxy\/+([^/]+)\/+/i;

/**
 * A URL with single slashes in its path, where that is a path of a client's dialect: a base URL that
 * ends with a slash has SDKs ask for `//v1/chat/completions` or `/v1//chat/completions`.
 */
export function withSingleSlashes(url: string): string {
  if (!url.includes('//')) return url;
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  const query = end === -1 ? '' : url.slice(end);
  if (clientPath.test(path)) return path.replace(/\/{2,}/g, '/') + query;
  return path.replace(proxyPath, '/proxy/$1/') + query;
}

/**
 * Redirects a request for such a URL in a host app, where the host may guard the path with single
 * slashes: the request then passes whatever it would have passed. The status has clients send method,
 * body and headers again. The address is relative, as a proxy before the host may have cut its path.
 */
export const redirectToSingleSlashes: RequestHandler = (req, res, next) => {
  const url = withSingleSlashes(req.url);
  if (url === req.url) {
    next();
    return;
  }
  const [path = ''] = req.url.split('?', 1);
  const location = '../'.repeat(path.split('/').length - 2) + url.slice(1);
  res.writeHead(308, { Location: location, 'Content-Length': 0 }).end();
};
