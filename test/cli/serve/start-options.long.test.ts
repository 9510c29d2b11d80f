import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildOnce } from '../../helpers/build.js';
import { listAt } from '../../helpers/json.js';
import {
  endProcesses,
  newFolder,
  runToEnd,
  startProcess,
  type GatewayProcess,
  type ProcessOptions,
} from '../../helpers/process.js';
import { freePort } from '../../helpers/server-process.js';
import { ask, post } from '../../helpers/sse.js';

const messages = [{ role: 'user', content: 'What is a signal box?' }];
const openAI = '/v1/chat/completions';
const providersOf = async ({ url, auth }: GatewayProcess, key = auth): Promise<unknown[]> =>
  listAt((await ask('GET', `${url}/readyz`, key)).json, 'providers');

beforeAll(async () => {
  await buildOnce();
}, 120_000);
afterEach(endProcesses);

describe('a key that is given', () => {
  it('in SIGNALBOX_API_KEY is the only one: none is made', async () => {
    const { url, stdout } = await startProcess({ env: { SIGNALBOX_API_KEY: 'sk_fixed' } });
    expect(stdout()).not.toMatch(/sk_/);
    expect(
      await ask('GET', `${url}/v1/models`, { authorization: 'Bearer sk_fixed' }),
    ).toMatchObject({ status: 200 });
  });

  it('in the configuration is enough', async () => {
    const { url, stdout } = await startProcess({
      config: 'auth: { keys: [{ name: ci, key: "${CI_KEY}" }] }',
      env: { CI_KEY: 'sk_ci' },
    });
    expect(stdout()).not.toMatch(/sk_/);
    expect(await ask('GET', `${url}/v1/models`, { authorization: 'Bearer sk_ci' })).toMatchObject({
      status: 200,
    });
  });

  it('stands beside one that was issued before', async () => {
    const first = await startProcess();
    const second = await startProcess({
      folder: first.folder,
      env: { SIGNALBOX_API_KEY: 'sk_fixed' },
    });
    for (const auth of [first.auth, { authorization: 'Bearer sk_fixed' }])
      expect(await ask('GET', `${second.url}/v1/models`, auth)).toMatchObject({ status: 200 });
  });

  it('as an empty variable counts as not given', async () => {
    const { key, url } = await startProcess({
      env: {
        SIGNALBOX_API_KEY: '',
        OPENAI_API_KEY: ' ',
        SIGNALBOX_CONFIG: '',
        SIGNALBOX_DATA_DIR: '',
        HOST: '',
      },
    });
    expect(key).toMatch(/^sk_/);
    expect(await ask('GET', `${url}/v1/models`, { authorization: 'Bearer ' })).toMatchObject({
      status: 401,
    });
  });

  it('is not needed where the configuration asks for none', async () => {
    const { url, key } = await startProcess({ config: 'auth: { required: false }' });
    expect(key).toBe('');
    expect((await ask('GET', `${url}/v1/models`)).status).toBe(200);
  });
});

describe('a start that cannot be', () => {
  const wrong: [string, ProcessOptions, RegExp][] = [
    [
      'a value of the wrong type',
      { config: 'listen:\n  host: localhost\n  port: high\n', env: { PORT: '' } },
      /^config\/signalbox\.yaml:3: listen\.port: must be a whole number\n$/,
    ],
    [
      'a file that is no YAML',
      { config: 'log: { level: info }\nlisten: { port: 1 ]\n' },
      /^config\/signalbox\.yaml:2: .*a bracket is not closed\n/,
    ],
    [
      'an unknown dialect',
      { config: 'providers:\n  a:\n    api: antropic\n' },
      /^config\/signalbox\.yaml:3: providers\.a\.api: is not a known dialect.*did you mean anthropic\?\n$/,
    ],
    [
      'a provider without the address it needs',
      { config: 'log: { level: info }\nproviders:\n  mine: { api: openai-compatible }\n' },
      /^config\/signalbox\.yaml:3: providers\.mine: mine needs a baseUrl.*\n$/,
    ],
    [
      'a cloud without its region',
      { config: 'providers: { aws: { api: bedrock } }' },
      /^config\/signalbox\.yaml:1: providers\.aws: aws needs an AWS region.*\n$/,
    ],
    [
      'a cloud without its project',
      { config: 'providers: { google: { api: vertex, region: global } }' },
      /^config\/signalbox\.yaml:1: providers\.google: google needs a project.*\n$/,
    ],
    [
      'an empty key',
      { config: 'auth:\n  keys:\n    - { name: ci, key: "${NOT_SET}" }\n' },
      /^config\/signalbox\.yaml:3: auth\.keys\[0\]\.key: is empty: the variable NOT_SET is not set.*\n$/,
    ],
    [
      'two files of which the named one is absent',
      { args: ['--config', 'absent.yaml'], config: '' },
      /^absent\.yaml: cannot be read: no such file\n$/,
    ],
    [
      'the variable naming an absent file',
      { env: { SIGNALBOX_CONFIG: 'absent.yaml' } },
      /^absent\.yaml: cannot be read: no such file\n$/,
    ],
    [
      'a port that is none',
      { env: { PORT: '70000' } },
      /the environment variable PORT must be a whole number between 0 and 65535\n$/,
    ],
    [
      'an address of another machine',
      { env: { HOST: '203.0.113.1' } },
      /^cannot listen on 203\.0\.113\.1:0 \(listen\): this machine does not have that address\n$/,
    ],
    [
      'an unknown command',
      { args: ['serve'] },
      /^unknown command "serve"; the commands are: start, check, /,
    ],
    [
      'a command with too much behind it',
      { args: ['start', 'now'] },
      /^start takes no arguments; unexpected: "now"\n$/,
    ],
    [
      'an unknown option',
      { args: ['--port', '1'] },
      /^unknown option '--port'; see signalbox --help\n$/,
    ],
    [
      'an option that its command needs',
      { args: ['keys', 'create'] },
      /^required option '--name <name>' not specified; see signalbox keys create --help\n$/,
    ],
    [
      'an option without its value',
      { args: ['--config'] },
      /^option '-c, --config <file>' argument missing; see signalbox --help\n$/,
    ],
    [
      'a data folder that cannot be',
      { env: { SIGNALBOX_DATA_DIR: '/dev/null/data' } },
      /^dataDir: the database cannot be reached: .*\/dev\/null\/data.*\n$/,
    ],
  ];

  it.each(wrong)(
    'because of %s says so in a line and exits with 1',
    async (_what, options, message) => {
      const ended = await runToEnd(options);
      expect(ended.stderr).toMatch(message);
      expect(ended.stderr).not.toMatch(/\n\s+at /);
      expect(ended.code).toBe(1);
    },
  );

  it('because a port is taken says which setting chooses another, and leaves nothing behind', async () => {
    const running = await startProcess();
    const port = new URL(running.url).port;
    expect(await runToEnd({ env: { PORT: port } })).toMatchObject({
      code: 1,
      stderr: `cannot listen on 127.0.0.1:${port} (listen): the port is already in use; set PORT or listen.port to another\n`,
    });
    expect(await runToEnd({ config: `surfaces: { metrics: { port: ${port} } }` })).toMatchObject({
      code: 1,
      stderr: `cannot listen on 127.0.0.1:${port} (surfaces.metrics): the port is already in use; set surfaces.metrics.port to another\n`,
    });
  });
});

describe('the command line', () => {
  it('takes the configuration from --config, and SIGNALBOX_CONFIG where there is none', async () => {
    const folder = newFolder();
    for (const name of ['one', 'two'])
      writeFileSync(
        join(folder, `${name}.yaml`),
        `providers: { ${name}: { api: vllm, baseUrl: http://127.0.0.1:9/v1 } }`,
      );
    const one = await startProcess({
      folder,
      args: ['start', '--config', 'one.yaml'],
      env: { SIGNALBOX_CONFIG: 'two.yaml' },
    });
    expect(await providersOf(one)).toEqual(['one']);
    const two = await startProcess({ folder, env: { SIGNALBOX_CONFIG: 'two.yaml' } });
    expect(await providersOf(two, one.auth)).toEqual(['two']);
  });

  it('lets PORT and HOST override what the configuration says', async () => {
    const port = await freePort();
    const { url } = await startProcess({
      config: 'listen: { host: 203.0.113.1, port: 1 }',
      env: { HOST: 'localhost', PORT: String(port) },
    });
    expect(url).toBe(`http://localhost:${port}`);
    expect(await ask('GET', `${url}/healthz`)).toMatchObject({ status: 200 });
  });

  it('tells its version and its usage', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    expect(await runToEnd({ args: ['--version'] })).toMatchObject({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    });
    expect(await runToEnd({ args: ['-h'] })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Usage: signalbox [^]*check the configuration and exit/,
      ) as string,
      stderr: '',
    });
  });

  it('checks a configuration without starting, with what would be warned of', async () => {
    const config =
      'providers: { a: { api: groq, apiKey: "${NOT_SET}" }, b: { api: vllm, baseUrl: http://127.0.0.1:9/v1 } }';
    expect(await runToEnd({ args: ['check'], config })).toMatchObject({
      code: 0,
      stderr: '',
      stdout:
        'warning: providers.a is not used: NOT_SET is not set\nconfig/signalbox.yaml is valid; providers: b\n',
    });
    expect(await runToEnd({ args: ['check'], config: 'listen: 1' })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'config/signalbox.yaml:1: listen: must be an object\n',
    });
  });

  it('writes lines for people where the log is to be pretty', async () => {
    const { url, auth, printed } = await startProcess({ config: 'log: { pretty: true }' });
    await post(`${url}${openAI}`, { model: 'demo/demo-small', messages }, auth);
    const [line] = await printed(/^.*request .*$/m);
    expect(line).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} request 200, demo\/demo-small, \d+ ms, \d+\+\d+ tokens/,
    );
  });

  it('writes lines for people in which no client can write a line of its own', async () => {
    const { url, auth, printed } = await startProcess({ config: 'log: { pretty: true }' });
    await post(
      `${url}/api/v1/model-select`,
      { messages, llm_providers: [{ provider: 'a\nforged', model: 'b\u001b[2J' }] },
      auth,
    );
    const [line] = await printed(/^.*request .*$/m);
    expect(line).toMatch(/ a\?forged\/b\?\[2J, /);
  });

  it('writes JSON lines otherwise, without the prompt and the key', async () => {
    const { url, auth, key, printed, stdout } = await startProcess();
    await post(`${url}${openAI}`, { model: 'demo/demo-small', messages }, auth);
    const [line] = await printed(/^\{.*"msg":"request".*$/m);
    expect(JSON.parse(line)).toMatchObject({
      status: 200,
      caller: 'first',
      model: 'demo/demo-small',
    });
    expect(stdout()).not.toContain(key);
    expect(stdout()).not.toContain('signal box?');
  });
});

describe('the output', () => {
  it('may be closed: the gateway goes on', async () => {
    const [folder, port] = [newFolder(), await freePort()];
    const child = spawn(process.execPath, [await buildOnce()], {
      cwd: folder,
      env: { PORT: String(port) },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      child.stdout.destroy();
      let answered = false;
      while (!answered)
        answered = await ask('GET', `http://127.0.0.1:${port}/healthz`).then(
          ({ status }) => status === 200,
          () => false,
        );
      expect(await ask('GET', `http://127.0.0.1:${port}/v1/models`)).toMatchObject({ status: 401 });
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('may be closed: the help ends without a complaint', async () => {
    const child = spawn(process.execPath, [await buildOnce(), '--help'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    const told = text(child.stderr);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await told).toBe('');
  });
});

describe('a surface with a listener of its own', () => {
  const config = `surfaces:\n${['modelSelect', 'completions', 'openai', 'proxy', 'metrics'].map((surface) => `  ${surface}: { port: 0 }\n`).join('')}`;
  const paths = {
    modelSelect: ['POST', '/api/v1/model-select'],
    completions: ['POST', '/api/v1/completions'],
    openai: ['GET', '/v1/models'],
    proxy: ['GET', '/proxy/demo/v1/models'],
    metrics: ['GET', '/metrics'],
  } as const;

  it('has just that surface and health there, and everything at the common one', async () => {
    const { url, auth, stdout } = await startProcess({ config });
    for (const own of Object.keys(paths)) {
      const alone = new RegExp(`${own} alone (http:[^\\s"]+)`).exec(stdout())?.[1] ?? '';
      expect(await ask('GET', `${alone}/healthz`)).toMatchObject({ status: 200 });
      for (const [surface, [method, path]] of Object.entries(paths)) {
        const { status, text } = await ask(
          method,
          alone + path,
          auth,
          method === 'POST' ? {} : undefined,
        );
        if (surface !== own)
          expect(text, `${path} at ${own}`).toContain(`no route for ${method} ${path}`);
        else expect([200, 400, 422], `${path} at ${own}`).toContain(status);
        expect(
          (await ask(method, url + path, auth, method === 'POST' ? {} : undefined)).status,
        ).not.toBe(404);
      }
    }
  });
});
