import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildOnce } from '../helpers/build.js';
import { startGateway } from '../helpers/gateway.js';
import { ask, post, postStream } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';
import { isWholeRun } from '../helpers/runs.js';

const folder = fileURLToPath(new URL('../examples/', import.meta.url));
const messages = [{ role: 'user', content: 'Say hello' }];
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** A program that runs. */
interface Program {
  process: ChildProcess;
  output: () => string;
  /** Resolves with the code of its exit. */
  ended: Promise<number | null>;
}

let upstream: Upstream;
let programs: Program[] = [];
beforeAll(() => buildOnce(), 120_000);
beforeEach(async () => {
  upstream = await startUpstream();
});
afterEach(async () => {
  for (const { process: child, ended } of programs) {
    child.kill('SIGKILL');
    await ended;
  }
  programs = [];
  await upstream.close();
});

/** Runs a program that has only the given variables in its environment. */
function run(args: string[], env: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', MODEL_URL: `${upstream.url}/v1`, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const program = {
    process: child,
    output: () => output,
    ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
  };
  programs.push(program);
  return program;
}

/** Starts an example that listens; gives its address too. */
async function start(
  name: string,
  env: Record<string, string> = {},
): Promise<Program & { url: string }> {
  const program = run([name], env);
  const line = /^listening on (\S+)$/m;
  await expect
    .poll(() => line.test(program.output()) || program.process.exitCode !== null, {
      timeout: 60_000,
      interval: 20,
    })
    .toBe(true);
  const url = line.exec(program.output())?.[1];
  if (url === undefined) throw new Error(`${name} does not listen:\n${program.output()}`);
  return { ...program, url };
}

describe('the examples', { timeout: 60_000 }, () => {
  it('are short, import the package by its name, and are all run here', () => {
    const here = readFileSync(fileURLToPath(import.meta.url), 'utf8');
    const names = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
    expect(names).toHaveLength(12);
    for (const name of names) {
      const text = readFileSync(folder + name, 'utf8');
      expect(text.split('\n').length, name).toBeLessThan(60);
      expect(text, name).toMatch(/from '(signalbox|openai)'/);
      expect(text, name).not.toContain('../');
      expect(here, name).toMatch(new RegExp(`(start|run)\\(\\[?'${name}'`));
    }
  });

  it('mount-express.mjs: an app with the gateway under /ai', async () => {
    const {
      url,
      process: child,
      output,
      ended,
    } = await start('mount-express.mjs', { SIGNALBOX_API_KEY: 'sk_mine' });
    expect((await ask('GET', url)).text).toBe('This is the app itself.');
    const stranger = { email: 'eve@example.org', password: 'correct horse battery' };
    for (const path of ['sign-up', 'claim'])
      expect((await post(`${url}/ai/api/v1/auth/${path}`, stranger)).status).toBe(404);
    expect(
      (
        await post(
          `${url}/ai/v1/chat/completions`,
          { model: 'local/m', messages },
          bearer('sk_mine'),
        )
      ).json,
    ).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
    expect(
      (
        await post(
          `${url}/ai/api/v1/completions`,
          { models: ['local/m'], messages },
          bearer('sk_mine'),
        )
      ).json,
    ).toMatchObject({ provider: 'local', model: 'm' });
    expect(
      (
        await post(
          `${url}/ai/api/v1/model-select`,
          { llm_providers: [{ name: 'a' }], messages },
          bearer('sk_mine'),
        )
      ).json,
    ).toMatchObject({ llm_label: 'a' });
    expect(
      (
        await post(
          `${url}/ai/proxy/local/chat/completions`,
          { model: 'm', messages },
          bearer('sk_mine'),
        )
      ).status,
    ).toBe(200);
    expect((await ask('GET', `${url}/ai/metrics`)).text).toContain('signalbox_attempts_total');
    expect(
      (
        await post(
          `${url}/ai/v1/chat/completions`,
          { model: 'local/m', messages },
          bearer('sk_example'),
        )
      ).status,
    ).toBe(401);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(output()).toMatch(/^stopped$/m);
    // a line for each request, without its messages
    expect(output()).toContain('"surface":"completions"');
    expect(output()).not.toMatch(/Say hello|sk_mine/);
  });

  it.runIf(isWholeRun)(
    'select-model-stage.mjs: the stage chooses, the handler reads the plan',
    async () => {
      const { url } = await start('select-model-stage.mjs');
      const models = ['openai/gpt-large', 'openai/gpt-small'];
      expect((await post(`${url}/chat`, { messages, models })).json).toMatchObject({
        model: 'openai/gpt-large',
        otherwise: ['openai/gpt-small'],
        because: expect.any(String),
        excluded: [],
      });
      expect(
        (await post(`${url}/chat`, { messages, models, tradeoff: 'cost' })).json,
      ).toMatchObject({
        model: 'openai/gpt-small',
      });
      expect(
        (await post(`${url}/chat`, { messages, models, tools: [{ name: 'f' }] })).json,
      ).toMatchObject({
        model: 'openai/gpt-large',
        excluded: [expect.stringContaining('gpt-small')],
      });
      expect(await post(`${url}/chat`, { messages, models: [] })).toMatchObject({
        status: 400,
        json: { code: 'bad_request', problem: expect.stringContaining('models') },
      });
    },
  );

  it.runIf(isWholeRun)(
    'own-candidates.mjs: candidates and a body that the gateway does not know',
    async () => {
      const { url } = await start('own-candidates.mjs');
      expect((await post(`${url}/ask`, { question: 'Why?' })).json).toMatchObject({
        label: 'careful',
        answer: 'A long and careful answer to: Why?',
      });
      expect((await post(`${url}/ask?hurry`, { question: 'Why?' })).json).toMatchObject({
        label: 'quick',
        answer: 'A quick answer to: Why?',
      });
      expect(
        (await post(`${url}/ask?hurry`, { question: 'Why?', functions: [{ name: 'f' }] })).json,
      ).toMatchObject({ label: 'careful' });
      expect(
        (await post(`${url}/ask?hurry`, { question: 'long '.repeat(10_000) })).json,
      ).toMatchObject({ label: 'careful' });
    },
  );

  it.runIf(isWholeRun)(
    'metrics-only.mjs: your own route and sign-in, metrics on a separate port',
    async () => {
      const program = await start('metrics-only.mjs', { METRICS_PORT: '0' });
      const body = { models: ['local/llama3.2'], messages };
      expect(await post(`${program.url}/chat`, body)).toMatchObject({
        status: 401,
        json: { problem: 'sign in first' },
      });
      const streamed = await postStream(
        `${program.url}/chat`,
        { ...body, stream: true },
        { headers: { cookie: 'session=alice' } },
      );
      expect(streamed.frames.at(-1)?.data).toBe('[DONE]');
      await expect.poll(() => program.output()).toMatch(/^metrics on /m);
      const page = await ask('GET', /^metrics on (\S+)$/m.exec(program.output())?.[1] ?? '');
      expect(page.text).toMatch(
        /^gen_ai_client_token_usage_count\{.*gen_ai_request_model="llama3\.2".*\} 1$/m,
      );
      expect(page.text).toMatch(/^signalbox_cost_usd_total\{.*\} 0\.000002$/m);
      expect((await ask('GET', `${program.url}/metrics`)).status).toBe(404);
    },
  );

  it.runIf(isWholeRun)(
    'own-authentication.mjs: own sign-in and own calls, which the gateway plans and learns from',
    async () => {
      const { url } = await start('own-authentication.mjs');
      const body = { messages, models: ['local/large', 'local/small'] };
      expect((await post(`${url}/chat`, body)).status).toBe(401);
      const alice = { cookie: 'session=alice' };
      expect((await post(`${url}/chat`, body, alice)).json).toEqual({
        model: 'local/large',
        answer: 'Hello',
      });
      upstream.script([{ status: 500 }]);
      expect((await post(`${url}/chat`, body, alice)).status).toBe(502);
      const page = (await ask('GET', `${url}/metrics`)).text;
      for (const outcome of ['ok', 'upstream_error'])
        expect(page).toContain(
          `signalbox_attempts_total{provider="local",model="large",outcome="${outcome}"} 1`,
        );
      expect(page).toMatch(/^signalbox_cost_usd_total\{.*model="large".*\} 0\.0001$/m);
    },
  );

  it('own-users.mjs: users of the app, with conversations and limits of their own', async () => {
    const { url } = await start('own-users.mjs');
    const body = { models: ['local/m'], messages };
    const [alice, bob] = ['alice', 'bob'].map((name) => ({ cookie: `session=${name}` }));
    const path = `${url}/ai/api/v1/completions`;
    expect((await post(path, body)).status).toBe(401);
    expect((await post(path, body, alice)).status).toBe(200);
    const conversations = async (headers: Record<string, string> = {}): Promise<unknown> =>
      (await ask('GET', `${url}/ai/api/v1/conversations`, headers)).json;
    expect(await conversations(alice)).toMatchObject({ items: [{ object: 'conversation' }] });
    expect(await conversations(bob)).toMatchObject({ items: [] });
    const statuses = [];
    for (let times = 0; times < 3; times++) statuses.push((await post(path, body, bob)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await post(path, body, alice)).status).toBe(200);
  });

  it.runIf(isWholeRun)(
    "merged-metrics.mjs: the gateway's metrics and log in those of the app",
    async () => {
      const program = await start('merged-metrics.mjs');
      await ask('GET', program.url);
      await post(`${program.url}/chat`, { models: ['local/llama3.2'], messages });
      const { text } = await ask('GET', `${program.url}/metrics`);
      expect(text).toMatch(/^visits_total 1$/m);
      expect(text).toMatch(/^signalbox_cost_usd_total\{.*\} 0\.000002$/m);
      expect(program.output()).toContain("surface: 'completions'");
    },
  );

  it.runIf(isWholeRun)(
    'before-a-proxy.mjs: the stage chooses, a proxy sends the request on',
    async () => {
      const { url } = await start('before-a-proxy.mjs', { MODEL_URL: `${upstream.url}/v1` });
      const body = { messages, models: ['local/large', 'local/small'], tradeoff: 'cost' };
      expect((await post(`${url}/chat/completions`, body)).json).toMatchObject({
        choices: [{ message: { content: 'Hello' } }],
      });
      expect(upstream.requests.map(({ body: sent }) => sent)).toEqual([
        { messages, model: 'small' },
      ]);
      expect((await post(`${url}/chat/completions`, { models: [] })).status).toBe(400);
    },
  );

  it.runIf(isWholeRun)('two-gateways.mjs: two teams with separate keys and metrics', async () => {
    const {
      url,
      process: child,
      ended,
    } = await start('two-gateways.mjs', { SUPPORT_KEY: 'sk_other' });
    const asked = { model: 'local/m', messages };
    expect(
      (await post(`${url}/research/v1/chat/completions`, asked, bearer('sk_research'))).status,
    ).toBe(200);
    expect(
      (await post(`${url}/support/v1/chat/completions`, asked, bearer('sk_other'))).status,
    ).toBe(200);
    expect(
      (await post(`${url}/support/v1/chat/completions`, asked, bearer('sk_research'))).status,
    ).toBe(401);
    expect((await ask('GET', `${url}/research/metrics`)).text).toMatch(
      /^research_signalbox_attempts_total\{.*\} 1$/m,
    );
    expect((await ask('GET', `${url}/support/metrics`)).text).toMatch(
      /^support_signalbox_attempts_total\{.*\} 1$/m,
    );
    expect(await ask('GET', `${url}/nothing`)).toMatchObject({
      status: 404,
      json: { problem: 'there is nothing at /nothing' },
    });
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('openai-sdk.mjs: a client that streams an answer and sees an error', async () => {
    upstream.script([{ text: ['Because ', 'of Rayleigh.'] }]);
    const gateway = await startGateway({
      providers: { local: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
      models: { 'local/blue': {} },
    });
    const program = run(['openai-sdk.mjs', 'Why?'], {
      OPENAI_BASE_URL: `${gateway.url}/v1`,
      OPENAI_API_KEY: gateway.key,
    });
    expect(await program.ended).toBe(0);
    expect(program.output()).toBe(
      'Because of Rayleigh.\n\nblue: 10 tokens in, 5 out\nNotFoundError: 404 model_not_found (model)\n',
    );
    await gateway.close();
  });
});

describe('the example without Express', { timeout: 60_000 }, () => {
  it.runIf(isWholeRun)(
    'without-express.mjs: chooses, answers and streams, then ends by itself',
    async () => {
      upstream.script([{ text: ['Hello', ' there'] }]);
      const program = run(['without-express.mjs']);
      expect(await program.ended).toBe(0);
      expect(program.output()).toMatch(
        /^chosen: local\/\S+\nanswer: Hello there\ntokens: 5 in \d+ ms\nHello there\nfinished: stop\n$/,
      );
    },
  );
});

describe('the example of the methods', { timeout: 60_000 }, () => {
  it('manage-keys.mjs: issues a key for a user, reads the usage and revokes the key', async () => {
    const program = run(['manage-keys.mjs']);
    expect(await program.ended).toBe(0);
    expect(program.output()).toMatch(
      /^issued sk_[\w-]+…\n\d{4}-\d\d-\d\d: 1 request, 0\.00002 USD\n\[ 'laptop: revoked' \]\nfor bob: 404 key: not found\n$/,
    );
  });
});

describe('the package', { timeout: 60_000 }, () => {
  const evaluate = (code: string): Program => run(['--input-type=module', '--eval', code]);

  it('starts nothing, says nothing and keeps no process alive when it is imported', async () => {
    const program = evaluate(
      'const face = await import("signalbox"); if (Object.keys(face).sort().join() !== "ConfigError,GatewayError,createGateway,planOf") throw new Error(Object.keys(face).join());',
    );
    expect(await program.ended).toBe(0);
    expect(program.output()).toBe('');
  });

  it.runIf(isWholeRun)(
    'keeps no process alive for a gateway that was made and not used',
    async () => {
      const program = evaluate(
        'import { createGateway } from "signalbox"; createGateway({ providers: { a: { api: "openai", apiKey: "k" } } });',
      );
      expect(await program.ended).toBe(0);
      expect(program.output()).toBe('');
    },
  );

  it.runIf(isWholeRun)(
    'keeps no process alive for a gateway that was used and closed, with its host',
    async () => {
      const program = evaluate(`
      import express from 'express';
      import { createGateway } from 'signalbox';
      const gateway = createGateway({ auth: { required: false }, providers: { local: { api: 'openai-compatible', baseUrl: process.env.MODEL_URL } }, log: { level: 'silent' } });
      const server = express().use(gateway.router).listen(0, async () => {
        const body = JSON.stringify({ model: 'local/m', messages: [{ role: 'user', content: 'Hi' }], stream: true });
        const reply = await fetch('http://127.0.0.1:' + server.address().port + '/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json', connection: 'close' }, body });
        console.log((await reply.text()).includes('[DONE]'));
        server.close();
        await gateway.close();
      });
    `);
      expect(await program.ended).toBe(0);
      expect(program.output()).toBe('true\n');
    },
  );
});
