import 'reflect-metadata';
import type { ServerResponse } from 'node:http';
import {
  Controller,
  type INestApplication,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Post,
  Res,
} from '@nestjs/common';
import { NestApplicationContextOptions } from '@nestjs/common/interfaces/nest-application-context-options.interface.js';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGateway, type Gateway, planOf } from '../../src/index.js';
import { noUnhandledRejections } from '../helpers/rejections.js';
import { post, postStream } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

const key = 'sk_mounted';
const auth = { authorization: `Bearer ${key}` };
const messages = [{ role: 'user', content: 'Say hello' }];
const models = ['local/good', 'local/cheap'];

let upstream: Upstream;
let gateway: Gateway;
let app: INestApplication;

beforeEach(async () => {
  upstream = await startUpstream();
  gateway = createGateway(
    {
      auth: { keys: [{ name: 'test', key }] },
      providers: { local: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: {
        'local/good': { inputPrice: 5, outputPrice: 10, quality: 0.9 },
        'local/cheap': { inputPrice: 1, outputPrice: 2, quality: 0.88 },
      },
    },
    { env: {}, logger: pino({ level: 'silent' }) },
  );
});
afterEach(async () => {
  await app.close();
  await gateway.close();
  await upstream.close();
});
noUnhandledRejections();

/** Applies decorators as `@…` does, which the tests' compiler does not know. */
function decorate(target: object, method: string, ...decorators: MethodDecorator[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(target, method)!;
  for (const decorator of decorators) decorator(target, method, descriptor);
}

class ChatController {
  select(res: ServerResponse): object {
    return { selected: planOf(res).candidates[0].label };
  }
  unreached(): object {
    return { unreached: true };
  }
}
Controller('chat')(ChatController);
decorate(ChatController.prototype, 'select', Post('select'));
Res({ passthrough: true })(ChatController.prototype, 'select', 0);
decorate(ChatController.prototype, 'unreached', Post('complete'));

class AppModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(gateway.authenticate, gateway.selectModel).forRoutes('chat/select');
    consumer.apply(gateway.authenticate, gateway.complete).forRoutes('chat/complete');
  }
}
Module({ controllers: [ChatController] })(AppModule);

/** Nest reads bodies itself, after what was mounted before the start, unless it is told not to. */
async function start(bodyParser: boolean): Promise<string> {
  const options = Object.assign(new NestApplicationContextOptions(), { bodyParser, logger: false });
  app = await NestFactory.create(AppModule, new ExpressAdapter(), options);
  app.use('/ai', gateway.router);
  await app.listen(0, '127.0.0.1');
  return app.getUrl();
}

describe.each([
  ['with its own body parser', true],
  ['without it', false],
])('a Nest app %s', (_how, bodyParser) => {
  it('mounts the whole gateway: answers come whole and streamed, errors in its shape', async () => {
    const url = `${await start(bodyParser)}/ai`;
    const body = { model: 'local/good', messages };
    expect(await post(`${url}/v1/chat/completions`, body, auth)).toMatchObject({
      status: 200,
      json: { choices: [{ message: { content: 'Hello' } }] },
    });
    const { frames } = await postStream(
      `${url}/v1/chat/completions`,
      { ...body, stream: true },
      { headers: auth },
    );
    expect(frames.some(({ data }) => data?.includes('"content":"Hel"'))).toBe(true);
    expect(frames.at(-1)?.data).toBe('[DONE]');
    expect(await post(`${url}/v1/chat/completions`, body)).toMatchObject({
      status: 401,
      json: { error: { code: 'invalid_api_key' } },
    });
  });

  it('has a model selected before a controller, which reads the plan', async () => {
    const url = await start(bodyParser);
    expect(await post(`${url}/chat/select`, { messages, models }, auth)).toMatchObject({
      status: 201,
      json: { selected: 'local/good' },
    });
  });

  it('completes in a stage of its own route, whole and streamed', async () => {
    const url = await start(bodyParser);
    expect(await post(`${url}/chat/complete`, { messages, models }, auth)).toMatchObject({
      status: 200,
      json: { provider: 'local', model: 'good' },
    });
    const { frames } = await postStream(
      `${url}/chat/complete`,
      { messages, models, stream: true },
      { headers: auth },
    );
    expect(frames.at(-1)?.data).toBe('[DONE]');
  });

  it('answers the errors of stages itself, with their status', async () => {
    const url = await start(bodyParser);
    expect((await post(`${url}/chat/select`, { messages, models })).status).toBe(401);
    expect((await post(`${url}/chat/select`, { models }, auth)).status).toBe(400);
    expect((await post(`${url}/chat/complete`, { messages, models })).status).toBe(401);
    expect(upstream.requests.length).toBe(0);
  });

  it('closes while the gateway answers, and lets the answer end', async () => {
    const url = await start(bodyParser);
    upstream.script([{ text: ['a ', 'b ', 'c'], betweenMs: 50 }]);
    const reply = postStream(
      `${url}/ai/v1/chat/completions`,
      { model: 'local/good', messages, stream: true },
      { headers: { ...auth, connection: 'close' } },
    );
    await upstream.received(0);
    const closed = app.close();
    expect((await reply).frames.at(-1)?.data).toBe('[DONE]');
    await closed;
  });
});
