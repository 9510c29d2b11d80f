import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { openRaw, parseReply } from '../helpers/raw.js';
import { ask } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
/** A server that hands each request to the gateway's router. */
let server: Server;
let url: string;
/** Whether the last answer was complete in the turn of the event loop in which the request came. */
let isAtOnce: boolean;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
  });
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
  await upstream.close();
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

describe('a stream', () => {
  const body = JSON.stringify({
    model: 'up/gpt-test',
    stream: true,
    messages: [{ role: 'user', content: 'hi' }],
  });
  const post = (version: string): string =>
    [
      `POST /v1/chat/completions HTTP/${version}`,
      'host: x',
      `authorization: ${gateway.auth.authorization}`,
      'content-type: application/json',
      'connection: close',
      `content-length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  const raw = async (version: string, of = server): Promise<string> => {
    const socket = connect((of.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
    socket.write(post(version));
    return (await socket.toArray()).join('');
  };

  it('comes in the chunks of HTTP/1.1, whole', async () => {
    const reply = await raw('1.1');
    expect(reply).toMatch(/transfer-encoding: chunked/i);
    expect(reply.slice(reply.indexOf('\r\n\r\n') + 4)).toMatch(
      /^(?:[\da-f]+\r\ndata: [^]*\r\n)*?[^]*data: \[DONE\]\n\n\r\n0\r\n\r\n$/,
    );
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...gateway.auth, 'content-type': 'application/json' },
      body,
    });
    expect(await answer.text()).toMatch(/^data: \{[^]*\}\n\ndata: \[DONE\]\n\n$/);
  });

  it('comes without chunks to a client of HTTP/1.0', async () => {
    const reply = await raw('1.0');
    expect(reply).not.toMatch(/transfer-encoding/i);
    expect(reply).toMatch(/\r\n\r\ndata: [^]*\}\n\ndata: \[DONE\]\n\n$/);
  });

  it('goes as it is through a host that writes in its own way', async () => {
    const host = createServer((req, res) => {
      const write = res.write.bind(res);
      const written: string[] = [];
      res.write = ((text: string) => {
        written.push(text);
        return write(text);
      }) as typeof res.write;
      res.on('finish', () => expect(written.join('')).toMatch(/^(?:data: |$)/));
      gateway.gateway.router(req, res, () => res.end());
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    expect(await raw('1.1', host)).toMatch(/\r\n[\da-f]+\r\ndata: [^]*0\r\n\r\n$/);
    host.close();
  });
});
