import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inject } from 'vitest';

/** What all test files of a run share, made when the first of them asks. */
export interface Provisions {
  /** The path of redis-server, '' where it cannot be had. */
  redis(): Promise<string>;
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

/** Lets the workers of a run ask the process that started them, which outlives them all. */
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
    // a worker that was busy for seconds would ask again on a connection that is just being closed for its idleness
    response.setHeader('connection', 'close');
    make().then(
      (text) => response.end(text),
      (error: unknown) =>
        response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  // an installation may take its minutes
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

/** Asks for what the run shares. @throws with the reason where it cannot be had and must be */
export async function provision(name: keyof Provisions): Promise<string> {
  const response = await fetch(`${inject('provisionsUrl')}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
