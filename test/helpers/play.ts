import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Asked, Dialect, Frame } from './dialects/dialect.js';
import { type BodyKind, splitEvents } from './recorded.js';
import { type Answer, type Cut, fullAnswer, meaningOf, type Step } from './steps.js';

/** One request that waits for its answer. */
export interface Call {
  asked: Asked;
  /** Undefined where the path belongs to no dialect: then only statuses and raw bodies work. */
  dialect: Dialect | undefined;
  res: ServerResponse;
  /** Aborts when the connection has closed, from either side. */
  gone: AbortSignal;
  /** Ends the connection with a TCP reset. */
  reset: () => void;
}

// long enough for the peer to read what came before, short enough for a test
const beforeResetMs = 20;

const whenGone = (call: Call): Promise<void> =>
  new Promise((resolve) => {
    if (call.gone.aborted) resolve();
    else call.gone.addEventListener('abort', () => resolve(), { once: true });
  });

/** Cuts a body into writes. `events` are kept as they are for `events`. */
export function cutBody(events: Buffer[], cut: Cut): Buffer[] {
  if (cut === 'events') return events;
  const body = Buffer.concat(events);
  if (cut === 'whole') return [body];
  const size = cut === 'bytes' ? 1 : cut;
  return Array.from({ length: Math.ceil(body.length / size) }, (_, i) =>
    body.subarray(i * size, (i + 1) * size),
  );
}

/** Writes HTTP chunks: TCP may join small writes, but a parser reports each chunk. */
function httpChunks(pieces: Buffer[]): Buffer {
  return Buffer.concat(
    pieces.flatMap((piece) => [
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from('\r\n'),
    ]),
  );
}

async function write(call: Call, pieces: Buffer[], betweenMs = 0): Promise<void> {
  const { res } = call;
  const filled = pieces.filter((piece) => piece.length > 0);
  res.flushHeaders();
  if (betweenMs === 0) {
    if (filled.length > 0) res.socket?.write(httpChunks(filled));
    return;
  }
  for (const piece of filled) {
    res.write(piece);
    await wait(betweenMs, undefined, { signal: call.gone });
  }
}

function head(
  call: Call,
  status: number,
  contentType: string,
  headers: OutgoingHttpHeaders = {},
): void {
  call.res.writeHead(status, { 'content-type': contentType, ...headers });
}

async function whole(
  call: Call,
  status: number,
  body: unknown,
  headers?: OutgoingHttpHeaders,
  cut: Cut = 'whole',
): Promise<void> {
  const isText = typeof body === 'string' || Buffer.isBuffer(body);
  head(call, status, isText ? 'text/plain' : 'application/json', headers);
  await write(call, cutBody([isText ? Buffer.from(body) : Buffer.from(JSON.stringify(body))], cut));
  call.res.end();
}

async function unended(call: Call, status: number, body: unknown, drips: boolean): Promise<void> {
  head(call, status, 'application/json');
  call.res.write(JSON.stringify(body));
  const drip = drips ? setInterval(() => call.res.write(' '), 10) : undefined;
  await whenGone(call);
  clearInterval(drip);
}

function garbage(dialect: Dialect, streamed: boolean): Buffer {
  if (!streamed) return Buffer.from('<html>busy</html>');
  return dialect.streamType.startsWith('text/')
    ? Buffer.from('data: {"oops": \n\ndata: ]\n\n')
    : Buffer.alloc(64, 7);
}

/** The events of an answer, split after its first contents. */
function split(
  frames: Frame[],
  contents = 1,
): { opening: Buffer[]; content: Buffer[]; rest: Buffer[] } {
  const withContent = frames.flatMap(({ kind }, index) => (kind === 'content' ? [index] : []));
  const first = withContent[0] ?? frames.length;
  const last = withContent[Math.min(contents, withContent.length) - 1] ?? frames.length;
  const bytes = frames.map((frame) => frame.bytes);
  return {
    opening: bytes.slice(0, first),
    content: bytes.slice(0, last + 1),
    rest: bytes.slice(last + 1),
  };
}

const half = (bytes: Buffer): Buffer => bytes.subarray(0, Math.ceil(bytes.length / 2));

function kindOf(contentType: string): BodyKind {
  if (contentType.includes('event-stream')) return 'sse';
  if (contentType.includes('amazon.eventstream')) return 'eventstream';
  return contentType.includes('ndjson') ? 'ndjson' : 'json';
}

/** The part of an answer that is sent before a fault; half of the JSON where it is not streamed. */
function sentBefore(
  when: string,
  frames: Frame[] | null,
  json: Buffer,
  contents?: number,
): Buffer[] {
  if (!frames) return when === 'afterHeaders' ? [] : [half(json)];
  const { opening, content, rest } = split(frames, contents);
  switch (when) {
    case 'afterHeaders':
      return [];
    case 'afterFirstEvent':
      return opening.slice(0, 1);
    case 'halfFrame':
      return [...content, half(rest[0] ?? Buffer.alloc(0))];
    default:
      return content;
  }
}

function withoutMarker(frames: Frame[] | null, json: Buffer, how: true | 'afterFinish'): Buffer[] {
  if (!frames) return [half(json)];
  return frames
    .filter(({ kind }) => kind !== 'end' && (how === 'afterFinish' || kind !== 'finish'))
    .map(({ bytes }) => bytes);
}

/**
 * Plays one step in the dialect of the call. Returns when the answer is written or the peer has
 * left.
 */
export async function play(step: Step, call: Call): Promise<void> {
  if ('raw' in step) {
    head(call, step.status ?? 200, step.contentType, step.headers);
    await write(
      call,
      cutBody(
        step.events ?? splitEvents(step.raw, kindOf(step.contentType)),
        step.writes ?? 'whole',
      ),
    );
    call.res.end();
    return;
  }
  if ('delayMs' in step && step.delayMs) await wait(step.delayMs, undefined, { signal: call.gone });
  const { dialect } = call;
  if ('status' in step) {
    const body =
      step.body ?? dialect?.error(meaningOf(step.status), `scripted ${step.status}`).body ?? '';
    if (step.unended) await unended(call, step.status, body, step.unended === 'dripping');
    else await whole(call, step.status, body, step.headers);
    return;
  }
  if (!dialect) {
    await whole(call, 404, { error: { message: `no dialect is spoken at ${call.asked.path}` } });
    return;
  }
  await inDialect(step, call, dialect);
}

type DialectStep = Exclude<Step, { raw: Buffer } | { status: number }>;

async function inDialect(step: DialectStep, call: Call, dialect: Dialect): Promise<void> {
  const streamed = dialect.wantsStream(call.asked);
  const answer: Answer = 'garbage' in step ? {} : step;
  if ('refuseStream' in step && streamed) {
    await whole(
      call,
      400,
      dialect.error(
        'bad_request',
        'Streaming is not supported with this model: stream must be false',
      ).body,
    );
    return;
  }
  const frames = streamed ? dialect.frames(fullAnswer(answer), call.asked) : null;
  const json = Buffer.from(JSON.stringify(dialect.json(fullAnswer(answer), call.asked)));
  const fault = 'hang' in step ? step.hang : 'reset' in step ? step.reset : null;
  if (fault !== 'beforeHeaders')
    head(call, 200, streamed ? dialect.streamType : 'application/json', answer.headers);
  if (fault) {
    if (fault !== 'beforeHeaders')
      await write(call, sentBefore(fault, frames, json, answer.contents));
    if ('hang' in step) return whenGone(call);
    if (fault !== 'beforeHeaders') await wait(beforeResetMs, undefined, { signal: call.gone });
    call.reset();
    return;
  }
  await write(
    call,
    cutBody(eventsOf(step, dialect, frames, json), cutOf(step)),
    'slowBytes' in step ? step.slowBytes : answer.betweenMs,
  );
  call.res.end();
}

function cutOf(step: DialectStep): Cut {
  if ('slowBytes' in step) return 'bytes';
  return 'garbage' in step ? 'whole' : (step.cut ?? 'events');
}

function eventsOf(
  step: DialectStep,
  dialect: Dialect,
  frames: Frame[] | null,
  json: Buffer,
): Buffer[] {
  if ('garbage' in step) return [garbage(dialect, frames !== null)];
  if ('endWithoutMarker' in step) return withoutMarker(frames, json, step.endWithoutMarker);
  if ('errorUnder200' in step) {
    const meaning = step.meaning ?? 'overloaded';
    const message = `scripted ${meaning}`;
    if (!frames) return [Buffer.from(JSON.stringify(dialect.error(meaning, message).body))];
    const before =
      step.errorUnder200 === 'afterContent' ? split(frames, step.contents).content : [];
    return [...before, dialect.errorFrame(meaning, message)];
  }
  return frames?.map(({ bytes }) => bytes) ?? [json];
}
