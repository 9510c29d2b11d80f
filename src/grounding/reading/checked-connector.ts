import { lookup as lookupAddress, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { PageError } from './page-error.js';
import { isPublicAddress } from './public-address.js';
import type { ReadableUrl } from './readable-url.js';

/** Finds all addresses of a host name. Rejects with an error with a `code`, as node:dns does. */
export type AddressLookup = (host: string) => Promise<readonly LookupAddress[]>;

/** The system's resolver. */
export const systemLookup: AddressLookup = (host) =>
  new Promise((resolve, reject) =>
    lookupAddress(host, { all: true, verbatim: true }, (error, addresses) =>
      error ? reject(error) : resolve(addresses),
    ),
  );

const forbidden = (host: string, what: string): PageError =>
  new PageError('forbidden_address', `${host} ${what} an address that is not public`);

/**
 * Connects to one host's checked addresses. All addresses that the name resolves to must be public,
 * and so must the one that the socket reached: a literal host is never looked up, and a name may
 * resolve to something else a moment later.
 */
export function checkedConnector(
  { host, isExempt }: ReadableUrl,
  lookup: AddressLookup,
): buildConnector.connector {
  const connect = buildConnector({
    // the reading has its own time limits
    timeout: 0,
    lookup: checkedLookup(host, isExempt, lookup),
    autoSelectFamily: true,
  });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) callback(error, null);
      else if (isExempt || isPublicAddress(socket.remoteAddress ?? '')) callback(null, socket);
      else {
        socket.destroy();
        callback(forbidden(host, 'was reached at'), null);
      }
    });
}

function checkedLookup(host: string, isExempt: boolean, lookup: AddressLookup): LookupFunction {
  return (name, options, callback) => {
    lookup(name).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(new PageError('unreachable', `${host} has no address`), []);
        else if (!isExempt && !addresses.every(({ address }) => isPublicAddress(address)))
          callback(forbidden(host, 'resolves to'), []);
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error('no look-up'), []),
    );
  };
}
