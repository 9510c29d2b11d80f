import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dialectOf } from '../helpers/dialects/index.js';
import { tryJson } from '../helpers/json.js';
import { play } from '../helpers/play.js';
import { fullAnswer } from '../helpers/steps.js';
import { type ChaosCall, type ChaosRequest, callOf, promptTokens, requestOf } from './script.js';

/** One call under way or ended. */
export interface PlayedCall {
  readonly id: number;
  readonly replica: string;
  readonly tokens: number;
  readonly startedAt: number;
  /** As `performance.now()`; null: it is under way. */
  endedAt: number | null;
}

/** All three providers on one port, below `/<replica>/<provider>`. */
export interface ChaosProviders {
  url: string;
  /** How often each kind of answer was played. */
  readonly played: ReadonlyMap<string, number>;
  /** Streams of which at least one call broke after its first content. */
  readonly broken: ReadonlySet<number>;
  /** Calls with a bill of the keys that are checked, by request. */
  readonly billed: ReadonlyMap<number, readonly PlayedCall[]>;
  close(): Promise<void>;
}

/** Starts the providers of a run. They know each request by its number in the prompt. */
export async function startProviders(seed: number): Promise<ChaosProviders> {
  const played = new Map<string, number>();
  const broken = new Set<number>();
  const billed = new Map<number, PlayedCall[]>();
  const attempts = new Map<string, number>();

  const note = (request: ChaosRequest, replica: string, { kind, breaks, tokens }: ChaosCall) => {
    played.set(kind, (played.get(kind) ?? 0) + 1);
    if (breaks) broken.add(request.id);
    const call: PlayedCall = {
      id: request.id,
      replica,
      tokens,
      startedAt: performance.now(),
      endedAt: null,
    };
    if (request.key === 'free' || tokens === 0) return call;
    billed.set(request.id, [...(billed.get(request.id) ?? []), call]);
    return call;
  };
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const raw = await textOf(req);
    const [, replica = '', provider = ''] = (req.url ?? '').split('/');
    const id = Number(/\[chaos (\d+)\]/.exec(raw)?.[1] ?? NaN);
    if (!(provider === 'a' || provider === 'b' || provider === 'c') || Number.isNaN(id)) {
      res.writeHead(404).end();
      return;
    }
    const request = requestOf(seed, id);
    const asked = { path: req.url ?? '', body: (tryJson(raw) ?? {}) as Record<string, unknown> };
    const streams = dialectOf(asked.path)?.wantsStream(asked) ?? false;
    const attempt = attempts.get(`${provider}${id}`) ?? 0;
    attempts.set(`${provider}${id}`, attempt + 1);
    const soFar = knownPart(asked.body, request.pieces.join(''));
    const call = callOf(seed, request, provider, { attempt, soFar, streams });
    const noted = note(request, replica, call);
    await perform(call, asked, res);
    noted.endedAt = performance.now();
  };
  const server = createServer((req, res) => {
    serve(req, res).catch(() => res.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    played,
    broken,
    billed,
    async close() {
      const stopped = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await stopped;
    },
  };
}

/** What a call costs at a USD for a million tokens. */
export const costOf = ({ tokens }: PlayedCall): number => (promptTokens + tokens) * 1e-6;

async function textOf(req: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

/** How much of its text a request brings along, whichever way it asks to go on with it. */
function knownPart(value: unknown, text: string): number {
  if (typeof value === 'object' && value !== null)
    return Math.max(0, ...Object.values(value).map((each) => knownPart(each, text)));
  if (typeof value !== 'string') return 0;
  // no prompt has this character
  const starts = [...value.matchAll(/</g)].map(({ index }) => index);
  return Math.max(0, ...starts.map((from) => commonLength(value.slice(from), text)));
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

async function perform(
  call: ChaosCall,
  asked: { path: string; body: Record<string, unknown> },
  res: ServerResponse,
): Promise<void> {
  const dialect = dialectOf(asked.path);
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  let { step } = call;
  if (call.finishReason !== undefined && dialect) {
    const events = dialect
      .frames(fullAnswer('text' in step ? step : {}), asked)
      .map(({ bytes }) => Buffer.from(String(bytes).replace('"stop"', `"${call.finishReason}"`)));
    step = {
      raw: Buffer.concat(events),
      events,
      contentType: dialect.streamType,
      writes: 'events',
    };
  }
  try {
    await play(step, {
      asked,
      dialect,
      res,
      gone: gone.signal,
      reset: () => res.socket?.resetAndDestroy(),
    });
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}
