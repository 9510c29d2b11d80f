import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.js';
import type { Toolkits } from '../../../src/grounding/toolkits/toolkits.js';
import { collectGarbage } from '../../helpers/collect-garbage.js';
import { startHttpMcp, textResult, type HttpMcp, type McpScript } from '../../helpers/http-mcp.js';
import { callOnce, serverProgram, signal, toolkitsOf, toolOf } from '../../helpers/toolkits.js';
import { until } from '../../helpers/until.js';

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

function open(url: string, settings: Record<string, unknown> = {}): Toolkits {
  const { toolkits } = toolkitsOf({
    net: { type: 'mcp-http', url, era: 'handshake', ...settings },
  });
  ending.push(() => toolkits.close());
  return toolkits;
}
async function start(script?: McpScript): Promise<HttpMcp> {
  const server = await startHttpMcp(script);
  ending.push(() => server.close());
  return server;
}
/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('an MCP server at an address', () => {
  it.each(['auto', 'handshake'])('offers and runs its tools (era %s)', async (era) => {
    const port = await freePort();
    const child = spawn(process.execPath, [serverProgram('server-everything'), 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    ending.push(() => child.kill());
    const url = `http://127.0.0.1:${port}/mcp`;
    await until(() =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
    const toolkits = open(url, { era });
    expect((await callOnce(toolkits, 'net__get-sum', { a: 1, b: 2 })).text).toBe(
      'The sum of 1 and 2 is 3.',
    );
  });

  it('gets the configured headers with every request, and one session for all', async () => {
    const server = await start();
    const toolkits = open(server.url, { headers: { Authorization: 'Bearer t0ken' } });
    await callOnce(toolkits, 'net__echo');
    await callOnce(toolkits, 'net__echo');
    expect(new Set(server.asked.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer t0ken']),
    );
    expect(server.asked.filter(({ rpc }) => rpc === 'initialize')).toHaveLength(1);
    await toolkits.close();
    expect(server.asked.at(-1)).toMatchObject({ method: 'DELETE' });
  });

  it('is connected anew when it has forgotten the session', async () => {
    const server = await start();
    const toolkits = open(server.url);
    const { tools } = await toolkits.open([{ name: 'net' }], ['*'], signal());
    server.forget();
    const results = await Promise.all(
      [1, 2, 3].map(() => toolOf(tools, 'net__echo').run({}, { signal: signal() })),
    );
    expect(results.map(({ text }) => text)).toEqual(['echoed', 'echoed', 'echoed']);
    expect(server.asked.filter(({ rpc }) => rpc === 'initialize')).toHaveLength(2);
  });

  it('is asked again for its tools when it says that they have changed', async () => {
    const server = await start();
    const toolkits = open(server.url);
    await callOnce(toolkits, 'net__echo');
    await until(() => server.asked.some(({ method }) => method === 'GET'));
    server.addTool('more');
    await until(async () => {
      const { tools } = await toolkits.open([{ name: 'net' }], ['*'], signal());
      return tools.length === 2;
    });
  });

  it.each<[string, McpScript, string]>([
    [
      'answers 500',
      { before: (_asked, response) => !response.writeHead(500).end('broken').writable || true },
      'net: it answered 500',
    ],
    [
      'answers with a page',
      {
        before: (_asked, response) =>
          Boolean(response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')),
      },
      'net: Unexpected content type: text/html',
    ],
    ['never answers', { before: () => true }, 'net: no answer within 500 ms'],
    [
      'redirects elsewhere',
      {
        before: (_asked, response) =>
          Boolean(response.writeHead(307, { location: 'http://127.0.0.1:1/mcp' }).end()),
      },
      'net: it answered 307',
    ],
  ])('that %s fails the request with status 502', async (_name, script, message) => {
    const server = await start(script);
    const toolkits = open(server.url, { timeoutMs: 500 });
    await expect(toolkits.open([{ name: 'net' }], ['*'], signal())).rejects.toMatchObject({
      status: 502,
      message,
    });
  });

  it('that is not there fails the request with status 502', async () => {
    const toolkits = open(`http://127.0.0.1:${await freePort()}/mcp`);
    await expect(toolkits.open([{ name: 'net' }], ['*'], signal())).rejects.toMatchObject({
      status: 502,
      message: 'net: the connection was refused',
    });
  });
});

describe('a redirect', () => {
  it('is followed within the origin of an MCP server', async () => {
    const server = await start({
      before: ({ path }, response) =>
        path === '/old' && Boolean(response.writeHead(307, { location: '/mcp' }).end()),
    });
    const toolkits = open(server.url.replace('/mcp', '/old'));
    expect((await callOnce(toolkits, 'net__echo')).text).toBe('echoed');
  });

  it('in circles ends', async () => {
    const server = await start({
      before: (_asked, response) => Boolean(response.writeHead(307, { location: '/mcp' }).end()),
    });
    await expect(open(server.url).open([{ name: 'net' }], ['*'], signal())).rejects.toMatchObject({
      message: 'net: it answered 307',
    });
  });
});

describe('a call over HTTP', () => {
  it('that gets no answer ends in time', async () => {
    const server = await start({ call: (_id, response) => void response.writeHead(200) });
    const result = await callOnce(open(server.url, { timeoutMs: 500 }), 'net__echo');
    expect(result).toMatchObject({
      text: 'The tool failed: no answer within 500 ms.',
      isError: true,
    });
  });

  it.each([
    ['comments', ': still here'],
    ['progress', 'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}'],
  ])('that gets nothing but %s ends in time', async (_name, event) => {
    let isOpen = true;
    const server = await start({
      call: (_id, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const writing = setInterval(() => response.write(`${event}\n\n`), 20);
        response.on('close', () => {
          clearInterval(writing);
          isOpen = false;
        });
      },
    });
    const result = await callOnce(open(server.url, { timeoutMs: 500 }), 'net__echo');
    expect(result).toMatchObject({
      text: 'The tool failed: no answer within 500 ms.',
      isError: true,
    });
    // a collection of garbage must not lose what ends the request
    await until(() => {
      collectGarbage();
      return !isOpen;
    });
  });

  it('leaves no stream of notifications open when its toolkit is closed', async () => {
    let isOpen = false;
    const server = await start({
      before: ({ method }, response) => {
        if (method === 'GET') isOpen = true;
        if (method === 'GET') response.on('close', () => (isOpen = false));
        return false;
      },
    });
    const toolkits = open(server.url);
    await callOnce(toolkits, 'net__echo');
    await until(() => isOpen);
    collectGarbage();
    await toolkits.close();
    await until(() => {
      collectGarbage();
      return !isOpen;
    });
  });

  it('is cancelled when the client leaves', async () => {
    const server = await start({ call: (_id, response) => void response.writeHead(200) });
    const toolkits = open(server.url);
    const { tools } = await toolkits.open([{ name: 'net' }], ['*'], signal());
    const leaving = new AbortController();
    const call = toolOf(tools, 'net__echo').run({}, { signal: leaving.signal });
    await until(() => server.asked.some(({ rpc }) => rpc === 'tools/call'));
    leaving.abort(new GatewayError('client_closed', 'gone'));
    await expect(call).rejects.toMatchObject({ message: 'gone' });
    await until(() => server.asked.some(({ rpc }) => rpc === 'notifications/cancelled'));
  });

  it.each(['application/json', 'text/event-stream'])(
    'with an endless answer of %s is a tool error, in bounded memory',
    async (type) => {
      let isOpen = true;
      const server = await start({
        call: (_id, response) => {
          response.writeHead(200, { 'content-type': type });
          response.on('close', () => (isOpen = false));
          const write = (): void => {
            while (!response.destroyed && response.write(`data: ${'x'.repeat(65_536)}`));
          };
          response.on('drain', write);
          write();
        },
      });
      const before = process.memoryUsage().rss;
      const result = await callOnce(open(server.url, { timeoutMs: 3_000 }), 'net__echo');
      expect(result.isError).toBe(true);
      await until(() => !isOpen);
      expect(process.memoryUsage().rss - before).toBeLessThan(300e6);
    },
  );

  it('may be answered by events, also cut in pieces', async () => {
    const server = await start({
      call: (id, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const text = `event: message\ndata: ${JSON.stringify(textResult(id, 'Zürich'))}\n\n`;
        const bytes = Buffer.from(text);
        for (const byte of bytes) response.write(Buffer.from([byte]));
        response.end();
      },
    });
    expect((await callOnce(open(server.url), 'net__echo')).text).toBe('Zürich');
  });
});

describe('an access token', () => {
  interface TokenScript {
    readonly accepts: 'basic' | 'body' | 'nothing';
    readonly expiresIn?: number;
  }
  async function tokenServer({ accepts, expiresIn = 3_600 }: TokenScript) {
    const forms: { authorization: string | undefined; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { authorization } = request.headers;
        forms.push({ authorization, body });
        const isGood =
          accepts === 'basic'
            ? authorization !== undefined
            : accepts === 'body' && body.includes('client_secret=secret%3A1');
        const token = { access_token: `token-${forms.length}`, expires_in: expiresIn };
        response
          .writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' })
          .end(JSON.stringify(isGood ? token : { error: 'invalid_client' }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ending.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as AddressInfo;
    return { forms, url: `http://127.0.0.1:${port}/token` };
  }
  const auth = (tokenUrl: string) => ({
    type: 'client_credentials',
    tokenUrl,
    clientId: 'gate way',
    clientSecret: 'secret:1',
    scope: 'tools:call',
  });
  /** Accepts the tokens that it is told. */
  const guarded = (isGood: (authorization: string | undefined) => boolean): McpScript => ({
    before: ({ headers }, response) => {
      if (isGood(headers.authorization)) return false;
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return true;
    },
  });

  it('is got with the client id and secret, once for all requests', async () => {
    const tokens = await tokenServer({ accepts: 'basic' });
    const server = await start(guarded((value) => value === 'Bearer token-1'));
    const toolkits = open(server.url, { auth: auth(tokens.url) });
    expect((await callOnce(toolkits, 'net__echo')).text).toBe('echoed');
    await callOnce(toolkits, 'net__echo');
    expect(tokens.forms).toEqual([
      {
        authorization: `Basic ${Buffer.from('gate%20way:secret%3A1').toString('base64')}`,
        body: 'grant_type=client_credentials&scope=tools%3Acall',
      },
    ]);
  });

  it('is got with the secret in the body where the server wants it there', async () => {
    const tokens = await tokenServer({ accepts: 'body' });
    const server = await start(guarded((value) => value === 'Bearer token-2'));
    const toolkits = open(server.url, { auth: auth(tokens.url) });
    expect((await callOnce(toolkits, 'net__echo')).text).toBe('echoed');
  });

  it('is replaced when the server refuses it', async () => {
    const tokens = await tokenServer({ accepts: 'basic' });
    let good = 'Bearer token-1';
    const server = await start(guarded((value) => value === good));
    const toolkits = open(server.url, { auth: auth(tokens.url) });
    await callOnce(toolkits, 'net__echo');
    good = 'Bearer token-2';
    expect((await callOnce(toolkits, 'net__echo')).text).toBe('echoed');
    expect(tokens.forms).toHaveLength(2);
  });

  describe('whose endpoint the server names', () => {
    /** Names an authorization server, and that a token endpoint, at the server's own address. */
    const naming = (documents: (origin: string) => Record<string, object>): McpScript => ({
      before: ({ path, headers }, response) => {
        const document = documents(`http://${headers.host}`)[path];
        const isOpen = headers.authorization === 'Bearer token-1';
        if (!document && isOpen && !path.startsWith('/.well-known')) return false;
        const status = document ? 200 : path.startsWith('/.well-known') ? 404 : 401;
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(document ?? {}));
        return true;
      },
    });
    const resourceAt = '/.well-known/oauth-protected-resource/mcp';
    const named =
      (tokenUrl: string, resource = '/mcp') =>
      (origin: string): Record<string, object> => ({
        [resourceAt]: {
          resource: resource.startsWith('/') ? origin + resource : resource,
          authorization_servers: [origin],
        },
        '/.well-known/oauth-authorization-server': {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: tokenUrl,
          response_types_supported: ['code'],
        },
      });
    const { tokenUrl: _tokenUrl, ...unnamed } = auth('');
    const refusal = (url: string): Promise<unknown> =>
      open(url, { auth: unnamed }).open([{ name: 'net' }], ['*'], signal());

    it('is got there, for that server', async () => {
      const server = await start(
        naming((origin) => ({
          ...named(`${origin}/token`)(origin),
          '/token': { access_token: 'token-1' },
        })),
      );
      const toolkits = open(server.url, { auth: unnamed });
      expect((await callOnce(toolkits, 'net__echo')).text).toBe('echoed');
      const posts = server.asked.filter(({ path }) => path === '/token');
      expect(posts).toMatchObject([
        { method: 'POST', body: expect.stringContaining(encodeURIComponent(server.url)) as string },
      ]);
    });

    it('is asked for neither at private addresses nor without TLS, which a server might name', async () => {
      const asked: string[] = [];
      const other = createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        response.end('{}');
      });
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      ending.push(() => new Promise((resolve) => other.close(resolve)));
      const { port } = other.address() as AddressInfo;
      const private_ = `http://127.0.0.1:${port}`;
      for (const origin of [
        private_,
        private_.replace('http:', 'https:'),
        `http://localhost:${port}`,
        'https://169.254.169.254',
        'https://[::1]',
        'https://metadata.internal',
      ]) {
        const asServer = await start(
          naming((own) => ({
            [resourceAt]: { resource: `${own}/mcp`, authorization_servers: [origin] },
          })),
        );
        await expect(refusal(asServer.url)).rejects.toMatchObject({ status: 502 });
        const asEndpoint = await start(naming(named(`${origin}/token`)));
        await expect(refusal(asEndpoint.url)).rejects.toMatchObject({ status: 502 });
      }
      const redirecting = await start({
        before: ({ path }, response) => {
          const isDocument = path.startsWith('/.well-known');
          response
            .writeHead(isDocument ? 302 : 401, isDocument ? { location: private_ } : {})
            .end();
          return true;
        },
      });
      await expect(refusal(redirecting.url)).rejects.toMatchObject({ status: 502 });
      expect(asked).toEqual([]);
    });

    it('is not asked for where the endpoint has no TLS, or is none of this server’s', async () => {
      const tokens = await tokenServer({ accepts: 'basic' });
      const insecure = await start(naming(named('http://login.example.org/token')));
      await expect(refusal(insecure.url)).rejects.toMatchObject({ status: 502 });
      const foreign = await start(naming(named(tokens.url, 'https://other.example.org/mcp')));
      await expect(refusal(foreign.url)).rejects.toMatchObject({
        message: 'net: the server names the token endpoint of another server',
      });
      const silent = await start(naming(() => ({})));
      await expect(refusal(silent.url)).rejects.toMatchObject({
        message: 'net: the server names no token endpoint',
      });
      expect(tokens.forms).toEqual([]);
    });
  });

  it('is told to no model, wherever the server repeats it', async () => {
    const tokens = await tokenServer({ accepts: 'basic' });
    const server = await start({
      call: (id, response) => {
        const { authorization } = server.asked.at(-1)!.headers;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(textResult(id, `You sent ${authorization}.`)));
      },
    });
    const toolkits = open(server.url, { auth: auth(tokens.url) });
    expect((await callOnce(toolkits, 'net__echo')).text).toBe('You sent Bearer [redacted].');
  });

  it('that cannot be got fails the request, without the secret in the message', async () => {
    const tokens = await tokenServer({ accepts: 'nothing' });
    const server = await start();
    const toolkits = open(server.url, {
      auth: { ...auth(tokens.url), clientSecret: 'hidden-word' },
    });
    await expect(toolkits.open([{ name: 'net' }], ['*'], signal())).rejects.toMatchObject({
      status: 502,
      message: 'net: the token endpoint answered 401 without an access token',
    });
  });
});
