import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { openRaw, parseReply } from '../helpers/raw.js';
import { ask } from '../helpers/sse.js';

let gateway: RunningGateway;
/** A server that hands each request to the gateway's router. */
let server: Server;
let url: string;
/** Whether the last answer was complete in the turn of the event loop in which the request came. */
let isAtOnce: boolean;
beforeAll(async () => {
  gateway = await startGateway();
  server = createServer((req, res) => {
    setImmediate(() => (isAtOnce = res.writableEnded));
    gateway.gateway.router(req, res, () => res.writeHead(404).end('the host'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await gateway.close();
});

describe('the router of the whole gateway', () => {
  it.each([
    ['GET', '/healthz', 200],
    ['POST', '/healthz', 405],
    ['GET', '/HealthZ', 200],
    ['GET', '/v1/models', 200],
    ['PUT', '/v1/chat/completions', 405],
    ['PUT', '/api/v1/completions', 405],
    ['PUT', '/api/v1/chat/completions/', 405],
    ['PUT', '/api/v1/model-select', 405],
    ['PUT', '/api/v1/model-router/model-select', 405],
    ['PUT', '/metrics', 405],
    ['PUT', '/v2/modelRouter/modelSelect', 405],
  ])(
    'answers %s %s in the turn of the event loop in which it came',
    async (method, path, status) => {
      const reply = await ask(method, url + path, gateway.auth);
      expect(reply.status).toBe(status);
      expect(isAtOnce).toBe(true);
    },
  );

  it.each([
    ['/api/v1/chat/conversation', 405],
    ['/api/v1/keys?limit=1', 405],
    ['/v1x', 404],
    ['/api/v1/modelx', 404],
    ['/other', 404],
    ['/', 404],
  ])('finds who answers PUT %s', async (path, status) => {
    const reply = await ask('PUT', url + path, gateway.auth);
    expect(reply.status).toBe(status);
  });

  it('reads request lines that name the host', async () => {
    const { port } = server.address() as AddressInfo;
    const { socket, received, closed } = openRaw(port);
    socket.write(
      `GET http://127.0.0.1:${port}/healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
    );
    await closed;
    expect(parseReply(received()).status).toBe(200);
  });
});
