import { newRowId } from '../../row-id.js';
import {
  createServer,
  IncomingMessage,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Express, Request, Response } from 'express';
import type { ServedSocket } from './drain.js';
import { withSingleSlashes } from '../single-slashes.js';

/** The limits of one HTTP server; durations in ms. */
export interface ServerLimits {
  readonly requestTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly maxHeaderBytes: number;
  /** Further connections are closed at once. */
  readonly maxConnections: number;
}

/** How long a refused connection stays open, so that its peer can read why. */
const refusedLingerMs = 1_000;

/**
 * Creates an HTTP server whose requests and responses have the Express app's prototypes from the
 * start. Express sets the prototypes for every request, and on Node 20 and 22 changing a prototype
 * costs more than everything else that Express does (92 µs a request against 17).
 * @param sheds refuses a request before the app; false: the app handles it
 */
export function createHttpServer(
  app: Express,
  limits: ServerLimits,
  sheds: (req: IncomingMessage, res: ServerResponse) => boolean,
): Server {
  class GatewayRequest extends IncomingMessage {}
  class GatewayResponse extends ServerResponse {}
  adopt(app, 'request', GatewayRequest.prototype);
  adopt(app, 'response', GatewayResponse.prototype);
  const server = createServer(
    {
      IncomingMessage: GatewayRequest,
      ServerResponse: GatewayResponse,
      requestTimeout: limits.requestTimeoutMs,
      // Node refuses a headers timeout above the request timeout
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      // Node's default checks for slow clients only every 30 s
      connectionsCheckingInterval: Math.min(5_000, Math.ceil(limits.headersTimeoutMs / 2)),
      maxHeaderSize: limits.maxHeaderBytes,
      keepAliveTimeout: 75_000,
      // Node 22's default; with Node 20's, a few chunks in one tick count as a slow client
      highWaterMark: 65_536,
      // Node's own refusal has no body; ours below has
      requireHostHeader: false,
    },
    (req, res) => {
      if (req.headers.host === undefined && req.httpVersion === '1.1')
        refuse(res, 400, 'host: is required');
      else if (!sheds(req, res)) {
        if (req.url) req.url = withSingleSlashes(req.url);
        // Express does not route a URL that it cannot parse
        app(req as Request, res as Response, () => refuse(res, 400, 'the URL is not valid'));
      }
    },
  );
  server.maxConnections = limits.maxConnections;
  server.on('clientError', answerBadRequest);
  server.on('checkExpectation', (_req, res: ServerResponse) =>
    refuse(res, 417, 'expect: only 100-continue is supported'),
  );
  return server;
}

interface Refusal {
  head: Record<string, string | number>;
  body: string;
}

function refusal(status: number, message: string): Refusal {
  const body = JSON.stringify({ error: STATUS_CODES[status], message });
  return {
    head: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': newRowId(),
      Connection: 'close',
    },
    body,
  };
}

/** Answers requests that never reach the app. */
function refuse(res: ServerResponse, status: number, message: string): void {
  const { head, body } = refusal(status, message);
  res.writeHead(status, head).end(body);
}

/** Gives the app a prototype derived from its own, so that setting it per request costs nothing. */
function adopt(app: Express, kind: 'request' | 'response', prototype: object): void {
  Object.setPrototypeOf(prototype, app[kind]);
  Reflect.set(app, kind, prototype);
}

const statusOf: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers an invalid request as JSON, unless a response is being written to the connection. */
function answerBadRequest(error: NodeJS.ErrnoException, socket: ServedSocket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const status = statusOf[error.code ?? ''] ?? 400;
  const message =
    status === 431
      ? 'the request headers are too large'
      : status === 408
        ? 'the request took too long to arrive'
        : 'the request is not valid HTTP';
  const { head, body } = refusal(status, message);
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  // Node no longer manages a connection after `clientError`: a peer that neither reads nor closes
  // would keep it open for ever. Discards what the peer sends meanwhile, because closing with unread
  // bytes would reset the connection and lose the answer.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), refusedLingerMs);
  socket.once('close', () => clearTimeout(timer));
}
