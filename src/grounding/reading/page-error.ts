/**
 * Why a page could not be read:
 * `forbidden_url`: the rules for URLs, or the caller, do not allow it;
 * `forbidden_address`: its host is, or resolves to, an address that is not public;
 * `robots`: the site's robots.txt does not allow it;
 * `unreachable`: no connection, or it broke off;
 * `unreadable`: the answer or the document is damaged;
 * `cancelled`: the caller's signal; `closed`: the reader was closed.
 */
export type PageErrorCode =
  | 'forbidden_url'
  | 'forbidden_address'
  | 'robots'
  | 'unreachable'
  | 'http_status'
  | 'too_many_redirects'
  | 'too_large'
  | 'too_slow'
  | 'unsupported_type'
  | 'unsupported_encoding'
  | 'unreadable'
  | 'cancelled'
  | 'closed';

/** A page that was not read. Messages name at most the host: all else may contain secrets. */
export class PageError extends Error {
  override readonly name = 'PageError';

  /** @param status with which the host answered, for `http_status` */
  constructor(
    readonly code: PageErrorCode,
    message: string,
    readonly status: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The failure of all readings once the reader was closed. */
export const readerClosed = (): PageError => new PageError('closed', 'the page reader was closed');
