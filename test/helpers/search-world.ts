import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { answerOf, type FoundPage } from './engine-answers.js';

/** A search engine with the API of SearXNG and a small web, on one port. */
export interface SearchWorld {
  /** `http://127.0.0.1:<port>`, the engine's address. */
  url: string;
  /** `127.0.0.1:<port>`, for `search.allowPrivateHosts`. */
  host: string;
  /** What every search finds. */
  pages: FoundPage[];
  /** HTML by path. */
  web: Record<string, string>;
  /** The words of each search. */
  queries: string[];
  /** The paths that were read, without robots.txt. */
  read: string[];
  /** Set to answer searches with an error. */
  status: number;
  close(): Promise<void>;
}

export async function startSearchWorld(): Promise<SearchWorld> {
  const server = createServer((req: IncomingMessage, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://x');
    const json = { 'content-type': 'application/json' };
    if (pathname === '/search') {
      world.queries.push(searchParams.get('q') ?? '');
      if (world.status !== 200) res.writeHead(world.status, json).end('{}');
      else res.writeHead(200, json).end(JSON.stringify(answerOf.searxng(world.pages)));
      return;
    }
    const html = world.web[pathname];
    if (pathname !== '/robots.txt') world.read.push(pathname);
    if (html === undefined) res.writeHead(404).end();
    else res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const world: SearchWorld = {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    pages: [],
    web: {},
    queries: [],
    read: [],
    status: 200,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return world;
}

/** A page with an article long enough to be taken for one. */
export const articlePage = (title: string, ...paragraphs: string[]): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><nav><a href="/">Home</a></nav><article><h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}</article></body></html>`;
