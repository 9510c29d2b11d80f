import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { secretsOf, withoutSecrets } from '../../src/dispatch/secrets.js';
import { GatewayError } from '../../src/errors.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { ask as askPath, post } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { ask, wayRows } from '../helpers/ways.js';

/** Of no form that is known. */
const apiKey = 'f7Qp/2+c=Zx"9\\kLm';
const headerValue = 'tenant 4711 of the north';
const said = (text: string): string => JSON.stringify(text).slice(1, -1);

let upstream: Upstream;
let gateway: RunningGateway;
beforeEach(async () => {
  upstream = await startUpstream();
  const up = { baseUrl: `${upstream.url}/v1`, apiKey, headers: { 'X-Tenant': headerValue } };
  gateway = await startGateway({
    limits: { maxRetries: 0 },
    providers: {
      up: { ...up, api: 'openai-compatible' },
      claude: { ...up, api: 'anthropic', baseUrl: upstream.url },
    },
  });
});
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const words = `the key ${apiKey} of ${headerValue} is blocked`;
const json = (status: number, body: object): Step => ({
  status,
  raw: Buffer.from(JSON.stringify(body)),
  contentType: 'application/json',
});
const events = (text: string): Step => ({
  raw: Buffer.from(text),
  contentType: 'text/event-stream',
});
const chunk = JSON.stringify({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }],
});
const inError = JSON.stringify({ error: { message: words, type: 'server_error' } });

const steps: [string, Step][] = [
  ...[400, 401, 403, 404, 429, 500, 503].map((status): [string, Step] => [
    `an error with status ${status}`,
    json(status, { error: { message: words, type: apiKey, param: apiKey, code: apiKey } }),
  ]),
  [
    'an error that is only text',
    { status: 500, raw: Buffer.from(words), contentType: 'text/plain' },
  ],
  ['an error under status 200', json(200, { error: { message: words } })],
  ['an error as the first event', events(`data: ${inError}\n\n`)],
  ['an error after some text', events(`data: ${chunk}\n\ndata: ${inError}\n\n`)],
  [
    'an error that is cut within a key',
    json(500, { error: { message: `${'x'.repeat(470)} ${apiKey}` } }),
  ],
];

describe.each(steps)('a key and a configured header that %s repeats', (_what, step) => {
  it.each(wayRows)('are not told, asked %s', async (_name, way) => {
    upstream.script([step]);
    const heard = JSON.stringify(await ask(gateway, way, { models: ['up/m'] }));
    expect(heard).not.toContain(said(said(apiKey)));
    expect(heard).not.toContain(said(apiKey.slice(0, 6)));
    expect(heard).not.toContain('of the north');
    expect(heard).toMatch(/\[redacted\]|f7Q|Hel/);
  });
});

describe('a key that a provider repeats', () => {
  it.each([200, 400, 401, 500])('to embeddings with status %i is not told', async (status) => {
    upstream.script([json(status, { error: { message: words } })]);
    const body = { model: 'up/e', input: 'hi' };
    const { text } = await post(`${gateway.url}/v1/embeddings`, body, gateway.auth);
    expect(text).toContain('[redacted]');
    expect(text).not.toContain('f7Qp');
    expect(text).not.toContain('of the north');
  });

  it('is in neither the request log nor the metrics', async () => {
    upstream.script([json(200, { error: { message: words } })]);
    await ask(gateway, wayRows[0]![1], { models: ['up/m'] });
    for (const path of ['/api/v1/requests', '/metrics'])
      expect((await askPath('GET', gateway.url + path, gateway.auth)).text).not.toContain('f7Qp');
  });
});

describe('a message', () => {
  const secret = fc.string({ minLength: 8, maxLength: 60, unit: 'grapheme' }).filter(
    // the marker itself may contain a piece of such a secret
    (text) => text.trim().length >= 8 && !'[redacted]'.includes(text.trim().slice(0, 4)),
  );

  it('never contains a secret, wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 3 }),
        fc.string({ maxLength: 520 }),
        fc.string({ maxLength: 40 }),
        (values, before, after) => {
          const message = values.map((value) => `${before}${value}${after}`).join(' ');
          const error = new GatewayError('upstream_error', message);
          const safe = withoutSecrets(error, secretsOf(values)).message;
          for (const value of values) expect(safe).not.toContain(value.trim());
        },
      ),
    );
  });

  it('keeps what is no secret: short values, the excepted words, and its other figures', () => {
    const error = new GatewayError('rate_limited', 'ollama answered 429: none of it', {
      retryAfterMs: 7,
      upstreamStatus: 429,
    });
    expect(withoutSecrets(error, secretsOf(['none', 'ollama'], ['ollama']))).toBe(error);
    expect(
      withoutSecrets(
        new GatewayError('rate_limited', 'ab answered: abcdefgh', { retryAfterMs: 7 }),
        ['abcdefgh'],
      ),
    ).toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfterMs: 7,
      message: 'ab answered: [redacted]',
    });
  });
});
