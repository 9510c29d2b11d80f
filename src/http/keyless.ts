import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { GatewayError } from '../errors.js';
import type { GatewaySnapshot } from '../pipeline/engine/snapshot.js';
import { refuseForeignPage } from './foreign-page.js';

/**
 * Checks a request that no valid key vouches for: a browser may have sent it for a page of another
 * site, with the user's cookie or from the user's network.
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
 * Whether `Host` has a name under which requests without a key are answered. A page of a name that
 * its owner has pointed at this address counts as the gateway's own in a browser, but cannot hide
 * its name. Ports do not matter. Browsers always send `Host`.
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

/** In lower case, without the port, the brackets of IPv6 and the dot at the end. */
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
