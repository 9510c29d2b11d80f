import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express5 from 'express';
import express4 from 'express4';

/** A host app's server that mounts a gateway. */
export interface RunningHost {
  /** `http://127.0.0.1:<port>` */
  url: string;
  port: number;
  server: Server;
  /** Cuts all connections and stops. */
  close(): Promise<void>;
}

/** The versions of Express that hosts run, as rows for `describe.each`. */
export const expressRows = [
  ['Express 4', express4],
  ['Express 5', express5],
] as const;

/** Starts a host on a free port of 127.0.0.1, as `app.listen` would. */
export async function startHost(app: RequestListener): Promise<RunningHost> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    server,
    async close() {
      const stopped = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await stopped;
    },
  };
}
