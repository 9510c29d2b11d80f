import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inject } from 'vitest';

/** What all test files of a run share. Each is made at the first request for it. */
export interface Provisions {
  /** The path of redis-server, '' if it is not available. */
  redis(): Promise<string>;
  /** The path of chromium, '' if it is not available. */
  chromium(): Promise<string>;
  /** The URL of a PostgreSQL whose user may make databases. */
  postgres(): Promise<string>;
  /** The URL of a new database there. */
  database(): Promise<string>;
}

declare module 'vitest' {
  interface ProvidedContext {
    provisionsUrl: string;
  }
}

/** Serves the provisions to the workers, from the process that starts them. */
export async function offerProvisions(
  provisions: Provisions,
): Promise<{ url: string; close(): void }> {
  const word = randomUUID();
  const offers = new Map(
    Object.entries(provisions).map(([name, make]) => [
      `/${word}/${name}`,
      make as () => Promise<string>,
    ]),
  );
  const server = createServer((request, response) => {
    const make =
      offers.get(request.url ?? '') ??
      (() => Promise.reject(new Error('there is no such provision')));
    // a worker that was busy for seconds could reuse a connection that is just closing as idle
    response.setHeader('connection', 'close');
    make().then(
      (text) => response.end(text),
      (error: unknown) =>
        response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  // an installation may take minutes
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${word}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Gets a shared provision. @throws Error with the reason where it is required and not available */
export async function provision(name: keyof Provisions): Promise<string> {
  const response = await fetch(`${inject('provisionsUrl')}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
