import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { tryJson } from './json.js';

/** One server-sent event, or a comment that stood by itself. */
export interface SseFrame {
  id: string | undefined;
  event: string | undefined;
  /** The data lines, joined with line feeds; undefined if there was none. */
  data: string | undefined;
  comment: string | undefined;
  /** When its closing empty line arrived, as `performance.now()`. */
  at: number;
}

function parseFrame(block: string): SseFrame {
  const fields = {
    id: [] as string[],
    event: [] as string[],
    data: [] as string[],
    comment: [] as string[],
  };
  for (const line of block.split('\n')) {
    const match = /^(id|event|data|): ?(.*)$/s.exec(line);
    if (!match || line.includes('\r'))
      throw new Error(`not a line of an event stream: ${JSON.stringify(line)}`);
    fields[match[1] === '' ? 'comment' : (match[1] as 'id' | 'event' | 'data')].push(
      match[2] ?? '',
    );
  }
  const join = (lines: string[]): string | undefined =>
    lines.length > 0 ? lines.join('\n') : undefined;
  return {
    id: join(fields.id),
    event: join(fields.event),
    data: join(fields.data),
    comment: join(fields.comment),
    at: performance.now(),
  };
}

/**
 * Parses bytes into whole frames. Strict: only `id`, `event`, `data` and comments, line feeds, valid
 * UTF-8, one empty line after each.
 */
class FrameSplitter {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true });
  private rest = '';

  push(bytes: Buffer): SseFrame[] {
    this.rest += this.decoder.decode(bytes, { stream: true });
    const blocks = this.rest.split('\n\n');
    this.rest = blocks.pop() ?? '';
    return blocks.map(parseFrame);
  }

  end(): void {
    this.rest += this.decoder.decode();
    if (this.rest !== '')
      throw new Error(`the stream ended inside a frame: ${JSON.stringify(this.rest.slice(0, 80))}`);
  }
}

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed body, undefined if it is not JSON. */
  json: unknown;
}

type Headers = Record<string, string>;

function send(
  method: string,
  url: string,
  body: unknown,
  headers: Headers,
): { request: ReturnType<typeof httpRequest>; response: Promise<IncomingMessage> } {
  const payload =
    body === undefined
      ? ''
      : typeof body === 'string' || Buffer.isBuffer(body)
        ? body
        : JSON.stringify(body);
  const request = httpRequest(url, {
    method,
    agent: false,
    headers: { ...(payload === '' ? {} : { 'content-type': 'application/json' }), ...headers },
  });
  const response = new Promise<IncomingMessage>((resolve, reject) =>
    request.once('response', resolve).on('error', reject),
  );
  request.end(payload);
  return { request, response };
}

async function readText(response: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

async function reply(sent: Promise<IncomingMessage>): Promise<Reply> {
  const response = await sent;
  const text = await readText(response);
  return { status: response.statusCode ?? 0, headers: response.headers, text, json: tryJson(text) };
}

/**
 * Posts a body (JSON unless a string or Buffer) and waits for the whole answer. A connection of its
 * own each time.
 */
export function post(url: string, body: unknown, headers: Headers = {}): Promise<Reply> {
  return reply(send('POST', url, body, headers).response);
}

/** Sends a request with any method, and a body where one is given. */
export function ask(
  method: string,
  url: string,
  headers: Headers = {},
  body?: unknown,
): Promise<Reply> {
  return reply(send(method, url, body, headers).response);
}

export interface StreamReply {
  status: number;
  headers: IncomingHttpHeaders;
  frames: SseFrame[];
  /** The data of the frames that are JSON, parsed. */
  events: unknown[];
  /** The body where it is no event stream. */
  text: string;
  json: unknown;
  /** `reset`: the server broke the connection. */
  ended: 'end' | 'aborted' | 'reset';
}

export interface StreamOptions {
  /** Default: POST. */
  method?: string;
  headers?: Headers;
  /** Leave after so many frames; 0: as soon as the status is there. */
  abortAfterFrames?: number;
  /** Leaves whenever it aborts, before the status too. */
  signal?: AbortSignal;
  onFrame?: (frame: SseFrame, index: number) => void;
}

function onAbort(signal: AbortSignal | undefined, leave: () => void): void {
  if (signal?.aborted) leave();
  else signal?.addEventListener('abort', leave, { once: true });
}

/**
 * Posts a body and reads the event stream that answers it, strictly. An answer of another type is
 * kept as `text` and `json`.
 */
export async function postStream(
  url: string,
  body: unknown,
  options: StreamOptions = {},
): Promise<StreamReply> {
  const { request, response: sent } = send(
    options.method ?? 'POST',
    url,
    body,
    options.headers ?? {},
  );
  const result: StreamReply = {
    status: 0,
    headers: {},
    frames: [],
    events: [],
    text: '',
    json: undefined,
    ended: 'end',
  };
  const leave = (): void => {
    result.ended = 'aborted';
    request.destroy();
  };
  onAbort(options.signal, leave);
  try {
    const response = await sent;
    Object.assign(result, { status: response.statusCode ?? 0, headers: response.headers });
    if (options.abortAfterFrames === 0) leave();
    else if (response.headers['content-type']?.startsWith('text/event-stream'))
      await readFrames(response, result, options, leave);
    else result.text = await readText(response);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (result.ended !== 'aborted' && code !== 'ECONNRESET') throw error;
    if (result.ended !== 'aborted') result.ended = 'reset';
  }
  result.json = tryJson(result.text);
  return result;
}

async function readFrames(
  response: IncomingMessage,
  result: StreamReply,
  options: StreamOptions,
  leave: () => void,
): Promise<void> {
  const splitter = new FrameSplitter();
  for await (const bytes of response) {
    for (const frame of splitter.push(bytes as Buffer)) {
      const parsed = tryJson(frame.data ?? '');
      if (parsed !== undefined) result.events.push(parsed);
      result.frames.push(frame);
      options.onFrame?.(frame, result.frames.length - 1);
      if (result.frames.length === options.abortAfterFrames) {
        leave();
        return;
      }
    }
  }
  splitter.end();
}
