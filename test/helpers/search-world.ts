import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
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
  /** What a search for some words finds; null: `pages`. */
  find: ((words: string) => FoundPage[]) | null;
  /** Called with the path of each request; the answer waits for it. Null: it is answered at once. */
  arrived: ((path: string) => Promise<void>) | null;
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
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://x');
    const json = { 'content-type': 'application/json' };
    const words = searchParams.get('q') ?? '';
    if (pathname === '/search') world.queries.push(words);
    else if (pathname !== '/robots.txt') world.read.push(pathname);
    if (pathname !== '/robots.txt') await world.arrived?.(pathname);
    if (pathname === '/search') {
      const found = world.find?.(words) ?? world.pages;
      if (world.status !== 200) res.writeHead(world.status, json).end('{}');
      else res.writeHead(200, json).end(JSON.stringify(answerOf.searxng(found)));
      return;
    }
    const html = world.web[pathname];
    if (html === undefined) res.writeHead(404).end();
    else res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  };
  const server = createServer((req, res) => void answer(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const world: SearchWorld = {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    pages: [],
    find: null,
    arrived: null,
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
