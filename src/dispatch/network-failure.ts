import { errors } from 'undici';
import { GatewayError } from '../errors.js';

const reasons: Record<string, string> = {
  ENOTFOUND: 'its host name does not exist',
  EAI_AGAIN: 'its host name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the time allowed',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CLOSED: 'the connection was closed',
  UND_ERR_DESTROYED: 'the connection was closed',
};

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
};

/**
 * Translates a network error; nothing else interprets one. Returns a GatewayError unchanged.
 * @param answering true if the provider had begun to answer
 */
export function networkFailure(provider: string, error: unknown, answering = false): GatewayError {
  if (error instanceof GatewayError) return error;
  const code = codeOf(error);
  // undici omits the parser's code from most of these errors
  if (error instanceof errors.HTTPParserError || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return new GatewayError(
      'unreadable_answer',
      `${provider} sent an answer that is not HTTP${code ? ` (${code})` : ''}`,
      { cause: error },
    );
  }
  // the adapter failed on an unforeseen shape: a retry would fail again, another adapter may
  // succeed
  if (isProgrammingError(error))
    return new GatewayError(
      'request_refused',
      `${provider} was not called: the request could not be translated into its format`,
      { cause: error },
    );
  const certificate = /CERT|SSL|TLS/.test(code) ? 'its certificate was not accepted' : undefined;
  const reason = reasons[code] ?? certificate ?? 'the connection failed';
  return new GatewayError(
    'connection_failed',
    `${provider} ${answering ? 'broke off its answer' : 'could not be reached'}: ${reason}${code ? ` (${code})` : ''}`,
    { cause: error },
  );
}

/** True for an error of the language itself; a network error has a code, or a cause with one. */
const isProgrammingError = (error: unknown): boolean =>
  (error instanceof TypeError || error instanceof RangeError || error instanceof URIError) &&
  codeOf(error) === '' &&
  error.cause === undefined;
