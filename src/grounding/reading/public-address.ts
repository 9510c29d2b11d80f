import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { parseUrl } from '../../text/parse-url.js';

/** Azure's platform address: public by its number, reachable from inside a virtual machine only. */
const refusedAddresses = new Set(['168.63.129.16']);

const allIpv6Unicast = ipaddr.IPv6.parse('2000::');
const nat64 = ipaddr.IPv6.parse('64:ff9b::');

/** The addresses of this machine, with which its own firewall is passed by. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((entries) =>
    (entries ?? []).map(({ address }) => address),
  );

/**
 * Whether an address is one of the public internet: unicast, not reserved for anything, and not
 * this machine's. An IPv4-mapped address, and one of NAT64's well-known prefix, is judged by the
 * IPv4 address in it. Text that is not an address is not public.
 * @param own the addresses of this machine
 */
export function isPublicAddress(text: string, own: readonly string[] = ownAddresses()): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  const isGlobal =
    address.range() === 'unicast' &&
    (address instanceof ipaddr.IPv4 || address.match(allIpv6Unicast, 3));
  return (
    isGlobal &&
    !refusedAddresses.has(address.toString()) &&
    !own.some((mine) => parseAddress(mine)?.toString() === address.toString())
  );
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // ipaddr.js reads the IPv4-compatible `::127.0.0.1` as IPv4-mapped; a URL's host is plain
  const host = parseUrl(`http://[${text.replace(/%.*$/s, '')}]`)?.hostname;
  if (host === undefined) return null;
  const address = ipaddr.IPv6.parse(host.slice(1, -1));
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(nat64, 96) ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}
