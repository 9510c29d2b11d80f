import { PageError } from './page-error.js';
import { parseUrl } from '../../text/parse-url.js';
import { isPublicAddress } from './public-address.js';

/**
 * The hosts that the operator exempts from the rule that addresses are public: names or addresses,
 * for the usual ports (`wiki.intranet`, `10.0.0.5`, `fd00::1`) or for a port of their own
 * (`wiki.intranet:8080`, `[fd00::1]:8080`), which is then allowed although it is not a usual one.
 */
export class PrivateHosts {
  private readonly hosts = new Set<string>();

  /** @throws Error that names an entry which is not a host */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const bare = /:.*:/.test(entry) && !entry.startsWith('[') ? `[${entry}]` : entry;
      const url = /[/@?#\\\s]/.test(bare) ? null : parseUrl(`http://${bare}`);
      if (!url) throw new Error(`allowPrivateHosts: "${entry}" is not a host or a host and port`);
      // `:80` is not a part of an http URL
      const port = /:80$/.test(bare) ? '80' : url.port;
      this.hosts.add(port === '' ? url.hostname : `${url.hostname}:${port}`);
    }
  }

  namesPort(host: string, port: number): boolean {
    return this.hosts.has(`${host}:${port}`);
  }

  /** Whether addresses of the host may be private. */
  exempts(host: string, port: number): boolean {
    return this.hosts.has(host) || this.namesPort(host, port);
  }
}

/** What may be opened. */
export interface UrlRules {
  readonly ports: ReadonlySet<number>;
  readonly privateHosts: PrivateHosts;
}

/** A URL that may be opened, if its host's addresses may be. */
export interface ReadableUrl {
  /** Without a fragment. */
  readonly url: URL;
  /** In lower case, without a trailing dot; an IPv6 address in brackets. */
  readonly host: string;
  readonly port: number;
  /** Whether the addresses of the host may be private. */
  readonly isExempt: boolean;
}

const maxUrlLength = 2_048;
const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 };

/**
 * Names that networks resolve for themselves (RFC 6761, 6762, 7686, 8375, 9476; ICANN's
 * `internal`), and what routers and companies use in their place. They are not even looked up.
 */
const localNames =
  /(^|\.)(localhost|local|internal|intranet|lan|corp|home|private|localdomain|home\.arpa|onion|alt|invalid)$/;

/**
 * Reads a URL and checks all that can be known without the network. Literal addresses are checked
 * here, because sockets connect to them without a look-up; the URL parser has turned their
 * spellings (decimal, hexadecimal, octal, short, full-width) into the usual one.
 * @param from the page that led here, for relative URLs
 * @throws PageError `forbidden_url` or `forbidden_address`
 */
export function readableUrl(text: string, rules: UrlRules, from?: URL): ReadableUrl {
  if (text.length > maxUrlLength)
    throw new PageError('forbidden_url', `the URL is longer than ${maxUrlLength} characters`);
  const url = parseUrl(text, from);
  if (!url) throw new PageError('forbidden_url', 'the URL is not valid');
  const defaultPort = defaultPorts[url.protocol];
  if (defaultPort === undefined)
    throw new PageError('forbidden_url', 'only http and https URLs are read');
  if (url.username !== '' || url.password !== '')
    throw new PageError('forbidden_url', 'a URL with credentials is not read');
  url.hash = '';
  // certificates do not name the last dot
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  const host = url.hostname;
  const port = url.port === '' ? defaultPort : Number(url.port);
  const { ports, privateHosts } = rules;
  if (!ports.has(port) && !privateHosts.namesPort(host, port))
    throw new PageError('forbidden_url', `port ${port} is not one that pages are read from`);
  const isExempt = privateHosts.exempts(host, port);
  if (!isExempt) refuseLocalHost(host);
  return { url, host, port, isExempt };
}

function refuseLocalHost(host: string): void {
  const literal = host.startsWith('[') ? host.slice(1, -1) : /^[\d.]+$/.test(host) ? host : null;
  const isRefused =
    literal === null
      ? localNames.test(host) || !/^[^.]+(\.[^.]+)+$/.test(host)
      : !isPublicAddress(literal);
  if (isRefused)
    throw new PageError('forbidden_address', `${host.slice(0, 253)} is not a public host`);
}
