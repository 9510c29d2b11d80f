import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { awsCredentials } from '../../src/providers/bedrock/aws-credentials.js';

const startMs = Date.UTC(2026, 4, 17, 12);
const minutes = 60_000;

let server: Server;
let root: string;
let folder: string;
let asked: string[];
let answer: (request: IncomingMessage, body: string) => string | number;
let nowMs: number;

beforeEach(async () => {
  asked = [];
  nowMs = startMs;
  answer = () => 404;
  folder = mkdtempSync(join(tmpdir(), 'aws-'));
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push(`${request.method} ${request.url}`);
      const said = answer(request, body);
      if (typeof said === 'number') response.writeHead(said).end();
      else response.end(said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const source = (
  env: Record<string, string>,
  fixed: { accessKeyId?: string; secretAccessKey?: string; sessionToken?: string } = {},
) =>
  awsCredentials({
    provider: 'aws',
    ...fixed,
    env: { HOME: folder, AWS_EC2_METADATA_DISABLED: 'true', ...env },
    now: () => nowMs,
  });

const issued = (name: string, leftMs: number): string =>
  JSON.stringify({
    Code: 'Success',
    AccessKeyId: name,
    SecretAccessKey: 's',
    Token: 't',
    Expiration: new Date(nowMs + leftMs).toISOString(),
  });

describe('AWS credentials come from', () => {
  it('the configuration before anything else', async () => {
    const env = { AWS_ACCESS_KEY_ID: 'env', AWS_SECRET_ACCESS_KEY: 'x' };
    expect(
      await source(env, { accessKeyId: 'fixed', secretAccessKey: 's', sessionToken: 't' }).get(),
    ).toEqual({ accessKeyId: 'fixed', secretAccessKey: 's', sessionToken: 't', expiresAtMs: null });
    expect((await source(env, { accessKeyId: 'half' }).get()).accessKeyId).toBe('env');
  });

  it('the environment', async () => {
    expect(
      await source({
        AWS_ACCESS_KEY_ID: 'a',
        AWS_SECRET_ACCESS_KEY: 'b',
        AWS_SESSION_TOKEN: 'c',
      }).get(),
    ).toEqual({ accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c', expiresAtMs: null });
    expect(await source({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }).get()).toEqual({
      accessKeyId: 'a',
      secretAccessKey: 'b',
      expiresAtMs: null,
    });
  });

  it('the shared file, by profile', async () => {
    const file = join(folder, 'credentials');
    writeFileSync(
      file,
      '# mine\n[default]\naws_access_key_id = d\naws_secret_access_key=ds==\n\n[ work ]\r\naws_access_key_id=w\r\naws_secret_access_key = ws\r\naws_session_token = wt\r\n[sso]\nsso_session = x\n',
    );
    const env = { AWS_SHARED_CREDENTIALS_FILE: file };
    expect(await source(env).get()).toEqual({
      accessKeyId: 'd',
      secretAccessKey: 'ds==',
      expiresAtMs: null,
    });
    expect(await source({ ...env, AWS_PROFILE: 'work' }).get()).toEqual({
      accessKeyId: 'w',
      secretAccessKey: 'ws',
      sessionToken: 'wt',
      expiresAtMs: null,
    });
    await expect(source({ ...env, AWS_PROFILE: 'sso' }).get()).rejects.toMatchObject({
      code: 'provider_auth',
      message: expect.stringContaining('profile sso'),
    });
  });

  it('a container, with its token', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, 'from-file\n');
    answer = (request) =>
      request.headers.authorization === 'from-file' ? issued('container', 60 * minutes) : 403;
    const env = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${root}/creds`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
    };
    expect(await source(env).get()).toEqual({
      accessKeyId: 'container',
      secretAccessKey: 's',
      sessionToken: 't',
      expiresAtMs: startMs + 60 * minutes,
    });
    expect(asked).toEqual(['GET /creds']);
  });

  it('no container address that is neither encrypted nor of this machine', async () => {
    await expect(
      source({ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://example.org/creds' }).get(),
    ).rejects.toMatchObject({
      message: expect.stringContaining('example.org is not an allowed address'),
    });
  });

  it("an instance's metadata, version 2", async () => {
    answer = (request) => {
      if (request.method === 'PUT')
        return request.headers['x-aws-ec2-metadata-token-ttl-seconds'] ? 'session' : 400;
      if (request.headers['x-aws-ec2-metadata-token'] !== 'session') return 401;
      return request.url?.endsWith('/my-role') ? issued('instance', 360 * minutes) : 'my-role\n';
    };
    expect(
      (
        await source({
          AWS_EC2_METADATA_DISABLED: 'false',
          AWS_EC2_METADATA_SERVICE_ENDPOINT: `${root}/`,
        }).get()
      ).accessKeyId,
    ).toBe('instance');
    expect(asked).toEqual([
      'PUT /latest/api/token',
      'GET /latest/meta-data/iam/security-credentials/',
      'GET /latest/meta-data/iam/security-credentials/my-role',
    ]);
  });

  it('a web identity, exchanged at STS', async () => {
    const file = join(folder, 'jwt');
    writeFileSync(file, 'a.b.c\n');
    answer = (_request, body) => {
      const form = new URLSearchParams(body);
      if (
        form.get('Action') !== 'AssumeRoleWithWebIdentity' ||
        form.get('WebIdentityToken') !== 'a.b.c' ||
        form.get('RoleArn') !== 'arn:aws:iam::1:role/r'
      )
        return 400;
      return '<AssumeRoleWithWebIdentityResponse><Credentials><SessionToken>t+/=</SessionToken><SecretAccessKey>s</SecretAccessKey><Expiration>2026-05-17T13:00:00Z</Expiration><AccessKeyId>web</AccessKeyId></Credentials></AssumeRoleWithWebIdentityResponse>';
    };
    expect(
      await source({
        AWS_WEB_IDENTITY_TOKEN_FILE: file,
        AWS_ROLE_ARN: 'arn:aws:iam::1:role/r',
        AWS_ENDPOINT_URL_STS: root,
      }).get(),
    ).toEqual({
      accessKeyId: 'web',
      secretAccessKey: 's',
      sessionToken: 't+/=',
      expiresAtMs: startMs + 60 * minutes,
    });
  });
});

describe('AWS credentials are kept', () => {
  const container = () => source({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${root}/creds` });

  it('and fetched once for simultaneous calls', async () => {
    answer = () => issued('a', 60 * minutes);
    const kept = container();
    await Promise.all(Array.from({ length: 20 }, () => kept.get()));
    nowMs += 54 * minutes;
    await kept.get();
    expect(asked).toHaveLength(1);
  });

  it('and renewed in the background five minutes before they expire', async () => {
    answer = () => issued('first', 60 * minutes);
    const kept = container();
    await kept.get();
    nowMs += 56 * minutes;
    answer = () => issued('second', 60 * minutes);
    expect((await kept.get()).accessKeyId).toBe('first');
    await expect.poll(async () => (await kept.get()).accessKeyId).toBe('second');
    expect(asked).toHaveLength(2);
  });

  it('while they are valid where they cannot be renewed, and not longer', async () => {
    answer = () => issued('first', 60 * minutes);
    const kept = container();
    await kept.get();
    answer = () => 500;
    nowMs += 57 * minutes;
    expect((await kept.get()).accessKeyId).toBe('first');
    await expect.poll(() => asked).toHaveLength(2);
    nowMs += 4 * minutes;
    await expect(kept.get()).rejects.toMatchObject({ code: 'provider_auth' });
  });

  it('until AWS says that they have expired', async () => {
    answer = () => issued(`n${asked.length}`, 60 * minutes);
    const kept = container();
    await kept.get();
    kept.forget();
    expect((await kept.get()).accessKeyId).toBe('n2');
  });
});

describe('missing AWS credentials', () => {
  it('are reported missing, with the sources that were searched', async () => {
    await expect(source({}).get()).rejects.toMatchObject({
      code: 'provider_auth',
      recovery: 'next_key',
      message: expect.stringMatching(/^aws has no AWS credentials: none in the environment/),
    });
  });

  it('are not looked for again at once', async () => {
    const kept = source({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${root}/creds` });
    await expect(kept.get()).rejects.toMatchObject({
      message: expect.stringContaining('answered 404'),
    });
    await expect(kept.get()).rejects.toMatchObject({ code: 'provider_auth' });
    expect(asked).toHaveLength(1);
    nowMs += 6000;
    answer = () => issued('late', 60 * minutes);
    expect((await kept.get()).accessKeyId).toBe('late');
  });
});
