import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anonymous } from '../../src/accounts/caller.js';
import { AlertWatch, type AlertSources } from '../../src/telemetry/alerts/alert-watch.js';
import { type Place, storeRowsOfRun } from '../helpers/stores.js';
import type { Store } from '../../src/store/contracts/store.js';
import { administratorOf } from '../helpers/browser.js';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { requestRow } from '../helpers/request-row.js';
import { startSmtp, type SmtpServer } from '../helpers/smtp.js';
import { post } from '../helpers/sse.js';
import { until } from '../helpers/until.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

interface Listed {
  items: { sentAt: string | null }[];
}
interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}
interface Hook {
  url: string;
  received: Received[];
  /** The status of the answers. */
  status: number;
  close(): Promise<void>;
}

async function startHook(): Promise<Hook> {
  const received: Received[] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (some: Buffer) => (body += String(some)));
    req.on('end', () => {
      received.push({ headers: req.headers, body });
      res.writeHead(hook.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const hook: Hook = {
    url: `http://127.0.0.1:${port}/alerts?token=x`,
    received,
    status: 204,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return hook;
}

const textsOf = ({ received }: Hook): string[] =>
  received.map(({ body }) => (JSON.parse(body) as { data: { text: string } }).data.text);

describe('alerts', () => {
  const secret = `whsec_${Buffer.from('a key of thirty-two bytes or so!').toString('base64')}`;
  let upstream: Upstream;
  let smtp: SmtpServer;
  let hook: Hook;
  let gateway: RunningGateway;

  beforeEach(async () => {
    [upstream, smtp, hook] = await Promise.all([startUpstream(), startSmtp(), startHook()]);
    gateway = await startGateway({
      auth: {
        keys: [
          { name: 'free', key: 'sk_free' },
          // an answer of ten tokens costs 0.01 USD
          { name: 'shop', key: 'sk_shop', limits: { dayBudgetUsd: 0.05 } },
        ],
      },
      publicUrl: 'https://gateway.example.org',
      providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: { 'up/m': { inputPrice: 0, outputPrice: 1000 } },
      limits: { maxRetries: 0 },
      mail: { url: smtp.url, from: 'gateway@example.org' },
      alerts: {
        mail: ['ops@example.org'],
        webhook: { url: hook.url, secret },
        everySeconds: 1,
      },
    });
  });
  afterEach(() => Promise.all([gateway.close(), upstream.close(), smtp.close(), hook.close()]));

  const complete = (key: string) =>
    post(
      `${gateway.url}/v1/chat/completions`,
      { model: 'up/m', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] },
      { authorization: `Bearer ${key}` },
    );

  it('tell once by mail and by a signed webhook that a budget is nearly spent', async () => {
    upstream.script(
      Array.from({ length: 4 }, () => ({ text: ['x'], usage: { prompt: 1, completion: 10 } })),
    );
    for (let n = 0; n < 4; n++) expect((await complete('sk_shop')).status).toBe(200);
    const text = 'The API key "shop" has spent 0.04 of 0.05 USD of its budget of the day (80 %).';
    await until(() => hook.received.length > 0 && smtp.mails.length > 0);
    expect(textsOf(hook)).toEqual([text]);
    expect(smtp.mails[0]?.to).toEqual(['ops@example.org']);
    expect(smtp.mails[0]?.text).toContain(`${text}\r\n\r\nhttps://gateway.example.org/`);
    const [{ headers, body }] = hook.received as [Received];
    const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`;
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    expect(hook.received).toHaveLength(1);
    expect(smtp.mails).toHaveLength(1);
  });

  it('tell that a provider fails, and not that clients send what it refuses', async () => {
    upstream.script(Array.from({ length: 25 }, () => ({ status: 400 })));
    for (let n = 0; n < 25; n++) await complete('sk_free');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(hook.received).toEqual([]);
    upstream.script(Array.from({ length: 25 }, () => ({ status: 500 })));
    for (let n = 0; n < 25; n++) await complete('sk_free');
    await until(() => hook.received.length > 0);
    expect(textsOf(hook)[0]).toBe('up/m is not asked any more: upstream_error (500)');
  });

  it('tell of a new key, and are listed with what became of them', async () => {
    const admin = await administratorOf(gateway, 'ann@example.org');
    const made = await admin.ask('POST', '/api/v1/keys', { name: 'mobile app' });
    expect(made.status).toBe(201);
    await until(() => hook.received.length > 0 && smtp.mails.length > 0);
    expect(textsOf(hook)).toEqual(['ann@example.org has created the API key "mobile app".']);
    const list = async () => (await admin.ask('GET', '/api/v1/alerts')).json as Listed;
    await until(async () => (await list()).items[0]?.sentAt !== null);
    expectConforms('alert.response', (await list()).items[0]);
    expect((await list()).items).toMatchObject([
      { kind: 'new_key', sentTo: ['ops@example.org', 'webhook'], attempts: 1, error: null },
    ]);
  });

  it('are tried at once, and say what failed without the address or the secret', async () => {
    const admin = await administratorOf(gateway, 'ann@example.org');
    const tryOut = async () =>
      (await admin.ask('POST', '/api/v1/configuration/tests', { kind: 'alerts' })).json;
    expect(await tryOut()).toMatchObject({
      ok: true,
      detail: 'an alert was sent to ops@example.org, webhook',
    });
    hook.status = 500;
    expect(await tryOut()).toMatchObject({ ok: false, detail: 'the webhook answered 500' });
    await hook.close();
    expect(await tryOut()).toMatchObject({
      ok: false,
      detail: 'the webhook could not be reached: ECONNREFUSED',
    });
  });
});

describe.each(storeRowsOfRun)('the watch of alerts on $name', (row) => {
  let place: Place;
  let store: Store;
  const watches: AlertWatch[] = [];
  beforeEach(async () => {
    place = await row.place();
    store = await place.open();
  });
  afterEach(async () => {
    for (const watch of watches.splice(0)) watch.close();
    await place.remove();
  });

  const failing = { name: 'up', attempts: 40, failures: 30, down: [] };
  function watchOf(sent: string[], more: Partial<AlertSources> = {}): AlertWatch {
    const watch = new AlertWatch({
      rules: () => ({
        budgetShare: 0.8,
        errorRate: 0.5,
        providerDown: true,
        newKey: false,
        everySeconds: 3_600,
      }),
      channels: () => [{ name: 'a', send: ({ text }) => Promise.resolve(void sent.push(text)) }],
      providers: () => [failing],
      store: () => Promise.resolve(store),
      warn: () => undefined,
      ...more,
    });
    watches.push(watch);
    return watch;
  }
  const noon = Date.UTC(2026, 10, 20, 12);

  it.each([
    ['usd_month', 'month', 'earlier in the month'],
    ['usd_day', 'day', 'just before midnight'],
  ] as const)(
    'tells of a budget by %s, the %s, that was spent %s',
    async (measure, period, _when) => {
      const sent: string[] = [];
      const watch = watchOf(sent, { providers: () => [] });
      const now = new Date();
      const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
      const firstOfMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1, 0, 0, 1);
      const at = measure === 'usd_month' ? firstOfMonth : now.getTime();
      await store.requests.add([requestRow({ at, keyId: 'shop', costUsd: 9 })]);
      const status = { owner: 'key', measure, limit: 10, used: 9 } as const;
      watch.noteUse({ ...anonymous, keyId: 'shop', name: 'shop' }, [status]);
      await watch.check(midnight + 30_000);
      await watch.check(midnight + 90_000);
      expect(sent).toEqual([
        `The API key "shop" has spent 9.00 of 10 USD of its budget of the ${period} (90 %).`,
      ]);
    },
  );

  it('sends an alert once over two replicas, and again an hour later', async () => {
    const sent: string[] = [];
    const [one, other] = [watchOf(sent), watchOf(sent)];
    await Promise.all([one.check(noon), other.check(noon)]);
    await one.check(noon + 60_000);
    expect(sent).toEqual(['The provider up has failed 30 of 40 calls within 15 minutes (75 %).']);
    await other.check(noon + 3_600_000);
    expect(sent).toHaveLength(2);
  });

  it('tries only the channels again that did not take it, five times at most', async () => {
    const sent: string[] = [];
    let tries = 0;
    const watch = watchOf(sent, {
      channels: () => [
        { name: 'a', send: ({ text }) => Promise.resolve(void sent.push(text)) },
        { name: 'b', send: () => Promise.reject(new Error(`no ${++tries}`)) },
      ],
    });
    for (let minute = 0; minute < 8; minute++) await watch.check(noon + minute * 60_000);
    expect(sent).toHaveLength(1);
    expect(tries).toBe(5);
    expect((await store.alerts.list({ limit: 10, cursor: null })).items).toMatchObject([
      { attempts: 5, sentAt: null, sentTo: ['a'], error: 'no 5' },
    ]);
  });

  it('says of a provider that is not asked any more why, and keeps no alert longer than 90 days', async () => {
    const sent: string[] = [];
    const down = { ...failing, down: [{ name: 'up/m', why: 'upstream_overloaded (503)' }] };
    const watch = watchOf(sent, { providers: () => [down] });
    await watch.check(noon);
    expect(sent).toEqual(['up/m is not asked any more: upstream_overloaded (503)']);
    await watchOf([], { providers: () => [] }).check(noon + 91 * 86_400_000);
    expect((await store.alerts.list({ limit: 10, cursor: null })).items).toEqual([]);
  });
});
