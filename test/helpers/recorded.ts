import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { awsEvent } from './dialects/bedrock.js';
import { at, textAt, tryJson } from './json.js';

export type BodyKind = 'json' | 'sse' | 'ndjson' | 'eventstream';

/** What is kept of the request and response beside a recorded body. */
export interface RecordedMeta {
  request: { method: string; url: string; headers: Record<string, string>; body?: unknown };
  response: { status: number; headers: Record<string, string> };
}

export interface Exchange {
  /** The folder's name. */
  provider: string;
  /** The body's file name without its ending; one of a kind within the provider. */
  name: string;
  kind: BodyKind;
  /** Null for the event files that came without a request. */
  meta: RecordedMeta | null;
  bodyPath: string;
  /** Of the answer; 200 where it was not recorded, 400 where such a file is an error. */
  status: number;
  contentType: string;
}

const contentTypes: Record<BodyKind, string> = {
  json: 'application/json',
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  eventstream: 'application/vnd.amazon.eventstream',
};

/**
 * The folder of recorded traffic (`RECORDED_DIR`, by default `../shared/recorded` beside the
 * repository), or null if it is absent.
 */
export function recordedDir(): string | null {
  const dir = resolve(
    process.env['RECORDED_DIR'] ||
      fileURLToPath(new URL('../../../shared/recorded', import.meta.url)),
  );
  return existsSync(dir) ? dir : null;
}

function withMeta(provider: string, dir: string, metaFile: string): Exchange {
  const meta = JSON.parse(readFileSync(join(dir, metaFile), 'utf8')) as RecordedMeta;
  const name = metaFile.slice(0, -'.meta.json'.length);
  const ending =
    (['json', 'sse', 'ndjson', 'eventstream.bin'] as const).find((e) =>
      existsSync(join(dir, `${name}.body.${e}`)),
    ) ?? 'json';
  const kind = ending === 'eventstream.bin' ? 'eventstream' : ending;
  return {
    provider,
    name,
    kind,
    meta,
    bodyPath: join(dir, `${name}.body.${ending}`),
    status: meta.response.status,
    contentType: meta.response.headers['content-type'] ?? contentTypes[kind],
  };
}

function withoutMeta(provider: string, bodyPath: string): Exchange {
  const name = `vercel-ai/${basename(bodyPath)}`;
  const text = readFileSync(bodyPath, 'utf8');
  const isAws = name.endsWith('.chunks.txt') && framingOf(text.split('\n', 1)[0] ?? '') === 'aws';
  const kind = name.endsWith('.json') ? 'json' : isAws ? 'eventstream' : 'sse';
  const failed =
    kind === 'json' && at(tryJson(text), 'error') && textAt(tryJson(text), 'object') !== 'response';
  return {
    provider,
    name,
    kind,
    meta: null,
    bodyPath,
    status: failed ? 400 : 200,
    contentType: contentTypes[kind],
  };
}

/** Every exchange of the folder, by provider and name. */
export function listRecorded(dir: string): Exchange[] {
  const isFolder = (name: string): boolean => !name.includes('.');
  return readdirSync(dir)
    .filter(isFolder)
    .sort()
    .flatMap((provider) => {
      const folder = join(dir, provider);
      const files = readdirSync(folder).sort();
      const bare = files.includes('vercel-ai') ? readdirSync(join(folder, 'vercel-ai')).sort() : [];
      return [
        ...files
          .filter((file) => file.endsWith('.meta.json'))
          .map((file) => withMeta(provider, folder, file)),
        ...bare.map((file) => withoutMeta(provider, join(folder, 'vercel-ai', file))),
      ];
    });
}

type Framing = 'openai' | 'named' | 'gemini' | 'aws';

/** How the lines of an event file were framed on the wire, seen from one of them. */
function framingOf(line: string): Framing {
  if (/^\{"(messageStart|contentBlock\w+|messageStop|metadata)":/.test(line)) return 'aws';
  if (/"candidates"\s*:/.test(line)) return 'gemini';
  return /"type"\s*:\s*"(response\.|message_|content_block|ping|message-|error)/.test(line)
    ? 'named'
    : 'openai';
}

function frameLine(line: string, framing: Framing): Buffer {
  if (framing === 'openai') return Buffer.from(`data: ${line}\n\n`);
  if (framing === 'gemini') return Buffer.from(`data: ${line}\r\n\r\n`);
  if (framing === 'named')
    return Buffer.from(
      `event: ${/"type"\s*:\s*"([^"]+)"/.exec(line)?.[1] ?? ''}\ndata: ${line}\n\n`,
    );
  const [type, payload] = Object.entries(JSON.parse(line) as Record<string, unknown>)[0] ?? [
    '',
    {},
  ];
  return awsEvent(type, payload);
}

/** The body as it came over the wire; event files are framed in their dialect's way. */
export function bodyOf(exchange: Exchange): Buffer {
  const body = readFileSync(exchange.bodyPath);
  if (!exchange.bodyPath.endsWith('.chunks.txt')) return body;
  const lines = body
    .toString('utf8')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  const framing = framingOf(lines[0] ?? '');
  const frames = lines.map((line) => frameLine(line, framing));
  return Buffer.concat(
    framing === 'openai' ? [...frames, Buffer.from('data: [DONE]\n\n')] : frames,
  );
}

/** Cuts a body after each event, losing nothing: joined again it is the body. JSON is one piece. */
export function splitEvents(body: Buffer, kind: BodyKind): Buffer[] {
  const pieces: Buffer[] = [];
  let start = 0;
  const end = kind === 'eventstream' ? awsEnd : (from: number): number => lineEnd(body, from, kind);
  while (start < body.length) {
    const next = kind === 'json' ? body.length : Math.min(body.length, end(start, body));
    pieces.push(body.subarray(start, next));
    start = next;
  }
  return pieces;
}

// an AWS frame begins with its own length
const awsEnd = (from: number, body: Buffer): number =>
  from + (body.length - from < 4 ? 4 : Math.max(16, body.readUInt32BE(from)));

function lineEnd(body: Buffer, from: number, kind: BodyKind): number {
  const marks = kind === 'ndjson' ? ['\n'] : ['\n\n', '\r\n\r\n', '\r\r'];
  const ends = marks
    .map((mark) => body.indexOf(mark, from) + mark.length)
    .filter((end, i) => end > from + (marks[i]?.length ?? 0) - 1);
  return ends.length > 0 ? Math.min(...ends) : body.length;
}
