import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { dialectOf } from './dialects/index.js';
import { tryJson } from './json.js';
import { play } from './play.js';
import type { Step } from './steps.js';

export type { Answer, Step } from './steps.js';

/** A request that the gateway sent to the upstream. */
export interface UpstreamCall {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The JSON body, or undefined if there was none. */
  body: Record<string, unknown> | undefined;
  raw: Buffer;
  /** When the request was complete, as `performance.now()`. */
  at: number;
}

/** A scripted provider on 127.0.0.1. The request's path decides its dialect. */
export interface Upstream {
  /** `http://127.0.0.1:<port>`, to be used as (the start of) a provider's base URL. */
  url: string;
  requests: UpstreamCall[];
  /**
   * Sets one step for each coming request; the last one repeats. A function gets the request. An
   * empty list gives plain answers.
   */
  script(steps: (Step | ((call: UpstreamCall) => Step))[]): void;
  /** Resolves when request `n` (the first is 0) has arrived. */
  received(n: number): Promise<UpstreamCall>;
  /**
   * Resolves when the peer has closed the connection of request `n` before its answer was whole;
   * rejects if the request was answered in full or reset by a step.
   */
  closed(n: number): Promise<unknown>;
  /** Cuts all connections and stops listening. Rejects if a step could not be played. */
  close(): Promise<void>;
}

interface Signal<T> {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (reason: Error) => void;
}

/** One promise for each number, made on first use. */
function signals<T>(): (n: number) => Signal<T> {
  const made = new Map<number, Signal<T>>();
  return (n) => {
    const known = made.get(n);
    if (known) return known;
    let resolve: Signal<T>['resolve'] = () => undefined;
    let reject: Signal<T>['reject'] = () => undefined;
    const promise = new Promise<T>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    promise.catch(() => undefined);
    const signal = { promise, resolve, reject };
    made.set(n, signal);
    return signal;
  };
}

async function readCall(req: IncomingMessage): Promise<UpstreamCall> {
  const pieces: Buffer[] = [];
  for await (const piece of req) pieces.push(piece as Buffer);
  const raw = Buffer.concat(pieces);
  return {
    method: req.method ?? '',
    path: req.url ?? '',
    headers: req.headers,
    body: tryJson(raw.toString('utf8')) as Record<string, unknown> | undefined,
    raw,
    at: performance.now(),
  };
}

async function answer(
  step: Step,
  call: UpstreamCall,
  res: ServerResponse,
  closed: Signal<null>,
): Promise<void> {
  const gone = new AbortController();
  let cutByUs = false;
  res.once('close', () => {
    gone.abort();
    if (cutByUs || res.writableFinished)
      closed.reject(new Error('the answer ended before the peer left'));
    else closed.resolve(null);
  });
  const reset = (): void => {
    cutByUs = true;
    res.socket?.resetAndDestroy();
  };
  try {
    await play(step, {
      asked: { path: call.path, body: call.body ?? {} },
      dialect: dialectOf(call.path),
      res,
      gone: gone.signal,
      reset,
    });
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Starts a scripted upstream on a free port. @param hasLists false: it has no list of models, and
 * requests for one, which the gateway makes in the background, are neither scripted nor counted
 */
export async function startUpstream({ hasLists = true } = {}): Promise<Upstream> {
  const requests: UpstreamCall[] = [];
  const received = signals<UpstreamCall>();
  const closed = signals<null>();
  const broken: unknown[] = [];
  let steps: (Step | ((call: UpstreamCall) => Step))[] = [];
  const next = (): Step | ((call: UpstreamCall) => Step) =>
    (steps.length > 1 ? steps.shift() : steps[0]) ?? {};

  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (!hasLists && req.method === 'GET' && req.url === '/v1/models') {
      res.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const call = await readCall(req);
    const n = requests.push(call) - 1;
    const step = next();
    received(n).resolve(call);
    await answer(typeof step === 'function' ? step(call) : step, call, res, closed(n));
  };
  const server = createServer((req, res) => {
    serve(req, res).catch((error: unknown) => {
      // the peer broke the request off
      if (!req.destroyed || req.complete) broken.push(error);
      res.destroy();
    });
  });
  return {
    url: await listen(server),
    requests,
    script: (given) => {
      steps = [...given];
    },
    received: (n) => received(n).promise,
    closed: (n) => closed(n).promise,
    async close() {
      const stopped = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await stopped;
      if (broken.length > 0) throw new Error('a step could not be played', { cause: broken[0] });
    },
  };
}
