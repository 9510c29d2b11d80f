import { networkReasons } from '../http-call.js';
import { cutText } from '../../../text/cut-text.js';

/** What the errors of the client library, of processes and of sockets have in common. */
interface Failure {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: unknown;
  readonly cause?: unknown;
}

const maxLength = 300;

const reasons: Readonly<Record<string, string>> = {
  CONNECTION_CLOSED: 'the server ended the connection',
  NOT_CONNECTED: 'the server ended the connection',
  INVALID_RESULT: 'its answer is not what the protocol says',
  ENOENT: 'its command was not found',
  EACCES: 'its command may not be run',
  ...networkReasons,
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the time allowed',
};

/** Why a server could not be asked, in a few words; may repeat what the server said. */
export function mcpFailureReason(error: unknown, timeoutMs: number): string {
  const failure = failureOf(error);
  const code = String(failure.code);
  const causeCode = String(failureOf(failure.cause).code);
  if (code === 'REQUEST_TIMEOUT' || failure.name === 'TimeoutError')
    return `no answer within ${timeoutMs} ms`;
  const status = statusOf(error);
  if (status !== null) return `it answered ${status}`;
  return reasons[code] ?? reasons[causeCode] ?? saidBy(failure);
}

/** Whether the server does not know the session, so that it did nothing. Some say 400, not 404. */
export function isSessionLost(error: unknown): boolean {
  const status = statusOf(error);
  return status === 404 || (status === 400 && /session/i.test(String(failureOf(error).message)));
}

function saidBy({ message }: Failure): string {
  const text = typeof message === 'string' ? message.replace(/\s+/g, ' ').trim() : '';
  if (text === 'fetch failed') return 'it could not be reached';
  return text === '' ? 'it failed' : cutText(text, maxLength).replace(/\.$/, '');
}

function statusOf(error: unknown): number | null {
  const { name, data } = failureOf(error);
  if (name === 'UnauthorizedError') return 401;
  const { status } = ((name === 'SdkHttpError' ? data : null) as { status?: unknown } | null) ?? {};
  return typeof status === 'number' ? status : null;
}

const failureOf = (error: unknown): Failure =>
  typeof error === 'object' && error !== null ? error : {};
