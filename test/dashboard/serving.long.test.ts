import { renameSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import express from 'express';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createGateway } from '../../src/index.js';
import { buildOnce } from '../helpers/build.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { type RunningHost, startHost } from '../helpers/host.js';
import { request } from 'undici';

const asBrowser = { accept: 'text/html,application/xhtml+xml' };

interface Page {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  html: string;
}

async function get(url: string, headers: Record<string, string> = asBrowser): Promise<Page> {
  const answer = await request(url, { headers });
  return { status: answer.statusCode, headers: answer.headers, html: await answer.body.text() };
}

const nonceIn = ({ headers }: Page): string =>
  /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1] ?? '';

describe('the dashboard is served', () => {
  let gateway: RunningGateway | undefined;
  let host: RunningHost | undefined;
  beforeAll(buildOnce);
  afterEach(async () => {
    await host?.close();
    await gateway?.close();
    [host, gateway] = [undefined, undefined];
  });

  it('with a nonce of its own for each answer, and nothing else that runs', async () => {
    gateway = await startGateway({});
    const [one, other] = [await get(`${gateway.url}/`), await get(`${gateway.url}/keys`)];
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(nonceIn(one)).toMatch(/^[\w+/]{22}==$/);
    expect(nonceIn(one)).not.toBe(nonceIn(other));
    for (const page of [one, other]) {
      expect(page.html).toContain(`nonce="${nonceIn(page)}"`);
      expect(page.html).not.toContain('%SIGNALBOX_NONCE%');
      expect(page.html).not.toMatch(/<script(?![^>]*nonce=)|<script[^>]*>[^<]|\son\w+=|https?:/);
      expect(page.headers['cache-control']).toBe('no-store');
      expect(String(page.headers['content-security-policy'])).not.toContain('unsafe');
    }
  });

  it('with its files compressed, and kept by browsers', async () => {
    gateway = await startGateway({});
    const { html } = await get(`${gateway.url}/`);
    const script = /src="\.(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
    const plain = await request(gateway.url + script);
    const bytes = Buffer.from(await plain.body.arrayBuffer());
    expect(plain.headers['x-content-type-options']).toBe('nosniff');
    const tryIt = await request(`${gateway.url}/docs/try-it.js`);
    expect([tryIt.statusCode, tryIt.headers['x-content-type-options']]).toEqual([200, 'nosniff']);
    await tryIt.body.dump();
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const packed = await request(gateway.url + script, {
        headers: { 'accept-encoding': encoding },
      });
      expect(packed.headers['content-encoding']).toBe(encoding);
      expect(unpack(Buffer.from(await packed.body.arrayBuffer())).equals(bytes)).toBe(true);
      expect(packed.headers['cache-control']).toContain('immutable');
    }
    expect((await get(`${gateway.url}/assets/nothing.js`)).status).not.toBe(200);
    expect((await get(`${gateway.url}/assets/..%2f..%2fpackage.json`)).html).not.toContain(
      '"name"',
    );
  });

  it('while an upgrade takes its files away', async () => {
    gateway = await startGateway({});
    await get(`${gateway.url}/`);
    const name = 'assets/licenses.txt';
    const file = fileURLToPath(new URL(`../../dist/dashboard/${name}`, import.meta.url));
    renameSync(file, `${file}.away`);
    try {
      const { status, html } = await get(`${gateway.url}/${name}`);
      expect([status, html]).toEqual([200, expect.stringContaining('react-dom')]);
    } finally {
      renameSync(`${file}.away`, file);
    }
  });

  it('to browsers alone: programs are told that there is no such API', async () => {
    gateway = await startGateway({});
    const answer = await get(`${gateway.url}/models`, { ...gateway.auth });
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.html)).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message: 'no route for GET /models; the base URL of this gateway ends in /v1: /v1/models',
      },
    });
  });

  it('not where it is switched off, where `/` leads to the API reference', async () => {
    gateway = await startGateway({ dashboard: false });
    expect((await get(`${gateway.url}/keys`)).status).toBe(401);
    const { status, headers } = await get(`${gateway.url}/`);
    expect([status, headers.location]).toEqual([302, 'docs']);
  });

  it('not under a foreign name in Host', async () => {
    gateway = await startGateway({});
    expect((await get(gateway.url, { ...asBrowser, host: 'attacker.example' })).status).toBe(421);
  });

  it('by a mounted gateway only where it is asked for, under its own path', async () => {
    const off = createGateway({});
    const on = createGateway({ dashboard: true });
    host = await startHost(
      express()
        .use('/off', off.router)
        .use('/ai', on.router)
        .use((_req, res) => void res.status(404).send('the host')),
    );
    try {
      expect((await get(`${host.url}/off/`)).html).toBe('the host');
      for (const path of ['/ai', '/ai/', '/ai/requests/abc']) {
        const { status, html } = await get(host.url + path);
        expect([status, html.includes('<base href="/ai/">')], path).toEqual([200, true]);
      }
      const script = /src="\.(\/assets\/[^"]+\.js)"/.exec((await get(`${host.url}/ai`)).html)?.[1];
      expect((await request(`${host.url}/ai${script ?? ''}`)).statusCode).toBe(200);
      // without users of the host's own, people sign in at the gateway
      const known = await get(`${host.url}/ai/api/v1/auth/status`);
      expect(JSON.parse(known.html)).toMatchObject({ webAccounts: true });
    } finally {
      await Promise.all([off.close(), on.close()]);
    }
  });
});
