import { isTimeout, readAnswer } from '../../async/read-answer.js';
import { version } from '../../version.js';
import { abortError } from '../../async/until-aborted.js';
import { cutText } from '../../text/cut-text.js';
import type { ToolAnswer } from './tool-source.js';

/** A call of a tool as an HTTP request. */
export interface HttpCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; null: none is sent. */
  readonly body: string | null;
}

/** A character takes up to four bytes. */
const bytesPerCharacter = 4;

/** What codes of failed connections mean, in a few words. */
export const networkReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'its host name does not exist',
  UND_ERR_SOCKET: 'the connection was closed',
};

/**
 * Sends a request, and returns the body of the answer as text. A status that is not 2xx, no answer
 * in time and a redirect, which could take credentials elsewhere, are answers with `isError`.
 * @throws GatewayError if the signal ends the call
 */
export async function callHttp(
  call: HttpCall,
  { timeoutMs, maxResultChars }: { readonly timeoutMs: number; readonly maxResultChars: number },
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const headers = {
    accept: 'application/json, text/plain;q=0.9, */*;q=0.5',
    'user-agent': `Signalbox/${version}`,
    ...(call.body === null ? {} : { 'content-type': 'application/json' }),
    ...call.headers,
  };
  const { method, body } = call;
  try {
    const { answer, text, isCut } = await readAnswer(
      (ending) => fetch(call.url, { method, headers, body, redirect: 'manual', signal: ending }),
      { timeoutMs, maxBytes: maxResultChars * bytesPerCharacter, signal },
    );
    return answerOf(answer.status, text, isCut, maxResultChars);
  } catch (error) {
    if (signal.aborted) throw abortError(signal);
    const reason = isTimeout(error) ? `no answer within ${timeoutMs} ms` : reasonOf(error);
    return { text: `The tool failed: ${reason}.`, isError: true };
  }
}

function answerOf(status: number, body: string, isCut: boolean, max: number): ToolAnswer {
  const text = cutText(body, max);
  const note = isCut || text.length < body.length ? '\n[cut: the result is longer]' : '';
  if (status >= 200 && status < 300) return { text: text + note, isError: false };
  const said = text === '' ? '' : `: ${text}${note}`;
  const reason = status >= 300 && status < 400 ? 'a redirect, which is not followed' : 'an error';
  return { text: `The tool answered with status ${status}, ${reason}${said}`, isError: true };
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } | null };
  return networkReasons[String(cause?.code)] ?? 'it could not be reached';
}
