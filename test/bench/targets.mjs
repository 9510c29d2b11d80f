import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cores, freePort, here, messageOf, startProgram } from './processes.mjs';

/** The gateway's key. */
export const key = 'sk_bench_0123456789abcdef0123456789abcdef';
const question = 'Which signal has to be set first, and why? '.repeat(5).trim();

/** The mock's models. The gateway knows their prices, so that it works out the cost. */
export const models = {
  whole: 'json',
  vector: 'vector',
  answer: 'sse-100-10-1000',
  bursts: 'sse-200-10-2000',
  singles: 'sse-200-1-1000',
  first: 'sse-10-1-2000',
  held: 'sse-600-1-1000000',
  megabyte: 'sse-5000-500-1000',
};

/** The command line's file; builds up to 0.1.0 had it beside the folder `cli`. */
const commandLine = (dist) =>
  [join(dist, 'cli/main.js'), join(dist, 'cli.js')].find((file) => existsSync(file));

/** A request as bytes. `path` and `headers` are the target's. */
function httpRequest({ path, headers = {} }, body) {
  const text = JSON.stringify(body);
  const fields = Object.entries({
    host: '127.0.0.1',
    'content-type': 'application/json',
    accept: '*/*',
    'user-agent': 'bench',
    authorization: `Bearer ${key}`,
    ...headers,
    'content-length': Buffer.byteLength(text),
  });
  return `POST ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${Buffer.from(text).toString('latin1')}`;
}

const chatBody = (model, streamed) => ({
  model,
  messages: [
    { role: 'system', content: 'You are a helpful assistant.' },
    { role: 'user', content: question },
  ],
  temperature: 0.7,
  max_tokens: 256,
  ...(streamed ? { stream: true } : {}),
});

const tenModels =
  'gpt-4o gpt-4o-mini gpt-4.1 gpt-4.1-mini gpt-5 gpt-5-mini claude-haiku-4-5 claude-sonnet-4-5 gemini-2.5-flash gemini-2.5-pro'.split(
    ' ',
  );

const nativeBody = (model, streamed) => ({
  models: [model],
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'You are a helpful assistant.' }] },
    { role: 'user', content: [{ type: 'text', text: question }] },
  ],
  temperature: 0.7,
  maxTokens: 256,
  stream: streamed,
});

const messagesBody = (model, streamed) => ({
  model,
  system: 'You are a helpful assistant.',
  messages: [{ role: 'user', content: question }],
  temperature: 0.7,
  max_tokens: 256,
  ...(streamed ? { stream: true } : {}),
});

const responsesBody = (model, streamed) => ({
  model,
  instructions: 'You are a helpful assistant.',
  input: [{ role: 'user', content: question }],
  temperature: 0.7,
  max_output_tokens: 256,
  store: false,
  ...(streamed ? { stream: true } : {}),
});

/** `auto` among ten models, which the mock answers all alike. */
const autoBody = (model, streamed) => ({
  ...chatBody('auto', streamed),
  models: tenModels.map((name) => `${model.split('/')[0]}/${name}`),
});

const embeddingsBody = (model) => ({ model, input: question });

/** The surfaces of the gateway, each with the provider that speaks its dialect. */
const surfaces = {
  openai: { path: '/v1/chat/completions', provider: 'up', bodyOf: chatBody },
  auto: { path: '/v1/chat/completions', provider: 'up', bodyOf: autoBody },
  embeddings: { path: '/v1/embeddings', provider: 'up', bodyOf: embeddingsBody },
  native: { path: '/api/v1/completions', provider: 'up', bodyOf: nativeBody },
  messages: { path: '/v1/messages', provider: 'messages', bodyOf: messagesBody },
  responses: { path: '/v1/responses', provider: 'responses', bodyOf: responsesBody },
};

/**
 * A target: how it starts, and its requests. `request(surface, model, streamed)` gives the bytes,
 * or
 * null if the target has no such surface. On the native surface the gateway makes a whole answer
 * of the provider's stream, so the pipe is asked for that stream.
 */
export const bare = {
  name: 'bare',
  async start({ upstreamPort }) {
    const child = startProgram(here('bare-pipe.mjs'), {
      core: cores.measured,
      env: { UPSTREAM: `http://127.0.0.1:${upstreamPort}` },
    });
    return { child, port: (await messageOf(child)).port };
  },
  request: (surface, model, streamed) =>
    httpRequest(
      { path: '/v1/chat/completions' },
      chatBody(model, streamed || surface === 'native'),
    ),
};

/** The upstream itself, with nothing in between. */
export const direct = { ...bare, name: 'direct' };

/** A process of Signalbox. */
const gateway = (
  dist,
  name,
  { config: more = {}, issued = false, nodeOptions = [], args = [], core = cores.measured, limits },
  asked = { key },
) => ({
  name,
  async start({ upstreamPort, folder }) {
    // each build has a database of its own
    const data = join(folder, name);
    const port = await freePort();
    // the log is not in its folder, whose changes the gateway looks at
    const config = join(mkdtempSync(join(folder, 'config-')), `${name}.yaml`);
    const baseUrl = `http://127.0.0.1:${upstreamPort}/v1`;
    const providers = {
      up: { api: 'openai-compatible', baseUrl },
      // rows of a build without these surfaces do not ask for them
      messages: { api: 'anthropic', baseUrl, apiKey: 'k' },
      responses: { api: 'openai-responses', baseUrl, apiKey: 'k' },
    };
    const priced = Object.fromEntries(
      Object.keys(providers).flatMap((provider) =>
        Object.values(models).map((model) => [
          `${provider}/${model}`,
          { inputPrice: 1, outputPrice: 2 },
        ]),
      ),
    );
    // JSON is YAML
    writeFileSync(
      config,
      JSON.stringify({
        listen: { host: '127.0.0.1', port },
        auth: { keys: [{ name: 'bench', key, ...(limits ? { limits } : {}) }] },
        providers,
        models: priced,
        log: { level: 'info' },
        ...more,
      }),
    );
    if (issued)
      // once it has answered, so that there is a database
      this.ready = () => {
        asked.key = execFileSync(
          process.execPath,
          [commandLine(dist), 'keys', 'create', '--name', 'issued', '--config', config],
          { env: { ...process.env, SIGNALBOX_DATA_DIR: data }, encoding: 'utf8' },
        ).trim();
      };
    const output = openSync(join(folder, `${name}-${port}.log`), 'a');
    return {
      port,
      child: startProgram(commandLine(dist), {
        core,
        nodeOptions,
        args: ['--config', config, ...args],
        env: { SIGNALBOX_DATA_DIR: data },
        output,
        cwd: folder,
      }),
    };
  },
  request(surface, model, streamed) {
    const { path, provider, bodyOf } = surfaces[surface];
    return httpRequest(
      { path, headers: { authorization: `Bearer ${asked.key}` } },
      bodyOf(`${provider}/${model}`, streamed),
    );
  },
  selection: (body) => httpRequest({ path: '/api/v1/model-select' }, body),
});

/**
 * A build of the gateway with everything on: a key, prices, metrics, the request log, and log lines
 * written to a file. `config` overrides settings; `nodeOptions` are Node's own; `args` are more
 * arguments, `core` is where it runs, `limits` are its key's.
 */
export const signalbox = (dist, name = 'signalbox', options = {}) => gateway(dist, name, options);

/** The same; `issued`: requests carry a key from the database instead of the configuration's. */
export const remembering = (dist, name, { config = {}, issued = false }) =>
  gateway(dist, name, { config, issued });

/**
 * Portkey's gateway, where it is installed: in `PORTKEY_DIR` (the package, or a folder where it was
 * installed) or in our node_modules; otherwise null.
 */
export function portkey() {
  const places = [
    process.env.PORTKEY_DIR,
    process.env.PORTKEY_DIR && join(process.env.PORTKEY_DIR, 'node_modules/@portkey-ai/gateway'),
    here('../../node_modules/@portkey-ai/gateway'),
  ];
  const folder = places.find((place) => place && existsSync(join(place, 'build/start-server.js')));
  if (!folder) return null;
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const upstream = { port: 0 };
  return {
    name: 'portkey',
    version,
    async start({ upstreamPort }) {
      upstream.port = upstreamPort;
      const port = await freePort();
      return {
        port,
        child: startProgram(join(folder, 'build/start-server.js'), {
          core: cores.measured,
          args: [`--port=${port}`, '--headless'],
          errors: 'ignore',
          cwd: folder,
        }),
      };
    },
    request: (surface, model, streamed) =>
      surface === 'openai'
        ? httpRequest(
            {
              path: '/v1/chat/completions',
              headers: {
                'x-portkey-provider': 'openai',
                'x-portkey-custom-host': `http://127.0.0.1:${upstream.port}/v1`,
              },
            },
            chatBody(model, streamed),
          )
        : null,
  };
}
