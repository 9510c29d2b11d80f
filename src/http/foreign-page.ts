import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { GatewayError } from '../errors.js';
import { parseUrl } from '../text/parse-url.js';

const refusal = (): GatewayError =>
  new GatewayError(
    'forbidden',
    "origin: only the gateway's own pages and programs may send this request; cors.allowedOrigins names the origins of others that may send requests with a key",
  );

/**
 * Refuses requests that a page of another site makes a browser send, recognized by `Sec-Fetch-Site`
 * and `Origin`. Programs send neither header. Links of other sites may be followed.
 * @param publicUrl the gateway's public URL, because a proxy may have changed `Host`
 * @param origins of pages that may send requests all the same; `*` is not one
 * @throws GatewayError `forbidden`
 */
export function refuseForeignPage(
  { headers, method }: IncomingMessage,
  publicUrl: string | null,
  origins: readonly string[] = [],
): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && origins.includes(origin)) return;
  if (origin !== undefined && !isOwn(origin, headers, publicUrl)) throw refusal();
  const isForeign = site === 'cross-site' || (site === 'same-site' && origin === undefined);
  if (isForeign && !isLink(method, headers)) throw refusal();
}

const isLink = (method: string | undefined, headers: IncomingHttpHeaders): boolean =>
  (method === 'GET' || method === 'HEAD') && headers['sec-fetch-mode'] === 'navigate';

function isOwn(origin: string, headers: IncomingHttpHeaders, publicUrl: string | null): boolean {
  const from = parseUrl(origin);
  if (from === null) return false;
  const { protocol, host } = from;
  // a page of another site cannot set these: the browser would need our CORS consent
  const hosts = [headers.host, headers['x-forwarded-host']]
    .flat()
    .map((name) => hostOf(`${protocol}//${name ?? ''}`));
  return host !== '' && [...hosts, hostOf(publicUrl ?? '')].includes(host);
}

/** Host and port; the protocol's default port is left out. */
const hostOf = (url: string): string | null => parseUrl(url)?.host ?? null;
