import type { RequestHandler } from 'express';
import { messagesPrefix } from './surfaces/messages/paths.js';

/** The paths of clients' dialects. Others stay as they are: a host's guards may compare them. */
const clientPath = new RegExp(
  `^/+(?:v1|v1alpha|v1beta1?|v2|${messagesPrefix.slice(1)}|openai|mcp|api/+v1/+(?:completions|chat|model-?select|model-router))(?:/|$)`,
  'i',
);
/** The rest after the provider's name is the provider's own path, which may contain a URL. */
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
 * Redirects a URL with repeated slashes in a host app, so that the host's guards of the path with
 * single slashes apply. The status has clients repeat method, body and headers. The address is
 * relative, because a proxy before the host may have shortened its path.
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
