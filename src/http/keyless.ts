import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { GatewayError } from '../errors.js';
import type { GatewaySnapshot } from '../pipeline/engine/snapshot.js';
import { parseUrl } from '../text/parse-url.js';

/**
 * Checks a request without a valid key: a browser may have sent it for a page of another site, with
 * the user's cookie or from the user's network.
 * @throws GatewayError `misdirected_request` for a name in `Host` that is not the gateway's own,
 * `forbidden` for a page of another site that `cors.allowedOrigins` does not name
 */
export function checkKeyless(
  req: IncomingMessage,
  { accounts, browser }: Pick<GatewaySnapshot, 'accounts' | 'browser'>,
): void {
  if (!isOwnHost(req, browser.hosts)) throw misdirected();
  // a page of another origin never acts for a signed-in user
  const origins = req.headers.cookie === undefined ? browser.origins : [];
  refuseForeignPage(req, accounts.publicUrl, origins);
}

/**
 * Whether `Host` has a name under which requests without a key are answered: a defence against DNS
 * rebinding, by which a browser takes a foreign page for the gateway's own. Ports do not matter.
 * Browsers always send `Host`.
 * @param hosts as in `BrowserRules`
 */
export function isOwnHost({ headers }: IncomingMessage, hosts: readonly string[] | null): boolean {
  const host = headers.host ?? headers[':authority'];
  if (hosts === null || typeof host !== 'string') return true;
  const name = nameOf(host);
  return (
    name === 'localhost' ||
    isIP(name) !== 0 ||
    hosts.some((own) => name === own || (own.startsWith('*.') && name.endsWith(own.slice(1))))
  );
}

/** The host in lower case, without its port, the brackets of IPv6 and a final dot. */
function nameOf(host: string): string {
  const name = /^\[([^\]]*)\](:\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
  return name.toLowerCase().replace(/\.$/, '');
}

/** The error for a name in `Host` that is not the gateway's own. */
export const misdirected = (): GatewayError =>
  new GatewayError(
    'misdirected_request',
    'host: requests without a valid API key are answered under localhost, IP addresses, the host of publicUrl and the names in allowedHosts only; send a key, or set allowedHosts',
  );

const foreignPage = (): GatewayError =>
  new GatewayError(
    'forbidden',
    "origin: only the gateway's own pages and programs may send this request; cors.allowedOrigins names the origins of others that may send requests with a key",
  );

/**
 * Refuses requests that a page of another site makes a browser send, recognized by `Sec-Fetch-Site`
 * and `Origin`. Programs send neither header. Links of other sites may be followed.
 * @param publicUrl the gateway's public URL, because a proxy may have changed `Host`
 * @param origins of pages of other sites that are not refused; `*` is not one
 * @throws GatewayError `forbidden`
 */
export function refuseForeignPage(
  { headers, method }: IncomingMessage,
  publicUrl: string | null,
  origins: readonly string[] = [],
): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && origins.includes(origin)) return;
  if (origin !== undefined && !isOwn(origin, headers, publicUrl)) throw foreignPage();
  const isForeign = site === 'cross-site' || (site === 'same-site' && origin === undefined);
  if (isForeign && !isLink(method, headers)) throw foreignPage();
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
