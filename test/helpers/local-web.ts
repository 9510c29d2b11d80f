import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import type { AddressLookup } from '../../src/grounding/reading/web-request.js';
import { PageReader } from '../../src/grounding/reading/page-reader.js';
import type { PageReaderOptions } from '../../src/grounding/reading/page-reader-options.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server on a port of its own that counts what reaches it. */
export interface LocalWeb {
  readonly port: number;
  /** Accepted connections. */
  connections: number;
  readonly requests: IncomingMessage[];
  url(path: string): string;
  close(): Promise<void>;
}

/** The name under which the local web is known to `webReader`. */
export const webHost = 'web.example';

/** @param pages by path without query; others are 404 */
export async function startWeb(pages: Record<string, Answer | undefined>): Promise<LocalWeb> {
  const server = createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    web.requests.push(request);
    const answer = pages[new URL(request.url ?? '', 'http://x').pathname];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  server.on('connection', () => web.connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const web: LocalWeb = {
    port,
    connections: 0,
    requests: [],
    url: (path) => `http://${webHost}:${port}${path}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return web;
}

/** A server that speaks bytes, for answers that no HTTP library would send. */
export async function startRawWeb(answer: (socket: Socket) => void): Promise<LocalWeb> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    web.connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const web: LocalWeb = {
    port,
    connections: 0,
    requests: [],
    url: (path) => `http://${webHost}:${port}${path}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return web;
}

/** Answers a page. */
export const page =
  (
    body: string | Uint8Array,
    headers: Record<string, string | string[]> = {},
    status = 200,
  ): Answer =>
  (_request, response) =>
    void response
      .writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers })
      .end(body);

/** Answers a redirect. */
export const redirect =
  (location: string, status = 302): Answer =>
  (_request, response) =>
    void response.writeHead(status, { location }).end();

/** Every name is this machine. */
export const localLookup: AddressLookup = () =>
  Promise.resolve([{ address: '127.0.0.1', family: 4 }]);

/**
 * A reader for which the local web is the host `web.example`, exempt on this one port. Limits of
 * time are those of a busy machine.
 */
export function webReader(
  web: Pick<LocalWeb, 'port'>,
  options: PageReaderOptions = {},
): PageReader {
  return new PageReader({
    allowPrivateHosts: [`${webHost}:${web.port}`],
    lookup: localLookup,
    obeyRobots: false,
    totalTimeoutMs: 60_000,
    headersTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    extractionTimeoutMs: 60_000,
    pdfTimeoutMs: 60_000,
    ...options,
  });
}
