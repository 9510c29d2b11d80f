import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a gateway that listens on that host is reached from its own machine alone. */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  return version === 0
    ? /^localhost\.?$/i.test(host)
    : loopback.check(host, version === 4 ? 'ipv4' : 'ipv6');
}
