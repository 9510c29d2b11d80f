import { isTimeout, readAnswer } from '../../../async/read-answer.js';
import type { ToolkitConfig } from '../../../config/toolkit-config.js';
import { version } from '../../../version.js';
import { jsonFields, parsedJson } from '../../../text/json-values.js';
import { jsonItems } from './operations.js';

const maxBytes = 16 * 1024 * 1024;

/** Reads an API's document. @throws Error that says what is wrong, after the toolkit's name */
export async function readDocument(
  { url, headers, baseUrl, timeoutMs }: ToolkitConfig<'openapi'>,
  signal: AbortSignal,
): Promise<{ readonly document: Readonly<Record<string, unknown>>; readonly baseUrl: string }> {
  const sent = { accept: 'application/json', 'user-agent': `Signalbox/${version}`, ...headers };
  const { answer, text, isCut } = await readAnswer(
    (ending) => fetch(url, { headers: sent, redirect: 'manual', signal: ending }),
    { timeoutMs, maxBytes, signal },
  ).catch((error: unknown) => {
    const reason = isTimeout(error) ? `not answered within ${timeoutMs} ms` : 'not reached';
    throw new Error(`its document was ${reason}`, { cause: error });
  });
  if (answer.status !== 200)
    throw new Error(`the address of its document answered ${answer.status}`);
  if (isCut) throw new Error(`its document is larger than ${maxBytes} bytes`);
  const parsed = parsedJson(text);
  if (parsed === undefined) throw new Error('its document is not JSON');
  const document = jsonFields(parsed);
  if (!/^3\.[01]\./.test(String(document.openapi)))
    throw new Error('its document is not of OpenAPI 3.0 or 3.1');
  return { document, baseUrl: baseUrl ?? serverOf(document, url) };
}

/** The first server, relative to the document. No other origin may get the configured headers. */
function serverOf(document: Readonly<Record<string, unknown>>, url: string): string {
  const { url: written, variables } = jsonFields(jsonItems(document.servers)[0]);
  const text = (typeof written === 'string' ? written : '/').replace(
    /\{([^{}]*)\}/g,
    (_all, name: string) => String(jsonFields(jsonFields(variables)[name]).default),
  );
  const server = new URL(text, url);
  if (server.origin !== new URL(url).origin)
    throw new Error(`its first server is at another origin (${server.origin}); set baseUrl`);
  return server.href;
}
