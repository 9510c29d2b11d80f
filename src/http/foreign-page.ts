import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { GatewayError } from '../errors.js';

const refusal = (): GatewayError =>
  new GatewayError(
    'forbidden',
    "origin: this can only be asked for by the gateway's own pages, and by programs",
  );

/**
 * Refuses what a page of somebody else's site has a browser send. Programs send neither header.
 * @param publicUrl where people reach the gateway; a proxy may have changed `Host`
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
  // a foreign page cannot set these two: a browser would ask us first, and we never agree
  const hosts = [headers.host, headers['x-forwarded-host']]
    .flat()
    .map((name) => hostOf(`${protocol}//${name ?? ''}`));
  return host !== '' && [...hosts, hostOf(publicUrl ?? '')].includes(host);
}

/** With its port, unless that is the protocol's own. */
const hostOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).host : null);
