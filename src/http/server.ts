import { randomUUID } from 'node:crypto';
import {
  createServer,
  IncomingMessage,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';

/** Bounds of one HTTP server; durations in ms. */
export interface ServerLimits {
  readonly requestTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly maxHeaderBytes: number;
}

/**
 * An HTTP server for an Express app whose requests and responses are born with the app's prototypes. Express sets them on both for
 * every request, and on Node 20 and 22 changing a prototype costs more than all else it does (92 µs a request against 17).
 */
export function createHttpServer(app: Express, limits: ServerLimits): Server {
  class GatewayRequest extends IncomingMessage {}
  class GatewayResponse extends ServerResponse {}
  adopt(app, 'request', GatewayRequest.prototype);
  adopt(app, 'response', GatewayResponse.prototype);
  const server = createServer(
    {
      IncomingMessage: GatewayRequest,
      ServerResponse: GatewayResponse,
      requestTimeout: limits.requestTimeoutMs,
      // Node refuses to start where headers may take longer than the whole request
      headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
      // Node looks for the slow ones every 30 s unless told otherwise
      connectionsCheckingInterval: Math.min(5_000, Math.ceil(limits.headersTimeoutMs / 2)),
      maxHeaderSize: limits.maxHeaderBytes,
      keepAliveTimeout: 75_000,
      // what Node 22 does; with less a few chunks in one tick count as a client that cannot keep up
      highWaterMark: 65_536,
      // Node's own refusal has no body
      requireHostHeader: false,
    },
    (req, res) => {
      if (req.headers.host === undefined && req.httpVersion === '1.1')
        refuse(res, 400, 'host: is required');
      // an address that cannot be read never gets past the router
      else
        app(req as Request, res as Response, () => refuse(res, 400, 'the address cannot be read'));
    },
  );
  server.on('clientError', answerBadRequest);
  server.on('checkExpectation', (_req, res: ServerResponse) =>
    refuse(res, 417, 'expect: only 100-continue can be met'),
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
      'X-Request-Id': randomUUID(),
      Connection: 'close',
    },
    body,
  };
}

/** For what the app never sees. */
function refuse(res: ServerResponse, status: number, message: string): void {
  const { head, body } = refusal(status, message);
  res.writeHead(status, head).end(body);
}

/** Puts our prototype below the app's own and tells the app that it is its own: setting it then changes nothing. */
function adopt(app: Express, kind: 'request' | 'response', prototype: object): void {
  Object.setPrototypeOf(prototype, app[kind]);
  Reflect.set(app, kind, prototype);
}

const statusOf: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** A connection as Node's server keeps it. */
interface ServedSocket extends Socket {
  /** The answer under way on it; without documentation, but Node's own handling of these errors goes by it. */
  readonly _httpMessage?: ServerResponse | null;
}

/** What never became a request is answered all the same, as JSON; but not in the middle of the answer to the request before it. */
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
}
