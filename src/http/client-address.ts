import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** 64 of an IPv6 address's 128 bits: internet providers give each customer such a network. */
const networkParts = 4;

/**
 * The address under which a client's attempts are counted: an IPv4 address, or the /64 network of
 * an IPv6 address, because one client can use every address of its network. IPv4-mapped addresses
 * count as IPv4; a port and an IPv6 zone are dropped. Express's `trust proxy` decides which address
 * it is.
 * @returns `unknown` if there is no address, and text that is not an address unchanged
 */
export function clientAddress({ ip }: Pick<Request, 'ip'>): string {
  const text = withoutPort(ip ?? 'unknown');
  if (!ipaddr.IPv6.isValid(text)) return text;
  const address = ipaddr.IPv6.parse(text);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  const network = address.parts.slice(0, networkParts).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** Some proxies append the port, which is different for each connection. */
const withoutPort = (address: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ??
  /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ??
  address;
