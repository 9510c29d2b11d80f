import express from 'express';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCodes, GatewayError, statusTitle } from '../../src/errors.js';
import { expectConforms } from '../helpers/conforms.js';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { ask, post, type Reply } from '../helpers/sse.js';

const log = keepingLogger();
let gateway: RunningGateway;
let server: Server;
let thrown: unknown;
beforeAll(async () => {
  gateway = await startGateway({}, { logger: log.logger });
  const app = express();
  app.post('/parsed', express.json({ limit: 100 }), (_req, res) => void res.json({}));
  app.get('/thrown', () => {
    throw thrown;
  });
  app.use(gateway.gateway.errorHandler);
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await gateway.close();
});

const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
function answerTo(error: unknown): Promise<Reply> {
  thrown = error;
  return ask('GET', `${url()}/thrown`);
}

describe('the error handler', () => {
  it.each(errorCodes.filter((code) => code !== 'client_closed'))(
    'answers %s with its status and title',
    async (code) => {
      const error = new GatewayError(code, 'who: what');
      const reply = await answerTo(error);
      expect(reply).toMatchObject({
        status: error.status,
        json: { error: statusTitle(error.status), message: 'who: what' },
      });
      expectConforms('error', reply.json);
      expect(reply.headers['x-request-id']).toBeDefined();
      expect('retry-after' in reply.headers).toBe(error.status === 429 || error.status === 503);
      expect(reply.headers['www-authenticate']).toBe(error.status === 401 ? 'Bearer' : undefined);
    },
  );

  it('says when to come back in whole seconds, at least one', async () => {
    expect(
      (await answerTo(new GatewayError('rate_limited', 'x', { retryAfterMs: 1_200 }))).headers[
        'retry-after'
      ],
    ).toBe('2');
    expect(
      (await answerTo(new GatewayError('unavailable', 'x', { retryAfterMs: 0 }))).headers[
        'retry-after'
      ],
    ).toBe('1');
    expect(
      (await answerTo(new GatewayError('too_many_requests', 'x'))).headers['retry-after'],
    ).toBe('1');
  });

  it.each([
    [
      'malformed JSON',
      '{"a',
      'application/json',
      400,
      'the body is not valid JSON: it ends at line 1, column 4 before it is complete',
    ],
    [
      'a body over its limit',
      JSON.stringify({ a: 'x'.repeat(200) }),
      'application/json',
      413,
      'the body is too large',
    ],
    [
      'an unknown charset',
      '{}',
      'application/json; charset=klingon',
      415,
      'Unsupported Media Type',
    ],
  ])("takes a host's own parser at its word: %s", async (_what, body, type, status, message) => {
    const reply = await post(`${url()}/parsed`, body, { 'content-type': type });
    expect(reply).toMatchObject({ status, json: { error: statusTitle(status), message } });
  });

  it.each([401, 403, 404, 409, 418, 422, 429, 499])(
    "keeps another's status %i, but not its words",
    async (status) => {
      const reply = await answerTo(Object.assign(new Error('canary'), { status }));
      expect(reply.status).toBe(status);
      expect(reply.text).not.toContain('canary');
      expectConforms('error', reply.json);
    },
  );

  it.each([
    new Error('canary'),
    new TypeError('canary'),
    'canary',
    7,
    { status: 700, message: 'canary' },
    { status: 'canary' },
    Object.assign(new Error('canary'), { status: 302 }),
  ])(
    'takes anything else (%s) for a fault of ours: 500 without its words, and the cause in the log',
    async (error) => {
      const before = log.lines.length;
      const reply = await answerTo(error);
      expect(reply).toMatchObject({
        status: 500,
        json: {
          error: 'Internal Server Error',
          message: 'internal error; the log has the details under the request id',
        },
      });
      expect(log.lines.slice(before)).toMatchObject([
        { level: 50, requestId: reply.headers['x-request-id'], msg: 'internal error' },
      ]);
    },
  );

  it('cuts a message at 500 characters', async () => {
    const { json } = await answerTo(new GatewayError('bad_request', 'x'.repeat(10_000)));
    expect((json as { message: string }).message).toHaveLength(500);
  });
});
