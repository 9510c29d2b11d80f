import type { WorkSource } from '../async/fair-queue.js';

/**
 * Where attempts come from. One client may have a whole /48 network of IPv6, so its addresses also
 * share what is counted for that network.
 * @param address an IPv4 address, or the /64 network of an IPv6 address, as `clientAddress` gives it
 */
export function remoteAddress(address: string): WorkSource {
  const start = /^(\w+:\w+:\w+):\w+::\/64$/.exec(address)?.[1];
  return { address, network: start === undefined ? address : `${start}::/48` };
}
