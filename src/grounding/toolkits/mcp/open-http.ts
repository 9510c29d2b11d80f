import { withTimeout } from '../../../async/with-timeout.js';
import type { ToolkitConfig } from '../../../config/toolkit-config.js';
import { parseUrl } from '../../../text/parse-url.js';
import { AccessToken } from './access-token.js';
import { openSession } from './mcp-session.js';
import type { OpenSession } from './mcp-source.js';

/** How long saying goodbye to the server may take. */
const maxGoodbyeMs = 2_000;

/** Connects to a server at an address. @param onSecret takes the access tokens that it uses */
export function httpSessions(
  config: ToolkitConfig<'mcp-http'>,
  onSecret: (text: string) => void,
): OpenSession {
  const { url, headers, era, auth, timeoutMs } = config;
  const fetchBounded = boundedFetch(timeoutMs);
  const tokens = auth === null ? null : new AccessToken(auth, timeoutMs, url, onSecret);
  return async (options) => {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { ...headers } },
      fetch: fetchBounded,
      ...(tokens === null ? {} : { authProvider: tokens }),
      // another token would have the same scope
      onInsufficientScope: 'throw',
      reconnectionOptions: {
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 30_000,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 5,
      },
    });
    const session = await openSession(transport, { ...options, era });
    return {
      ...session,
      close: async () => {
        const goodbye = transport.terminateSession().catch(() => undefined);
        await withTimeout(goodbye, maxGoodbyeMs, () => undefined);
        await session.close();
      },
    };
  };
}

const maxJsonBytes = 8 * 1024 * 1024;
const maxEventBytes = 8 * 1024 * 1024;
const maxStreamBytes = 64 * 1024 * 1024;
/** How much longer than the call itself its HTTP request may live. */
const graceMs = 5_000;

/** `fetch` for an MCP server: bounded answers; all but the stream of notifications time out. */
function boundedFetch(timeoutMs: number): typeof fetch {
  return async (url, init) => {
    // with a timer of its own: Node may collect what waits for a signal of `AbortSignal.timeout`
    const ending = new AbortController();
    const end = () => ending.abort(new DOMException('its answer takes too long', 'TimeoutError'));
    const isStream = init?.method === 'GET';
    const timer = isStream ? undefined : setTimeout(end, timeoutMs + graceMs).unref();
    const signals = [ending.signal, ...(init?.signal ? [init.signal] : [])];
    const signal = AbortSignal.any(signals);
    const answer = await fetchWithinOrigin(url, { ...init, signal });
    if (answer.body === null) {
      clearTimeout(timer);
      return answer;
    }
    const { status, statusText, headers } = answer;
    const body = bounded(answer.body, isEvents(headers), signal, () => clearTimeout(timer));
    return new Response(body, { status, statusText, headers });
  };
}

const maxRedirects = 5;

/** Follows redirects within the origin alone, which could else take credentials elsewhere. */
async function fetchWithinOrigin(
  url: string | URL | Request,
  init: RequestInit,
  followed = 0,
): Promise<Response> {
  const answer = await fetch(url, { ...init, redirect: 'manual' });
  const from = new URL(answer.url);
  const next = redirectOf(answer, from);
  const keepsMethod = init.method === 'GET' || answer.status === 307 || answer.status === 308;
  const isHere = next?.origin === from.origin && next.username === '' && next.password === '';
  if (!next || !isHere || !keepsMethod || followed === maxRedirects) return answer;
  await answer.body?.cancel();
  return fetchWithinOrigin(next, init, followed + 1);
}

function redirectOf({ status, headers }: Response, from: URL): URL | null {
  const location = headers.get('location');
  return status >= 300 && status < 400 && location !== null ? parseUrl(location, from) : null;
}

const isEvents = (headers: Headers): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? false;

function bounded(
  body: ReadableStream<Uint8Array>,
  isOfEvents: boolean,
  signal: AbortSignal,
  onEnd: () => void,
) {
  let total = 0;
  let inEvent = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      flush: onEnd,
      transform(chunk, controller) {
        total += chunk.length;
        inEvent = isOfEvents && hasEnd(chunk) ? 0 : inEvent + chunk.length;
        const isTooLong = isOfEvents
          ? inEvent > maxEventBytes || total > maxStreamBytes
          : total > maxJsonBytes;
        if (isTooLong) controller.error(new Error('its answer is too long'));
        else controller.enqueue(chunk);
      },
    }),
    // once the head is there, `fetch` may forget its own
    { signal },
  );
}

/** Whether an empty line ends an event here; one that the chunks divide is begun by the next. */
function hasEnd(chunk: Uint8Array): boolean {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  return (
    text.includes('\n\n') ||
    text.includes('\r\n\r\n') ||
    /^\r?\n/.test(text.toString('latin1', 0, 2))
  );
}
