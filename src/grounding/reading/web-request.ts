import { Client, type Dispatcher } from 'undici';
import { type AddressLookup, checkedConnector } from './checked-connector.js';
import { PageError } from './page-error.js';
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
 * Sends one GET request over a connection of its own. No cookies, no referrer.
 * @throws PageError `forbidden_address`, `unreachable`, or that of the clock
 */
export async function sendRequest(
  target: ReadableUrl,
  requestHeaders: Readonly<Record<string, string>>,
  { headersTimeoutMs, idleTimeoutMs }: WebRequestLimits,
  lookup: AddressLookup,
  clock: ReadingClock,
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
      method: 'GET',
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
