import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig, parseConfig } from '../../src/config/config.js';
import { masked, showConfig } from '../../src/config/shown-config.js';
import { rules } from '../../src/gateway.js';
import { administratorOf, type Browser } from '../helpers/browser.js';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { ask, type Reply } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
let admin: Browser;

beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    providers: {
      up: { api: 'openai', baseUrl: `${upstream.url}/v1`, apiKey: 'provider-secret-1' },
      away: { api: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' },
    },
    mail: { url: 'smtp://user:mail-secret-1@127.0.0.1:9', from: 'a@example.org' },
  });
  admin = await administratorOf(gateway, 'admin@example.org');
});
afterAll(() => Promise.all([gateway.close(), upstream.close()]));

const path = '/api/v1/configuration';

describe('the configuration in force', () => {
  it('is shown to administrators, with defaults, as a tree and as YAML', async () => {
    const { status, json, text } = await admin.ask('GET', path);
    expect(status).toBe(200);
    expectConforms('configuration.response', json);
    expect(json).toMatchObject({
      file: null,
      refused: null,
      settings: {
        limits: { maxRetries: 2 },
        providers: { up: { baseUrl: `${upstream.url}/v1`, apiKeys: [masked] } },
        mail: { url: `smtp://user:${masked}@127.0.0.1:9` },
      },
      yaml: expect.stringContaining('api: openai') as string,
      connections: { mail: true, redis: false, providers: ['up', 'away'], toolkits: [] },
    });
    expect(text).not.toMatch(/secret-1|sk_test/);
  });

  it('is refused to members and strangers', async () => {
    const asMember = (method: string, at: string, body?: object): Promise<Reply> =>
      ask(method, gateway.url + at, gateway.auth, body);
    expect((await asMember('GET', path)).status).toBe(403);
    expect((await asMember('POST', `${path}/tests`, { kind: 'database' })).status).toBe(403);
    expect((await ask('GET', gateway.url + path)).status).toBe(401);
  });

  it('names the last change that was refused, without its secrets, until one is applied', async () => {
    gateway.gateway.refusedConfiguration('providers.up: provider-secret-1 is no address');
    const { json } = await admin.ask('GET', path);
    expectConforms('configuration.response', json);
    expect(json).toMatchObject({ refused: { reason: `providers.up: ${masked} is no address` } });
  });
});

describe('secrets of a configuration', () => {
  const secret = 'canary-0123456789';
  const config = resolveConfig(
    {
      auth: { keys: [{ name: 'ci', key: `sk_${secret}` }] },
      database: { url: `postgres://user:${secret}@db.example.org/signalbox?sslkey=${secret}` },
      redis: { url: `redis://:${secret}@cache.example.org` },
      // its parts cannot be decoded
      mail: { url: `smtps://user:${secret}100%@mail.example.org`, from: 'a@example.org' },
      providers: {
        one: { api: 'openai', apiKeys: [secret, `${secret}2`], headers: { 'x-team': secret } },
        two: {
          api: 'openai-compatible',
          baseUrl: `https://user:${secret}@llm.example.org/v1?key=${secret}`,
        },
        three: {
          api: 'bedrock',
          region: 'eu-west-1',
          accessKeyId: secret,
          secretAccessKey: secret,
          sessionToken: secret,
        },
      },
      search: {
        engines: [
          { type: 'brave', apiKey: secret, headers: { 'x-key': secret } },
          { name: 's', type: 'searxng', url: `https://s.example.org/?token=${secret}` },
        ],
      },
      toolkits: {
        files: {
          type: 'mcp-stdio',
          command: 'serve',
          args: ['--token', secret],
          env: { TOKEN: secret },
        },
        remote: {
          type: 'mcp-http',
          url: `https://mcp.example.org/?key=${secret}`,
          headers: { authorization: `Bearer ${secret}` },
          auth: {
            type: 'client_credentials',
            tokenUrl: `https://auth.example.org/?k=${secret}`,
            clientId: 'gateway',
            clientSecret: secret,
          },
        },
        calls: {
          type: 'functions',
          functions: [
            { name: 'f', url: `https://f.example.org/?k=${secret}`, headers: { k: secret } },
          ],
        },
      },
    },
    {},
    rules,
  );

  it('are in no part of what is shown, wherever they stand', () => {
    const { settings, yaml, hideSecrets } = showConfig(config);
    expect(JSON.stringify(settings)).not.toContain('canary');
    expect(yaml).not.toContain('canary');
    expect(hideSecrets(`it said ${secret}2 and ${secret}`)).not.toContain('canary');
  });

  it('leave the rest readable, and what is shown is a valid file again', () => {
    const { settings, yaml } = showConfig(config);
    expect(settings).toMatchObject({
      redis: { url: `redis://:${masked}@cache.example.org` },
      providers: { three: { region: 'eu-west-1', secretAccessKey: masked } },
    });
    expect(yaml).not.toMatch(/maxRetries|null/);
    const again = parseConfig(yaml.replaceAll(masked, 'other-key'), 'x.yaml', {}, rules);
    expect(Object.keys(again.providers)).toEqual(['one', 'two', 'three']);
    expect(again.toolkits.map(({ name }) => name)).toEqual(['files', 'remote', 'calls']);
  });
});

describe('a test of a connection', () => {
  const test = async (body: object): Promise<unknown> => {
    const { json } = await admin.ask('POST', `${path}/tests`, body);
    expectConforms('connection-test.response', json);
    return json;
  };

  it('says that the database and a provider answer', async () => {
    expect(await test({ kind: 'database' })).toMatchObject({
      ok: true,
      detail: 'the embedded database answers',
    });
    expect(await test({ kind: 'provider', name: 'up' })).toMatchObject({ ok: true });
  });

  it('says why a provider and a mail server do not', async () => {
    expect(await test({ kind: 'provider', name: 'away' })).toMatchObject({
      ok: false,
      detail: expect.stringContaining('cannot be reached') as string,
    });
    expect(await test({ kind: 'mail' })).toMatchObject({
      ok: false,
      detail: expect.stringContaining('the mail server cannot be used') as string,
    });
  });

  it.each([
    [{ kind: 'redis' }, 'kind: no Redis is configured'],
    [{ kind: 'provider', name: 'none' }, 'name: there is no provider of this name'],
    [{ kind: 'engine' }, 'name: there is no search engine of this name'],
    [{ kind: 'toolkit', name: 'x' }, 'name: there is no toolkit of this name'],
    [{ name: 'up' }, 'kind: is required'],
  ])('refuses %j', async (body, message) => {
    expect(await admin.ask('POST', `${path}/tests`, body)).toMatchObject({
      status: 422,
      json: { message },
    });
  });
});
