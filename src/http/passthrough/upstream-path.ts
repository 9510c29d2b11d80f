import { GatewayError } from '../../errors.js';

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
export function withoutKey(path: string): string {
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
export function refuseDotSegments(path: string): void {
  const segments = (path.split('?', 1)[0] ?? '').split(separators);
  if (segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment)))
    throw new GatewayError('bad_request', 'proxy: a path must not have "." or ".." segments');
}
