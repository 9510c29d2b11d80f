import { isIPv6 } from 'node:net';
import type { Request } from 'express';

/** Behind a mapped address stands one of version 4. */
const mapped = /^::ffff:(?=\d+\.)/i;
const groupsOfNetwork = 4;

/**
 * Who is counted as one: an address of version 4, or a network of 64 bits of version 6, of which everybody has as many addresses as they like.
 * Which proxies are believed is the app's setting `trust proxy`.
 */
export function clientAddress({ ip }: Pick<Request, 'ip'>): string {
  const address = withoutPort(ip ?? 'unknown')
    .replace(mapped, '')
    .replace(/%.*$/, '');
  if (!isIPv6(address)) return address;
  const [before = '', after] = address.toLowerCase().split('::');
  const [head, tail] = [groupsOf(before), groupsOf(after ?? '')];
  const gap =
    after === undefined
      ? []
      : Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return `${[...head, ...gap, ...tail]
    .slice(0, groupsOfNetwork)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** Some proxies name the port too: who counts that in counts every connection for itself. */
const withoutPort = (address: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ??
  /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ??
  address;

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));
