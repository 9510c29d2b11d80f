import { GatewayError } from '../errors.js';

/** Segments of a path, however a server may take it apart: encoded slashes and backslashes separate as well. */
const separators = /[/\\]|%2f|%5c/i;

/**
 * A provider's SDK says the version in its path or leaves it to the base address: both `/proxy/x/v1/models` and `/proxy/x/models` reach
 * `/v1/models` of a provider whose API's root ends in `/v1`. Uploads and downloads stand beside the version: `/upload/v1/files`.
 */
export function upstreamPath(baseUrl: string, path: string): string {
  const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '');
  if (path === basePath || path.startsWith(`${basePath}/`)) return path;
  const root = /^(\/(upload|download))?\/v\d[^/]*\//.test(path)
    ? basePath.replace(/\/v\d[^/]*$/, '')
    : basePath;
  return root + path;
}

/** The path and query without `?key=`, which is where Google's clients put a key: ours must not travel on. */
export function withoutKey(path: string): string {
  const query = path.indexOf('?');
  if (query === -1) return path;
  // read as the key itself is read, so that no spelling of the name slips through
  const kept = path
    .slice(query + 1)
    .split('&')
    .filter((part) => !new URLSearchParams(part).has('key'))
    .join('&');
  return kept === '' ? path.slice(0, query) : `${path.slice(0, query)}?${kept}`;
}

/** The provider's key is for what lies below its base address. @throws GatewayError `bad_request` for a path that climbs */
export function refuseClimbing(path: string): void {
  const segments = (path.split('?', 1)[0] ?? '').split(separators);
  if (segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment)))
    throw new GatewayError('bad_request', 'proxy: a path must not have "." or ".." segments');
}
