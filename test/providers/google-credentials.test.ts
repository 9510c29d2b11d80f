import { createVerify, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type GoogleCredentialOptions,
  googleCredentials,
} from '../../src/providers/gemini/google-credentials.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
let server: Server;
let root = '';
let asked: { method: string; url: string; flavor: unknown; form: URLSearchParams }[] = [];
let answer: { status: number; body: string } = { status: 200, body: '' };
let now = 1_700_000_000_000;

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return text;
}

beforeAll(async () => {
  server = createServer((request, response) => {
    void textOf(request).then((text) => {
      asked.push({
        method: request.method ?? '',
        url: request.url ?? '',
        flavor: request.headers['metadata-flavor'],
        form: new URLSearchParams(text),
      });
      response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(
          answer.body ||
            JSON.stringify({ access_token: `token-${asked.length}`, expires_in: 3600 }),
        );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
  answer = { status: 200, body: '' };
  now = 1_700_000_000_000;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function file(content: unknown): string {
  const path = join(folder, `${Math.random()}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}
const serviceAccount = (changes = {}): string =>
  file({
    type: 'service_account',
    client_email: 'me@project.example',
    private_key: privateKey,
    private_key_id: 'kid1',
    token_uri: `${root}/token`,
    ...changes,
  });
const source = (options: Partial<GoogleCredentialOptions>): ReturnType<typeof googleCredentials> =>
  googleCredentials({ provider: 'vertex', env: {}, now: () => now, ...options });

describe('a service account', () => {
  test('signs a claim and gets a token for it', async () => {
    const credentials = source({ credentialsFile: serviceAccount() });
    expect(credentials.configured).toBe(true);
    expect(await credentials.token()).toBe('token-1');
    expect(asked[0]).toMatchObject({ method: 'POST', url: '/token' });
    expect(asked[0]?.form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header, claims, signature] = (asked[0]?.form.get('assertion') ?? '').split('.') as [
      string,
      string,
      string,
    ];
    const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(decode(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'kid1' });
    expect(decode(claims)).toEqual({
      iss: 'me@project.example',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: `${root}/token`,
      iat: 1_700_000_000,
      exp: 1_700_003_600,
    });
    expect(
      createVerify('RSA-SHA256')
        .update(`${header}.${claims}`)
        .verify(publicKey, signature, 'base64url'),
    ).toBe(true);
  });

  test('is found by environment variable', async () => {
    expect(
      await source({ env: { GOOGLE_APPLICATION_CREDENTIALS: serviceAccount() } }).token(),
    ).toBe('token-1');
  });

  test('requests one token for simultaneous calls, and caches it', async () => {
    const credentials = source({ credentialsFile: serviceAccount() });
    expect(
      await Promise.all([credentials.token(), credentials.token(), credentials.token()]),
    ).toEqual(['token-1', 'token-1', 'token-1']);
    now += 50 * 60_000;
    expect(await credentials.token()).toBe('token-1');
    expect(asked).toHaveLength(1);
  });

  test('replaces a token that is about to expire in the background, and an expired one at once', async () => {
    const credentials = source({ credentialsFile: serviceAccount() });
    await credentials.token();
    now += 57 * 60_000;
    expect(await credentials.token()).toBe('token-1');
    await expect.poll(async () => credentials.token(), { interval: 5 }).toBe('token-2');
    now += 60 * 60_000;
    expect(await credentials.token()).toBe('token-3');
  });

  test('uses the cached token while its replacement fails, and fails once it has expired', async () => {
    const credentials = source({ credentialsFile: serviceAccount() });
    await credentials.token();
    answer = { status: 503, body: '{}' };
    now += 57 * 60_000;
    expect(await credentials.token()).toBe('token-1');
    now += 5 * 60_000;
    await expect(credentials.token()).rejects.toMatchObject({ code: 'upstream_error' });
    answer = { status: 200, body: '' };
    expect(await credentials.token()).toMatch(/^token-/);
  });

  test('gets another token after one was refused', async () => {
    const credentials = source({ credentialsFile: serviceAccount() });
    await credentials.token();
    credentials.forget();
    expect(await credentials.token()).toBe('token-2');
  });
});

test("a user's own credentials are refreshed", async () => {
  await source({
    credentialsFile: file({
      type: 'authorized_user',
      client_id: 'id',
      client_secret: 'secret',
      refresh_token: 'r',
      token_uri: `${root}/token`,
    }),
  }).token();
  expect(Object.fromEntries(asked[0]?.form ?? [])).toEqual({
    grant_type: 'refresh_token',
    refresh_token: 'r',
    client_id: 'id',
    client_secret: 'secret',
  });
});

test('without a file the token comes from the metadata server', async () => {
  const credentials = source({ env: { GCE_METADATA_HOST: new URL(root).host } });
  expect(credentials.configured).toBe(false);
  expect(await credentials.token()).toBe('token-1');
  expect(asked[0]).toMatchObject({
    method: 'GET',
    url: '/computeMetadata/v1/instance/service-accounts/default/token',
    flavor: 'Google',
  });
});

describe('what can go wrong', () => {
  test.each([
    ['no file', () => ({ credentialsFile: join(folder, 'absent.json') }), /cannot be read/],
    ['no JSON', () => ({ credentialsFile: file('nonsense') }), /is not JSON/],
    [
      'another kind',
      () => ({ credentialsFile: file({ type: 'external_account' }) }),
      /external_account are not supported/,
    ],
    [
      'no key',
      () => ({ credentialsFile: serviceAccount({ private_key: 'PEM' }) }),
      /private key .* cannot be used/,
    ],
    [
      'no metadata server',
      () => ({ env: { GCE_METADATA_HOST: '127.0.0.1:1' } }),
      /set credentialsFile or GOOGLE_APPLICATION_CREDENTIALS/,
    ],
  ])('%s', async (_name, options, message) => {
    await expect(source(options()).token()).rejects.toMatchObject({
      code: 'provider_auth',
      message: expect.stringMatching(message),
    });
  });

  test("a refusal is reported with Google's message, without the signed claim", async () => {
    answer = {
      status: 400,
      body: '{"error":"invalid_grant","error_description":"Invalid JWT Signature."}',
    };
    await expect(source({ credentialsFile: serviceAccount() }).token()).rejects.toMatchObject({
      code: 'provider_auth',
      upstreamStatus: 400,
      message:
        'vertex got no access token: the token endpoint answered 400: invalid_grant: Invalid JWT Signature.',
    });
  });

  test('a silent token endpoint and an answer without a token are failures', async () => {
    await expect(
      source({
        credentialsFile: serviceAccount({ token_uri: 'http://127.0.0.1:1/token' }),
      }).token(),
    ).rejects.toMatchObject({ code: 'connection_failed' });
    answer = { status: 200, body: '<html>' };
    await expect(source({ credentialsFile: serviceAccount() }).token()).rejects.toMatchObject({
      code: 'provider_auth',
    });
  });
});
