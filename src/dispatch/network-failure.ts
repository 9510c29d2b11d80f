import { errors } from 'undici';
import { GatewayError } from '../errors.js';

const words: Record<string, string> = {
  ENOTFOUND: 'its host name is not known',
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
 * What a network error means. The only place that interprets one; a GatewayError comes back as it is.
 * @param answering true where the provider had begun to answer
 */
export function networkFailure(provider: string, error: unknown, answering = false): GatewayError {
  if (error instanceof GatewayError) return error;
  const code = codeOf(error);
  // undici leaves the parser's code out of most of these
  if (error instanceof errors.HTTPParserError || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return new GatewayError(
      'unreadable_answer',
      `${provider} sent an answer that is not HTTP${code ? ` (${code})` : ''}`,
      { cause: error },
    );
  }
  // an adapter stumbled over a shape that nobody foresaw: asking again is of no use, another provider's adapter may take it
  if (stumbled(error))
    return new GatewayError(
      'request_refused',
      `${provider} cannot be asked this: the request could not be translated for it`,
      { cause: error },
    );
  const certificate = /CERT|SSL|TLS/.test(code) ? 'its certificate was not accepted' : undefined;
  return new GatewayError(
    'connection_failed',
    `${provider} ${answering ? 'broke off its answer' : 'could not be reached'}: ${words[code] ?? certificate ?? 'the connection failed'}${code ? ` (${code})` : ''}`,
    { cause: error },
  );
}

/** Errors of the language itself; what fails on the network has a code, or a cause that has one. */
function stumbled(error: unknown): boolean {
  return (
    (error instanceof TypeError || error instanceof RangeError || error instanceof URIError) &&
    codeOf(error) === '' &&
    error.cause === undefined
  );
}
