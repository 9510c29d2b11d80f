import { rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/store/open-store.js';
import { buildOnce } from '../../helpers/build.js';
import { listAt, textAt } from '../../helpers/json.js';
import { endProcesses, startProcess, type GatewayProcess } from '../../helpers/process.js';
import { ask, post, postStream, type StreamReply } from '../../helpers/sse.js';
import { startUpstream, type Upstream } from '../../helpers/upstream.js';
import { until } from '../../helpers/until.js';
import { isWholeRun } from '../../helpers/runs.js';

const messages = [{ role: 'user', content: 'Hi' }];
const provider = (name: string, { url }: Upstream): string =>
  `  ${name}: { api: openai-compatible, baseUrl: "${url}/v1" }\n`;
const withProviders = (...lines: string[]): string =>
  `auth: { keys: [{ name: test, key: sk_test }] }\nproviders:\n${lines.join('')}`;
const auth = { authorization: 'Bearer sk_test' };

const complete = (gateway: GatewayProcess, models: string) =>
  post(`${gateway.url}/v1/chat/completions`, { model: models, messages }, auth);
const stream = (gateway: GatewayProcess, model: string): Promise<StreamReply> =>
  postStream(
    `${gateway.url}/v1/chat/completions`,
    { model, messages, stream: true },
    { headers: auth },
  );
const textOf = (reply: StreamReply): string =>
  reply.events.map((event) => textAt(event, 'choices', 0, 'delta', 'content')).join('');
const providersOf = async ({ url }: GatewayProcess): Promise<unknown[]> =>
  listAt((await ask('GET', `${url}/readyz`, auth)).json, 'providers');
const reloads = async ({ url }: GatewayProcess, result: string): Promise<number> =>
  Number(
    new RegExp(`signalbox_config_reloads_total\\{result="${result}"\\} (\\d+)`).exec(
      (await ask('GET', `${url}/metrics`)).text,
    )?.[1] ?? 0,
  );

const applied = /"msg":"the changed configuration is now in use"/;
const refused = /"msg":"the changed configuration is not valid, the previous one stays in use: /;

let [first, second]: Upstream[] = [];
beforeAll(async () => {
  await buildOnce();
}, 120_000);
beforeEach(
  async () => void ([first, second] = await Promise.all([startUpstream(), startUpstream()])),
);
afterEach(async () => {
  await endProcesses();
  await Promise.all([first!.close(), second!.close()]);
});

describe('a configuration that is changed', () => {
  it('is in force for what comes next, while a stream finishes on the one before', async () => {
    const gateway = await startProcess({ config: withProviders(provider('a', first!)) });
    first!.script([{ text: Array.from({ length: 20 }, (_, i) => `${i} `), betweenMs: 40 }]);
    const slow = stream(gateway, 'a/m');
    await first!.received(0);
    gateway.writeConfig(withProviders(provider('a', second!), provider('b', second!)));
    await gateway.printed(applied);
    expect((await complete(gateway, 'a/m')).status).toBe(200);
    expect([first!.requests.length, second!.requests.length]).toEqual([1, 1]);
    expect(await providersOf(gateway)).toEqual(['a', 'b']);
    const reply = await slow;
    expect(textOf(reply)).toBe(Array.from({ length: 20 }, (_, i) => `${i} `).join(''));
    expect(reply.frames.at(-1)?.data).toBe('[DONE]');
    expect(await reloads(gateway, 'applied')).toBe(1);
  });

  it.runIf(isWholeRun)(
    'does not keep a request in flight from its retries and fallbacks',
    async () => {
      const gateway = await startProcess({ config: withProviders(provider('a', first!)) });
      first!.script([
        { status: 503, delayMs: 100 },
        { status: 503, headers: { 'retry-after-ms': '300' } },
        {},
      ]);
      const answer = complete(gateway, 'a/m');
      await first!.received(0);
      gateway.writeConfig(withProviders(provider('b', second!)));
      await gateway.printed(applied);
      expect(first!.requests.length).toBeLessThan(3);
      expect(await answer).toMatchObject({ status: 200 });
      expect(first!.requests.length).toBe(3);
    },
  );

  it('is refused where it is wrong: logged, counted, and the one before stays', async () => {
    const gateway = await startProcess({ config: withProviders(provider('a', first!)) });
    gateway.writeConfig(`${withProviders(provider('a', second!))}  c: { api: nonesuch }\n`);
    const [line] = await gateway.printed(/^.*is not valid, the previous one stays in use.*$/m);
    expect(JSON.parse(line)).toMatchObject({
      level: 50,
      msg: expect.stringMatching(
        /config\/signalbox\.yaml:4: providers\.c\.api: is not a known dialect/,
      ),
    });
    expect((await complete(gateway, 'a/m')).status).toBe(200);
    expect([first!.requests.length, second!.requests.length]).toEqual([1, 0]);
    expect([await reloads(gateway, 'applied'), await reloads(gateway, 'refused')]).toEqual([0, 1]);
    gateway.writeConfig(withProviders(provider('a', second!)));
    await gateway.printed(applied);
    expect([await reloads(gateway, 'applied'), await reloads(gateway, 'refused')]).toEqual([1, 1]);
  });

  it('is in the audit log, applied or refused, with the names of what changed and no values', async () => {
    const gateway = await startProcess({ config: withProviders(provider('a', first!)) });
    const secretive = provider('a', first!).replace('}', ', apiKey: sk-upstream-secret }');
    gateway.writeConfig(`${withProviders(secretive)}retention: { auditDays: 30 }\n`);
    await gateway.printed(applied);
    gateway.writeConfig(`${withProviders(secretive)}  c: { api: nonesuch }\n`);
    await gateway.printed(refused);
    const store = await openStore(`file:${gateway.folder}/data/signalbox.db`);
    const rows = async () =>
      (await store.audit.list({}, { limit: 5, cursor: null })).items.filter(({ act }) =>
        act.startsWith('config.'),
      );
    await until(async () => (await rows()).length === 2);
    const file = expect.stringMatching(/config\/signalbox\.yaml$/) as string;
    const by = { actor: userInfo().username, address: 'configuration file', accountId: null };
    const retention = expect.objectContaining({ auditDays: 30 }) as object;
    expect(await rows()).toMatchObject([
      { act: 'config.refuse', ...by, details: { file } },
      {
        act: 'config.apply',
        ...by,
        details: { file, changed: ['providers', 'retention'], retention },
      },
    ]);
    expect(JSON.stringify(await rows())).not.toContain('sk-upstream-secret');
    await store.close();
  });

  it.runIf(isWholeRun)('is refused where a provider lacks what its dialect needs', async () => {
    const gateway = await startProcess({ config: withProviders(provider('a', first!)) });
    gateway.writeConfig(withProviders('  b: { api: openai-compatible }\n'));
    await gateway.printed(refused);
    expect(await providersOf(gateway)).toEqual(['a']);
  });

  it('is read on SIGHUP, whether the file was changed or not', async () => {
    const gateway = await startProcess({ config: withProviders(provider('a', first!)) });
    gateway.signal('SIGHUP');
    await gateway.printed(applied);
    expect(await reloads(gateway, 'applied')).toBe(1);
    rmSync(join(gateway.folder, 'config'), { recursive: true });
    gateway.signal('SIGHUP');
    await gateway.printed(refused);
    expect((await complete(gateway, 'a/m')).status).toBe(200);
  });

  it.runIf(isWholeRun)(
    'changes keys and the level of the log, and says what it warns of',
    async () => {
      const gateway = await startProcess({ config: withProviders(provider('a', first!)) });
      gateway.writeConfig(
        withProviders(provider('a', first!), '  b: { api: groq, apiKey: "${NOT_SET}" }\n').replace(
          'sk_test',
          'sk_other',
        ) + 'log: { level: warn }\n',
      );
      await gateway.printed(/"msg":"providers\.b is not used: NOT_SET is not set"/);
      expect((await complete(gateway, 'a/m')).status).toBe(401);
      expect(
        (
          await post(
            `${gateway.url}/v1/chat/completions`,
            { model: 'a/m', messages },
            { authorization: 'Bearer sk_other' },
          )
        ).status,
      ).toBe(200);
      await wait(100);
      expect(gateway.stdout()).not.toMatch(/"msg":"request"/);
    },
  );

  it.runIf(isWholeRun)('says what takes a restart', async () => {
    const gateway = await startProcess({ config: withProviders(provider('a', first!)) });
    gateway.writeConfig(
      `${withProviders(provider('a', first!))}listen: { host: localhost }\nsurfaces: { metrics: { port: 0 } }\nlimits: { drainMs: 1, pingMs: 1000 }\n`,
    );
    await gateway.printed(
      /"msg":"these changes take effect after a restart: listen, surfaces, limits\.drainMs"/,
    );
    expect(await ask('GET', `${gateway.url}/healthz`)).toMatchObject({ status: 200 });
  });
});

describe('the demo', () => {
  const keyOnly = 'auth: { keys: [{ name: test, key: sk_test }] }\n';

  it.runIf(isWholeRun)(
    'ends when the first provider is configured, but not in the middle of an answer',
    async () => {
      const gateway = await startProcess({ config: keyOnly });
      expect(await providersOf(gateway)).toEqual(['demo']);
      let begun = (): void => undefined;
      const opened = new Promise<void>((resolve) => (begun = resolve));
      const reply = postStream(
        `${gateway.url}/v1/chat/completions`,
        { model: 'demo/demo-large', messages, stream: true },
        { headers: auth, onFrame: begun },
      );
      await opened;
      gateway.writeConfig(withProviders(provider('a', first!)));
      await gateway.printed(applied);
      expect(await providersOf(gateway)).toEqual(['a']);
      expect((await complete(gateway, 'demo/demo-large')).status).toBeGreaterThanOrEqual(400);
      expect((await complete(gateway, 'a/m')).status).toBe(200);
      expect(textOf(await reply)).toMatch(/to use a real model\.$/);
    },
  );

  it.runIf(isWholeRun)(
    'does not come back when the last provider goes: the gateway stays, and says that it has none',
    async () => {
      const gateway = await startProcess({ config: keyOnly });
      gateway.writeConfig(withProviders(provider('a', first!)));
      await gateway.printed(applied);
      gateway.writeConfig(keyOnly);
      await gateway.printed(/"msg":"no provider is configured any more/);
      expect(await ask('GET', `${gateway.url}/readyz`, auth)).toMatchObject({
        status: 200,
        json: { status: 'ready', providers: [] },
      });
      for (const model of ['demo/demo-large', 'a/m', 'auto'])
        expect(await complete(gateway, model), model).toMatchObject({
          status: model === 'auto' ? 400 : 404,
          json: { error: { param: 'model' } },
        });
    },
  );

  it.runIf(isWholeRun)('stays when a change brings no provider', async () => {
    const gateway = await startProcess({ config: keyOnly });
    gateway.writeConfig(`${keyOnly}log: { level: debug }\n`);
    await gateway.printed(applied);
    expect((await complete(gateway, 'demo/demo-large')).status).toBe(200);
  });
});
