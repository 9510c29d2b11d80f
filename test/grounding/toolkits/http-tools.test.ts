import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.js';
import type { Toolkits } from '../../../src/grounding/toolkits/toolkits.js';
import { collectGarbage } from '../../helpers/collect-garbage.js';
import { runs } from '../../helpers/runs.js';
import { callOnce, signal, toolkitsOf, toolOf } from '../../helpers/toolkits.js';
import { until } from '../../helpers/until.js';

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let asked: Asked[];
/** Answers in place of the echo. */
let answer: ((request: Asked, response: ServerResponse) => void) | null;
let base: string;
let close: () => Promise<void>;
const ending: Toolkits[] = [];

beforeEach(async () => {
  asked = [];
  answer = null;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body };
      asked.push(one);
      if (answer) answer(one, response);
      else response.end(JSON.stringify({ method, url }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
});
afterEach(async () => {
  await Promise.all(ending.splice(0).map((toolkits) => toolkits.close()));
  await close();
});

/** Begins an answer that never ends. */
function drip(_request: Asked, response: ServerResponse): void {
  const dripping = setInterval(() => {
    collectGarbage();
    response.write(' ');
  }, 20);
  response.on('close', () => clearInterval(dripping));
}

function open(written: Parameters<typeof toolkitsOf>[0]): Toolkits {
  const { toolkits } = toolkitsOf(written);
  ending.push(toolkits);
  return toolkits;
}

describe('functions', () => {
  const lookup = (more: Record<string, unknown> = {}) => ({
    local: {
      type: 'functions' as const,
      headers: { 'X-Team': 'sales', Authorization: 'Bearer hidden-word' },
      functions: [
        {
          name: 'lookup',
          description: 'Looks up a customer.',
          parameters: {
            type: 'object',
            properties: { number: { type: 'integer' } },
            required: ['number'],
          },
          url: `${base}/lookup`,
          headers: { 'X-Kind': 'one' },
        },
      ],
      ...more,
    },
  });

  it('get the arguments as JSON, and answer with their body', async () => {
    const toolkits = open(lookup({ pricePerCall: 0.002 }));
    expect(await callOnce(toolkits, 'local__lookup', { number: 7 })).toEqual({
      text: '{"method":"POST","url":"/lookup"}',
      isError: false,
      costUsd: 0.002,
    });
    expect(asked[0]).toMatchObject({
      body: '{"number":7}',
      headers: { 'content-type': 'application/json', 'x-team': 'sales', 'x-kind': 'one' },
    });
  });

  it('are not called with arguments that do not fit their schema', async () => {
    const toolkits = open(lookup({ pricePerCall: 0.002 }));
    expect(await callOnce(toolkits, 'local__lookup', { number: 'seven' })).toEqual({
      text: "The arguments do not fit the tool's schema: `number` must be integer.",
      isError: true,
      costUsd: 0,
    });
    expect((await callOnce(toolkits, 'local__lookup')).text).toContain(
      "must have required property 'number'",
    );
    expect(asked).toEqual([]);
  });

  it.each<[string, (request: Asked, response: ServerResponse) => void, string]>([
    [
      'an error',
      (_request, response) => response.writeHead(500).end('out of order'),
      'The tool answered with status 500, an error: out of order',
    ],
    [
      'a redirect',
      (_request, response) => response.writeHead(302, { location: '/other' }).end(),
      'The tool answered with status 302, a redirect, which is not followed',
    ],
    ['nothing', () => undefined, 'The tool failed: no answer within 400 ms.'],
    ['drops without end', drip, 'The tool failed: no answer within 400 ms.'],
    [
      'a broken connection',
      (_request, response) => response.socket?.destroy(),
      'The tool failed: the connection was closed.',
    ],
    [
      'its credentials',
      ({ headers }, response) => response.writeHead(400).end(headers.authorization),
      'The tool answered with status 400, an error: [redacted]',
    ],
  ])('that answer with %s give a tool error', async (_name, script, text) => {
    answer = script;
    // a busy machine may be late with the others
    const toolkits = open(lookup({ timeoutMs: text.includes('400 ms') ? 400 : 30_000 }));
    expect(await callOnce(toolkits, 'local__lookup', { number: 1 })).toMatchObject({
      text,
      isError: true,
    });
  });

  it('have endless answers cut, and their connection ended', async () => {
    let isOpen = true;
    answer = (_request, response) => {
      response.on('close', () => (isOpen = false));
      const write = (): void => {
        while (!response.destroyed && response.write('é'.repeat(10_000)));
      };
      response.on('drain', write);
      write();
    };
    const toolkits = open(lookup({ maxResultChars: 500 }));
    const { text, isError } = await callOnce(toolkits, 'local__lookup', { number: 1 });
    expect(text).toBe(`${'é'.repeat(500)}\n[cut: the result is longer]`);
    expect(isError).toBe(false);
    await until(() => !isOpen);
  });

  it('are called as often as the request allows', async () => {
    const toolkits = open(lookup());
    const choice = { name: 'local', maxCalls: 2 };
    const { tools } = await toolkits.open([choice], ['*'], signal());
    const call = () => toolOf(tools, 'local__lookup').run({ number: 1 }, { signal: signal() });
    const results = [await call(), await call(), await call()];
    expect(results.map(({ isError }) => isError)).toEqual([false, false, true]);
    expect(results[2]?.text).toBe(
      'This request may call the tools of local 2 times, and has done so.',
    );
    expect(asked).toHaveLength(2);
  });

  it('are handed to the client where the configuration says so', async () => {
    const toolkits = open(lookup({ approval: { client: ['look*'] } }));
    const { tools } = await toolkits.open([{ name: 'local' }], ['*'], signal());
    expect(tools[0]?.approval).toBe('client');
  });
});

describe('a request', () => {
  const functions = ['read_a', 'read_b', 'write'].map((name) => ({
    name,
    url: 'http://a.example',
  }));
  const written = {
    local: { type: 'functions', tools: ['read_*'], functions },
    empty: { type: 'functions', functions: [] },
  } as const;
  const refused = async (...args: Parameters<Toolkits['open']>): Promise<string> => {
    const failure = await open(written)
      .open(...args)
      .catch((error: unknown) => error);
    if (!(failure instanceof GatewayError) || failure.status !== 422) throw new Error('not 422');
    return failure.message;
  };

  it('gets the tools that the configuration and the request allow', async () => {
    const names = async (tools?: string[]) => {
      const opened = await open(written).open([{ name: 'local', tools }], ['lo*'], signal());
      return opened.tools.map(({ name }) => name);
    };
    expect(await names()).toEqual(['local__read_a', 'local__read_b']);
    expect(await names(['*_b', 'write'])).toEqual(['local__read_b']);
  });

  it('is refused for toolkits that it cannot have, whichever it is', async () => {
    expect(await refused([{ name: 'local' }], [], signal())).toBe(
      'toolkits[0]: this API key may not use the toolkit local',
    );
    expect(await refused([{ name: 'local' }, { name: 'shop' }], ['*'], signal())).toBe(
      'toolkits[1]: there is no toolkit named shop',
    );
    expect(await refused([{ name: 'shop' }], ['local'], signal())).toBe(
      'toolkits[0]: this API key may not use the toolkit shop',
    );
    expect(await refused([{ name: 'local' }, { name: 'local' }], ['*'], signal())).toBe(
      'toolkits[1]: local is named twice',
    );
    expect(await refused([{ name: 'empty' }], ['*'], signal())).toBe(
      'toolkits[0]: empty has no tool that this request can use',
    );
    expect(await refused([{ name: 'local', tools: ['write'] }], ['*'], signal())).toBe(
      'toolkits[0]: local has no tool that this request can use',
    );
  });
});

describe('an API with an OpenAPI document', () => {
  const document = (more: Record<string, unknown> = {}) => ({
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: '/v1' }],
    paths: {
      '/orders/{id}': {
        parameters: [{ $ref: '#/components/parameters/id' }],
        get: {
          operationId: 'getOrder',
          summary: 'One order',
          parameters: [
            { name: 'fields', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
            { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
            { name: 'Authorization', in: 'header', schema: { type: 'string' } },
          ],
        },
      },
      '/orders': {
        post: {
          operationId: 'createOrder',
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Order' } },
            },
          },
        },
        delete: { operationId: 'dropOrders' },
      },
    },
    components: {
      parameters: { id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
      schemas: {
        Order: {
          type: 'object',
          properties: { item: { type: 'string' }, parent: { $ref: '#/components/schemas/Order' } },
          required: ['item'],
        },
      },
    },
    ...more,
  });
  const serve = (value: unknown, status = 200): void => {
    answer = (request, response) => {
      if (request.url === '/openapi.json')
        response.writeHead(status).end(typeof value === 'string' ? value : JSON.stringify(value));
      else response.end(JSON.stringify({ url: request.url, body: request.body }));
    };
  };
  const shop = (more: Record<string, unknown> = {}): Toolkits =>
    open({
      shop: {
        type: 'openapi',
        url: `${base}/openapi.json`,
        headers: { 'X-Api-Key': 'hidden-word' },
        operations: ['*Order'],
        ...more,
      },
    });
  const called = (): Asked | undefined => asked.find(({ url }) => url !== '/openapi.json');

  it('offers its chosen operations with schemas of their arguments', async () => {
    serve(document());
    const { tools } = await shop().open([{ name: 'shop' }], ['*'], signal());
    expect(tools.map(({ name }) => name)).toEqual(['shop__getOrder', 'shop__createOrder']);
    expect(tools[0]?.definition.function).toEqual({
      name: 'shop__getOrder',
      description: 'One order',
      parameters: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          fields: { type: 'array', items: { type: 'string' } },
          'X-Trace': { type: 'string' },
        },
        required: ['id'],
        additionalProperties: false,
      },
    });
    expect(tools[1]?.definition.function.parameters).toMatchObject({
      properties: { body: { properties: { item: { type: 'string' }, parent: {} } } },
      required: ['body'],
    });
  });

  it('is called with path, query, headers and body', async () => {
    serve(document());
    const toolkits = shop();
    await callOnce(toolkits, 'shop__getOrder', { id: 'a/b?', fields: ['x', 'y'], 'X-Trace': 't' });
    expect(called()).toMatchObject({
      method: 'GET',
      url: '/v1/orders/a%2Fb%3F?fields=x&fields=y',
      headers: { 'x-api-key': 'hidden-word', 'x-trace': 't' },
    });
    asked = [];
    const body = { item: 'lamp' };
    expect((await callOnce(toolkits, 'shop__createOrder', { body })).isError).toBe(false);
    expect(called()).toMatchObject({ method: 'POST', url: '/v1/orders', body: '{"item":"lamp"}' });
  });

  it.each([
    'X-Api-Key',
    'x-API-key',
    'X_Api_Key',
    'Proxy-Authorization',
    'X-Forwarded-For',
    'X-HTTP-Method-Override',
    'Connection',
    'Transfer-Encoding',
    'Cookie',
  ])(
    'lets no model change the operator’s headers or those of a connection: %s is no parameter',
    async (name) => {
      const api = document();
      api.paths['/orders/{id}'].get.parameters[1]!.name = name;
      serve(api);
      const toolkits = shop();
      const { tools } = await toolkits.open([{ name: 'shop' }], ['*'], signal());
      const { properties } = tools[0]!.definition.function.parameters as { properties: object };
      expect(Object.keys(properties)).toEqual(['id', 'fields']);
      const refused = await callOnce(toolkits, 'shop__getOrder', { id: '1', [name]: 'its own' });
      expect(refused.isError).toBe(true);
      expect(called()).toBeUndefined();
      await callOnce(toolkits, 'shop__getOrder', { id: '1' });
      expect(called()!.headers['x-api-key']).toBe('hidden-word');
      expect(JSON.stringify(called())).not.toContain('its own');
    },
  );

  it('has each value of a configured header of 8 characters cut out of what models see', async () => {
    const api = document();
    api.paths['/orders/{id}'].get.summary = 'One order for se¢ret-"one" and short';
    answer = ({ url, headers }, response) =>
      response.end(url === '/openapi.json' ? JSON.stringify(api) : JSON.stringify(headers));
    const toolkits = shop({
      headers: { 'X-Acme': 'se¢ret-"one"', Accept: 'short', Note: 'x'.repeat(8) },
    });
    const { tools } = await toolkits.open([{ name: 'shop' }], ['*'], signal());
    expect(tools[0]!.definition.function.description).toBe('One order for [redacted] and short');
    const { text } = await callOnce(toolkits, 'shop__getOrder', { id: '1' });
    expect(JSON.parse(text)).toMatchObject({ 'x-acme': '[redacted]', note: '[redacted]' });
    expect(text).toContain('short');
  });

  const word = 'p4ss/"w+rd<=>&\'';
  const inUrl = encodeURIComponent(word);
  it.each([
    ['of a URL in small letters', inUrl.replace(/%../g, (code) => code.toLowerCase())],
    ['of a URL in a URL', encodeURIComponent(inUrl)],
    ['of JSON with slashes', JSON.stringify(word).slice(1, -1).replaceAll('/', '\\/')],
    ['of JSON in HTML', String.raw`p4ss/\"w+rd\u003c=\u003e\u0026'`],
    ['of HTML', 'p4ss/&quot;w+rd&lt;=&gt;&amp;&#39;'],
    ['of HTML in hexadecimal', 'p4ss/&quot;w+rd&lt;=&gt;&amp;&#x27;'],
    ['in base64', Buffer.from(word).toString('base64')],
    ['in base64 for URLs', Buffer.from(word).toString('base64url')],
    ['of a basic authentication', 'someone:hunter-22'],
    ['of its password', 'hunter-22'],
    ['that is cut', 'y'.repeat(94) + word],
  ])('has the spelling %s of a secret cut out', async (_what, spelled) => {
    answer = ({ url }, response) =>
      response.end(url === '/openapi.json' ? JSON.stringify(document()) : spelled);
    const basic = `Basic ${Buffer.from('someone:hunter-22').toString('base64')}`;
    const headers = { 'x-odd': word, Authorization: basic };
    const { text } = await callOnce(shop({ headers, maxResultChars: 100 }), 'shop__getOrder', {
      id: '1',
    });
    expect(text.replaceAll('y', '')).toMatch(/^\[redacted\](\n\[cut: the result is longer\])?$/);
  });

  it.each(['role: admin', 'a Teddy Bear', 'https', 'the… admin… and "false"'])(
    'keeps a result and names that are not cut, whatever secret begins like them: %s',
    async (said) => {
      const api = document();
      Object.assign(api.components.parameters.id.schema, { enum: ['1', said] });
      answer = ({ url }, response) =>
        response.end(url === '/openapi.json' ? JSON.stringify(api) : said);
      const headers = {
        Authorization: `Basic ${Buffer.from('admin:hunter-22').toString('base64')}`,
        'X-Token': 'Bearer of-a-token',
        'HTTP-Referer': 'https://app.example.com',
        'X-Auth-Needed': 'false',
      };
      const toolkits = shop({ headers });
      expect((await callOnce(toolkits, 'shop__getOrder', { id: '1' })).text).toBe(said);
      const { tools } = await toolkits.open([{ name: 'shop' }], ['*'], signal());
      expect(tools[0]!.definition.function.parameters).toMatchObject({
        properties: { id: { enum: ['1', said] } },
      });
    },
  );

  it('keeps the numbers of a schema that are also the value of a header', async () => {
    const api = document();
    Object.assign(api.components.parameters.id.schema, { type: 'integer', maximum: 12_345_678 });
    serve(api);
    const toolkits = shop({ headers: { 'X-Tenant': '12345678' } });
    const { tools } = await toolkits.open([{ name: 'shop' }], ['*'], signal());
    expect(tools[0]!.definition.function.parameters).toMatchObject({
      properties: { id: { maximum: 12_345_678 } },
    });
  });

  it('is not called with arguments that would lead to another path', async () => {
    serve(document());
    const toolkits = shop();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.constantFrom('..', '.', '%2e%2e', '../x', '\\..', '', '\ud800')),
        async (id) => {
          asked = [];
          const { isError } = await callOnce(toolkits, 'shop__getOrder', { id });
          const path = called()?.url;
          if (path === undefined) expect(isError).toBe(true);
          else expect(path).toMatch(/^\/v1\/orders\/[^/?#]+$/);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('that was closed gives requests in flight a tool error', async () => {
    serve(document());
    const toolkits = shop();
    const { tools } = await toolkits.open([{ name: 'shop' }], ['*'], signal());
    await toolkits.close();
    expect(
      await toolOf(tools, 'shop__getOrder').run({ id: '1' }, { signal: signal() }),
    ).toMatchObject({ text: 'The tool is no longer there.', isError: true });
  });

  it('is called at baseUrl where that is set, with the same headers', async () => {
    serve(document({ servers: [{ url: 'https://elsewhere.example/v1' }] }));
    await callOnce(shop({ baseUrl: `${base}/other/` }), 'shop__getOrder', { id: '1' });
    expect(called()).toMatchObject({ url: '/other/orders/1' });
  });

  it.each<[string, () => void, string]>([
    ['is not there', () => serve('no', 404), 'shop: the address of its document answered 404'],
    ['is no JSON', () => serve('openapi: 3.1.0'), 'shop: its document is not JSON'],
    [
      'is of another version',
      () => serve({ swagger: '2.0' }),
      'shop: its document is not of OpenAPI 3.0 or 3.1',
    ],
    [
      'names another origin',
      () => serve(document({ servers: [{ url: 'https://elsewhere.example/v1' }] })),
      'shop: its first server is at another origin (https://elsewhere.example); set baseUrl',
    ],
    [
      'never comes',
      () => (answer = () => undefined),
      'shop: its document was not answered within 400 ms',
    ],
    ['drips', () => (answer = drip), 'shop: its document was not answered within 400 ms'],
  ])('whose document %s is a failure with status 502', async (_name, script, message) => {
    script();
    await expect(
      shop({ timeoutMs: 400 }).open([{ name: 'shop' }], ['*'], signal()),
    ).rejects.toMatchObject({ status: 502, message });
  });
});
