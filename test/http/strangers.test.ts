import { afterEach, describe, expect, it } from 'vitest';
import { LazyDatabases } from '../../src/store/lazy-databases.js';
import { createMemoryCounters } from '../../src/store/counters/memory/memory-counters.js';
import { openStore } from '../../src/store/open-store.js';
import { keepingLogger, type RunningGateway, startGateway } from '../helpers/gateway.js';
import { freePort } from '../helpers/server-process.js';
import { ask } from '../helpers/sse.js';

const running: RunningGateway[] = [];
afterEach(() => Promise.all(running.splice(0).map((gateway) => gateway.close())));
async function started(...[config, options]: Parameters<typeof startGateway>) {
  const providers = { secret: { api: 'vllm', baseUrl: 'http://127.0.0.1:9/v1' } } as const;
  const gateway = await startGateway({ providers, ...config }, options);
  running.push(gateway);
  return gateway;
}

describe('/readyz', () => {
  it('says to strangers whether the gateway works, and not which providers it has', async () => {
    const { url } = await started();
    for (const key of ['', 'Bearer sk_wrong']) {
      const headers = key === '' ? undefined : { authorization: key };
      const { status, json } = await ask('GET', `${url}/readyz`, headers);
      expect(status).toBe(200);
      expect(json).toEqual({ status: 'ready', counters: 'memory', database: 'unused' });
    }
  });

  it('names the providers to a valid key, and to everybody where no key is required', async () => {
    const closed = await started();
    const open = await started({ auth: { required: false } });
    for (const [url, headers] of [
      [closed.url, closed.auth],
      [open.url, {}],
    ] as const)
      expect((await ask('GET', `${url}/readyz`, headers)).json).toMatchObject({
        providers: ['secret'],
        queued: 0,
      });
  });

  it('names no providers to a page that a foreign name has led here', async () => {
    const { url } = await started({ auth: { required: false }, allowedHosts: ['llm.example'] });
    const { status, json } = await ask('GET', `${url}/readyz`, { host: 'evil.example' });
    expect(status).toBe(200);
    expect(json).not.toHaveProperty('providers');
  });

  it('answers in time while the database does not, whatever key it gets', async () => {
    let end = (): void => undefined;
    const opening = new Promise<never>((_resolve, reject) => {
      end = () => reject(new Error('over'));
    });
    const databases = new LazyDatabases(() => opening, false);
    const { url } = await started({}, { databases });
    const { status, json } = await ask('GET', `${url}/readyz`, { authorization: 'Bearer sk_x' });
    expect(status).toBe(200);
    expect(json).toEqual({ status: 'ready', counters: 'memory', database: 'unused' });
    end();
  });
});

describe('the answer while the database cannot be reached', () => {
  it('does not contain its address, which the log has', async () => {
    const port = await freePort();
    const { logger, lines } = keepingLogger();
    const open = async () => ({
      store: await openStore(`postgres://user:word@127.0.0.1:${port}/x`),
      counters: createMemoryCounters(),
    });
    const { url } = await started({}, { logger, databases: new LazyDatabases(open, false) });
    for (const path of ['/v1/models', '/api/v1/keys']) {
      const headers = { authorization: 'Bearer sk_unknown' };
      const { status, text } = await ask('GET', url + path, headers);
      expect(status).toBe(503);
      expect(text).toContain('the database cannot be reached');
      expect(text).not.toContain(String(port));
      expect(text).not.toContain('127.0.0.1');
    }
    const logged = lines.filter(({ error }) => String(error).includes(`127.0.0.1:${port}`));
    expect(logged.length).toBeGreaterThan(0);
  });

  it('nor does the answer while a provider cannot be reached', async () => {
    const { url, auth } = await started();
    const body = { model: 'secret/m', messages: [{ role: 'user', content: 'x' }] };
    const { status, text } = await ask('POST', `${url}/v1/chat/completions`, auth, body);
    expect(status).toBe(502);
    expect(text).not.toContain('127.0.0.1');
  });
});
