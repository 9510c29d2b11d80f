import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../../../src/providers/index.js';
import { buildOnce } from '../../helpers/build.js';
import { listAt, textAt } from '../../helpers/json.js';
import {
  endProcesses,
  newFolder,
  startProcess,
  type GatewayProcess,
} from '../../helpers/process.js';
import { ask, post, postStream } from '../../helpers/sse.js';
import { until } from '../../helpers/until.js';
import { parseExposition } from '../../helpers/exposition.js';
import { version } from '../../../src/version.js';
import { isWholeRun } from '../../helpers/runs.js';

const messages = [{ role: 'user', content: 'What is a signal box?' }];
const question = {
  models: ['demo/demo-large'],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What is a signal box?' }] }],
};
const openAI = '/v1/chat/completions';
const stopsAtOnce = 'limits: { drainDelayMs: 0 }';
const providersOf = async ({ url, auth }: GatewayProcess, key = auth): Promise<unknown[]> =>
  listAt((await ask('GET', `${url}/readyz`, key)).json, 'providers');

/** Runs a command as somebody who pastes it, with nothing else in the environment. */
async function paste(command: string, env: Record<string, string> = {}): Promise<unknown> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    env: { PATH: process.env.PATH, ...env },
  });
  return JSON.parse(stdout) as unknown;
}
const curlIn = (output: string): string =>
  /^ {2}(curl [^]*?})'$/m.exec(output)?.[0] ?? 'there is no curl';

beforeAll(async () => {
  await buildOnce();
}, 120_000);
afterEach(endProcesses);

describe('the first start', () => {
  it('shows on a terminal the address, a key, and a command that works as pasted', async () => {
    const gateway = await startProcess({ terminal: true });
    const [, key] = await gateway.printed(/^ {2}(sk_[\w-]{32})$/m);
    await gateway.printed(/\/docs$/m);
    expect(existsSync(join(gateway.folder, 'data/first-key'))).toBe(false);
    expect(gateway.stdout()).toContain('with the demo provider');
    expect(curlIn(gateway.stdout())).toContain(key);
    expect(
      textAt(await paste(curlIn(gateway.stdout())), 'choices', 0, 'message', 'content'),
    ).toMatch(/demo/);
    // the log is readable there
    await gateway.printed(/^[\d:.]+ request 200, demo\/demo-large, \d+ ms/m);
  });

  it('has metrics of its process and its version, in both formats', async () => {
    const gateway = await startProcess();
    const pages = await Promise.all(
      (['prometheus', 'openmetrics'] as const).map(async (format) => {
        const accept = format === 'openmetrics' ? 'application/openmetrics-text' : 'text/plain';
        const { text } = await ask('GET', `${gateway.url}/metrics`, { accept });
        return parseExposition(text, format);
      }),
    );
    for (const page of pages) {
      const valueOf = (name: string) => page.get(name)?.samples[0]?.value;
      expect(page.get('signalbox_build_info')?.samples).toMatchObject([
        { labels: { version }, value: 1 },
      ]);
      expect(valueOf('process_resident_memory_bytes')).toBeGreaterThan(1e7);
      expect(valueOf('process_start_time_seconds')).toBeGreaterThan(1.7e9);
      expect([...page.keys()].some((name) => name.startsWith('process_cpu_seconds'))).toBe(true);
      expect([...page.keys()].filter((name) => name.startsWith('nodejs_active'))).toEqual([]);
    }
  });

  it('at a terminal ends when the terminal is closed', async () => {
    const gateway = await startProcess({ terminal: true, config: stopsAtOnce });
    await gateway.printed(/\/docs$/m);
    gateway.signal('SIGKILL');
    await until(() =>
      ask('GET', `${gateway.url}/healthz`).then(
        () => false,
        () => true,
      ),
    );
  });

  it('keeps only the hash of the key, where nobody else can read it, and issues no other at the next start', async () => {
    const { folder, key, auth, ...first } = await startProcess({ config: stopsAtOnce });
    // its first eleven characters are what its owner knows it again by
    for (const file of readdirSync(join(folder, 'data')))
      if (file !== 'first-key')
        expect(readFileSync(join(folder, 'data', file), 'latin1')).not.toContain(key.slice(11));
    expect(statSync(join(folder, 'data/signalbox.db')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
    first.signal('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0, stderr: '' });
    const second = await startProcess({ folder });
    expect(second.key).toBe('');
    expect(await ask('GET', `${second.url}/v1/models`, auth)).toMatchObject({ status: 200 });
  });

  it.runIf(isWholeRun)(
    'is told of another process on the same data folder, as long as that runs',
    async () => {
      const warning = /uses the same data folder/;
      const first = await startProcess();
      const second = await startProcess({ folder: first.folder });
      await second.printed(
        /"msg":"process \d+ uses the same data folder: each of the two counts rate/,
      );
      expect(first.stdout()).not.toMatch(warning);
      second.signal('SIGTERM');
      first.signal('SIGKILL');
      await Promise.all([first.ended, second.ended]);
      const third = await startProcess({ folder: first.folder });
      expect(third.stdout()).not.toMatch(warning);
    },
  );

  it.runIf(isWholeRun)(
    'keeps the key in the folder that SIGNALBOX_DATA_DIR or dataDir names',
    async () => {
      const folder = newFolder();
      const { key } = await startProcess({
        folder,
        config: 'dataDir: ./kept\n',
        env: { SIGNALBOX_DATA_DIR: './elsewhere' },
      });
      expect(key).not.toBe('');
      expect(statSync(join(folder, 'elsewhere/signalbox.db')).isFile()).toBe(true);
      await startProcess({ folder, config: 'dataDir: ./kept\n' });
      expect(statSync(join(folder, 'kept/signalbox.db')).isFile()).toBe(true);
    },
  );
});

describe('the demo', () => {
  it('streams word by word over the whole path, says what it is, and says the same to the same question', async () => {
    const { url, auth } = await startProcess();
    const ask = () =>
      postStream(`${url}/api/v1/completions`, { ...question, stream: true }, { headers: auth });
    const [first, second] = [await ask(), await ask()];
    const words = (reply: typeof first) =>
      reply.events.map((event) => textAt(event, 'text')).filter((text) => text !== '');
    expect(first.status).toBe(200);
    expect(words(first).length).toBeGreaterThan(20);
    expect(
      new Set(first.frames.map(({ at: arrived }) => Math.round(arrived))).size,
    ).toBeGreaterThan(10);
    expect(words(first).join('')).toMatch(
      /demo provider.*no language model was called.*What is a signal box\?/s,
    );
    expect(words(second)).toEqual(words(first));
    expect(first.frames.at(-1)?.data).toBe('[DONE]');
  });

  it.runIf(isWholeRun)('answers what is not streamed, with usage that costs nothing', async () => {
    const { url, auth } = await startProcess();
    const answer = await post(`${url}${openAI}`, { model: 'auto', messages }, auth);
    expect(answer).toMatchObject({
      status: 200,
      json: { model: expect.stringMatching(/demo-/), usage: { total_tokens: expect.any(Number) } },
    });
    expect((await ask('GET', `${url}/metrics`)).text).toMatch(
      /signalbox_cost_usd_total\{provider="demo",model="demo-\w+"\} 0\n/,
    );
  });

  it.runIf(isWholeRun)(
    'is not there when the usual variable of a provider is set: that one is, under its usual name',
    async () => {
      const gateway = await startProcess({ env: { OPENAI_API_KEY: 'x' } });
      expect(await providersOf(gateway)).toEqual(['openai']);
      expect(gateway.stdout()).toContain(`listens on ${gateway.url} with openai`);
      expect(await post(`${gateway.url}/api/v1/completions`, question, gateway.auth)).toMatchObject(
        {
          status: 422,
          json: { message: expect.stringContaining('models[0]') },
        },
      );
    },
  );

  it.runIf(isWholeRun)('is not there when the configuration has a provider', async () => {
    const gateway = await startProcess({
      config: 'providers: { local: { api: vllm, baseUrl: http://127.0.0.1:9/v1 } }',
    });
    expect(await providersOf(gateway)).toEqual(['local']);
    expect(gateway.stdout()).not.toContain('demo');
  });

  it.runIf(isWholeRun)('leaves to every provider whose variable is set', async () => {
    const withVariable = [...dialects.values()].filter(({ env }) => env.length > 0);
    const env = Object.fromEntries(withVariable.map(({ env: [name] }) => [name!, 'x']));
    const gateway = await startProcess({ env: { ...env, AWS_REGION: 'eu-west-1' } });
    expect(await providersOf(gateway)).toEqual(withVariable.map(({ api }) => api));
  });

  it.runIf(isWholeRun)(
    'leaves a provider out, with a warning, where its variable alone does not suffice',
    async () => {
      const gateway = await startProcess({
        env: { AWS_BEARER_TOKEN_BEDROCK: 'x', GROQ_API_KEY: 'x' },
      });
      expect(await providersOf(gateway)).toEqual(['groq']);
      await gateway.printed(
        /"msg":"AWS_BEARER_TOKEN_BEDROCK is set, but the provider bedrock is not used: bedrock needs an AWS region/,
      );
    },
  );
});
