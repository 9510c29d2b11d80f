import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { GatewayError } from '../errors.js';

const refusal = (): GatewayError =>
  new GatewayError(
    'forbidden',
    "origin: only the gateway's own pages and programs may send this request",
  );

/**
 * Refuses requests that a page of another site makes a browser send, recognized by `Sec-Fetch-Site`
 * and `Origin`. Programs send neither header.
 * @param publicUrl the gateway's public URL, because a proxy may have changed `Host`
 * @throws GatewayError `forbidden`
 */
export function refuseForeignPage({ headers }: IncomingMessage, publicUrl: string | null): void {
  if (headers['sec-fetch-site'] === 'cross-site') throw refusal();
  const { origin } = headers;
  if (origin !== undefined && !isOwn(origin, headers, publicUrl)) throw refusal();
}

function isOwn(origin: string, headers: IncomingHttpHeaders, publicUrl: string | null): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  // a page of another site cannot set these: the browser would need our CORS consent
  const hosts = [headers.host, headers['x-forwarded-host']]
    .flat()
    .map((name) => hostOf(`${protocol}//${name ?? ''}`));
  return host !== '' && [...hosts, hostOf(publicUrl ?? '')].includes(host);
}

/** Host and port; the protocol's default port is left out. */
const hostOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).host : null);
