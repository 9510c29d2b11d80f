import ipaddr from 'ipaddr.js';

const ownRanges: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'uniqueLocal',
  'linkLocal',
  'carrierGradeNat',
  'unspecified',
]);

/**
 * Whether a URL's host is this machine or in its own network: an address that the internet does not
 * route, a name without a dot, or one that ends as such names do (`host.docker.internal`).
 */
export function isLocalHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|[.\]]$/g, '');
  if (ipaddr.isValid(name)) return ownRanges.has(ipaddr.process(name).range());
  return !name.includes('.') || /\.(?:local|localhost|internal|lan|home\.arpa)$/.test(name);
}

/** Whether a server that listens on this name or address is reached from its machine alone. */
export const isLoopback = (host: string): boolean =>
  ipaddr.isValid(host) ? ipaddr.process(host).range() === 'loopback' : /^localhost\.?$/i.test(host);
