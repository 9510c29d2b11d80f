import ipaddr from 'ipaddr.js';

/**
 * Whether a server that listens on this host name or address can be reached only from its own
 * machine.
 */
export function isLoopback(host: string): boolean {
  return ipaddr.isValid(host)
    ? ipaddr.process(host).range() === 'loopback'
    : /^localhost\.?$/i.test(host);
}
