import { once } from 'node:events';
import { createServer, get, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { selfSigned } from '../../fixtures/self-signed.js';
import { webReader } from '../../helpers/local-web.js';

let server: Server;
let requests = 0;
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Whether a client that trusts the certificate gets an answer. */
const trusted = (port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', servername: 'web.example', ca: selfSigned.cert };
    get(options, ({ statusCode }) => resolve(statusCode)).on('error', reject);
  });

it('a page is not read from a host whose certificate nobody vouches for', async () => {
  server = createServer(selfSigned, (_request, response) => {
    requests++;
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Trust me.</p>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const reader = webReader({ port });
  try {
    await expect(reader.read(`https://web.example:${port}/`)).rejects.toMatchObject({
      code: 'unreachable',
    });
    expect(requests).toBe(0);
    expect(await trusted(port)).toBe(200);
  } finally {
    reader.close();
  }
});
