import { lookup as lookupAddress, type LookupAddress } from 'node:dns';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { PageError } from './page-error.js';
import { isPublicAddress } from './public-address.js';
import type { ReadableUrl } from './readable-url.js';
import type { ReadingClock } from './reading-clock.js';

/** Time limits of the parts of a request. */
export interface WebRequestLimits {
  /** Until the headers have arrived, with the look-up and the connection. */
  readonly headersTimeoutMs: number;
  /** Between two pieces of a body. */
  readonly idleTimeoutMs: number;
}

/** An answer whose body was not read yet. */
export interface WebAnswer {
  readonly status: number;
  /** A header that was sent several times is a list. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Dispatcher.ResponseData['body'];
  /** Ends the connection. Must be called. */
  readonly close: () => void;
}

const maxHeaderBytes = 16_384;

/**
 * Sends one request over a connection of its own. No cookies, no referrer.
 * @param sent of a POST request; null: GET
 * @throws PageError `forbidden_address`, `unreachable`, or that of the clock
 */
export async function sendRequest(
  target: ReadableUrl,
  requestHeaders: Readonly<Record<string, string>>,
  { headersTimeoutMs, idleTimeoutMs }: WebRequestLimits,
  lookup: AddressLookup,
  clock: ReadingClock,
  sent: string | null = null,
): Promise<WebAnswer> {
  const client = new Client(target.url.origin, {
    connect: checkedConnector(target, lookup),
    maxHeaderSize: maxHeaderBytes,
    pipelining: 1,
    // the clock's limits hold
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const close = (): void => void client.destroy().catch(() => undefined);
  clock.waitFor('did not begin', headersTimeoutMs);
  try {
    const { statusCode, headers, body } = await client.request({
      method: sent === null ? 'GET' : 'POST',
      body: sent,
      path: `${target.url.pathname}${target.url.search}`,
      headers: requestHeaders,
      signal: clock.signal,
    });
    // a body that is not read must not end the process when its connection breaks
    body.on('error', () => undefined);
    clock.waitFor('was silent', idleTimeoutMs);
    return { status: statusCode, headers, body, close };
  } catch (error) {
    close();
    throw connectionError(target.host, error);
  }
}

const reasons: Record<string, string> = {
  ENOTFOUND: 'its name does not exist',
  EAI_AGAIN: 'its name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  UND_ERR_HEADERS_OVERFLOW: `its headers are longer than ${maxHeaderBytes} bytes`,
};

/** The PageError for a failed connection; a PageError stays itself. */
export function connectionError(host: string, error: unknown): PageError {
  if (error instanceof PageError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const name = typeof code === 'string' ? code : '';
  const certificate = /CERT|SSL|TLS/.test(name) ? 'its certificate was not accepted' : undefined;
  const reason = reasons[name] ?? certificate ?? `the connection failed${name ? ` (${name})` : ''}`;
  return new PageError('unreachable', `${host} could not be read: ${reason}`, null, {
    cause: error,
  });
}

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
    lookup: (name, options, callback) => {
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
    },
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
