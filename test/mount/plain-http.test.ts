import type { RequestListener, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler } from 'express';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateway, type Gateway, GatewayError, planOf } from '../../src/index.js';
import { signedUp } from '../helpers/browser.js';
import { startHost } from '../helpers/host.js';
import { noUnhandledRejections } from '../helpers/rejections.js';
import { ask, post, postStream } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const key = 'sk_mounted';
const auth = { authorization: `Bearer ${key}` };
const messages = [{ role: 'user', content: 'Say hello' }];
const both = ['local/good', 'local/cheap'];

let upstream: Upstream;
let gateway: Gateway;
let close: () => Promise<void> = () => Promise.resolve();

beforeEach(async () => {
  upstream = await startUpstream();
  gateway = createGateway(
    {
      auth: { keys: [{ name: 'test', key }], signUp: 'open', webAccounts: true },
      providers: { local: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: {
        'local/good': { inputPrice: 5, outputPrice: 10, quality: 0.9 },
        'local/cheap': { inputPrice: 1, outputPrice: 2, quality: 0.885 },
      },
    },
    { env: {}, logger: pino({ level: 'silent' }) },
  );
});
afterEach(async () => {
  await close();
  await gateway.close();
  await upstream.close();
});
noUnhandledRejections();

async function start(listener: RequestListener): Promise<string> {
  const host = await startHost(listener);
  close = () => host.close();
  return host.url;
}

/** The host's own page, behind the gateway's router. */
const routed: RequestListener = (req, res) =>
  gateway.router(req, res, () => res.writeHead(404).end('of the host'));

describe('the router under plain http', () => {
  it('selects, completes, streams, passes through, and leaves other paths to the host', async () => {
    const url = await start(routed);
    const entries = both.map((name) => ({ name }));
    expect(
      await post(
        `${url}/api/v1/model-select?explain=true`,
        { messages, llm_providers: entries },
        auth,
      ),
    ).toMatchObject({
      status: 200,
      json: { llm_label: 'local/good', candidates: expect.any(Array) },
    });
    expect(
      await post(`${url}/v1/chat/completions`, { model: 'local/good', messages }, auth),
    ).toMatchObject({ status: 200, json: { choices: [{ message: { content: 'Hello' } }] } });
    const streamed = await postStream(
      `${url}/api/v1/completions`,
      { models: both, messages, stream: true },
      { headers: auth },
    );
    expect(streamed.frames.at(-1)?.data).toBe('[DONE]');
    expect(
      (await post(`${url}/proxy/local/chat/completions`, { model: 'm', messages }, auth)).status,
    ).toBe(200);
    expect((await ask('GET', `${url}/v1/models/local/good`, auth)).json).toMatchObject({
      id: 'local/good',
    });
    expect(await ask('GET', `${url}/elsewhere`)).toMatchObject({
      status: 404,
      text: 'of the host',
    });
  });

  it('answers what reads the query, and signs in with a cookie', async () => {
    const url = await start(routed);
    expect((await ask('GET', `${url}/api/v1/usage?by=day`, auth)).status).toBe(200);
    expect((await ask('GET', `${url}/api/v1/keys?limit=0`, auth)).status).toBe(422);
    const browser = await signedUp(url, 'ada@example.org', 'correct horse battery');
    expect((await browser.account()).json).toMatchObject({ account: { email: 'ada@example.org' } });
    expect((await browser.ask('POST', '/api/v1/keys', { name: 'mine' })).status).toBe(201);
  });
});

describe("stages in Connect's manner", () => {
  type Next = (error?: unknown) => void;
  /** Calls handlers in order with nothing but `(req, res, next)`, as Connect does. */
  const connect =
    (handlers: readonly ((req: never, res: never, next: Next) => unknown)[]): RequestListener =>
    (req, res) => {
      const callFrom = (index: number, error?: unknown): void => {
        if (error instanceof GatewayError)
          res.writeHead(error.statusCode).end(error.expose ? error.message : 'failed');
        else
          handlers[index]?.(req as never, res as never, (failure) => callFrom(index + 1, failure));
      };
      callFrom(0);
    };

  it('read the query, leave a plan, and pass on errors', async () => {
    const url = await start(
      connect([
        gateway.authenticate,
        gateway.selectModelWith({
          candidates: both,
          from: ({ query }) => ({
            messages: [{ role: 'user', content: typeof query['q'] === 'string' ? query['q'] : '' }],
            tools: [],
            tradeoff: query['cheap'] === undefined ? null : 'cost',
            maxModelDepth: null,
          }),
        }),
        (_req: never, res: ServerResponse) => res.end(planOf(res).candidates[0].label),
      ]),
    );
    expect((await ask('GET', `${url}/?q=hello`, auth)).text).toBe('local/good');
    expect((await ask('GET', `${url}/?q=hello&cheap`, auth)).text).toBe('local/cheap');
    expect(await ask('GET', `${url}/?q=hello`)).toMatchObject({
      status: 401,
      text: expect.stringContaining('authorization'),
    });
  });
});

describe('a GatewayError', () => {
  it.each([
    ['bad_request', 400, true],
    ['unauthorized', 401, true],
    ['internal', 500, false],
    ['upstream_timeout', 504, false],
  ] as const)('%s has statusCode %i, and is exposed: %s', (code, statusCode, expose) => {
    expect(new GatewayError(code, 'why')).toMatchObject({ status: statusCode, statusCode, expose });
  });

  it('keeps its status where an app reads only statusCode and message, as NestJS does', async () => {
    // what @nestjs/core's BaseExceptionFilter does with an error that is no HttpException
    const filter: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
      const { statusCode, message } = (error ?? {}) as { statusCode?: number; message?: string };
      const known = statusCode && message ? { statusCode, message } : null;
      const answer = known ?? { statusCode: 500, message: 'Internal server error' };
      res.status(answer.statusCode).json(answer);
    };
    const url = await start(express().post('/chat', gateway.selectModel).use(filter));
    expect(await post(`${url}/chat`, {})).toMatchObject({
      status: 400,
      json: { statusCode: 400, message: expect.stringContaining('messages') },
    });
  });
});
