import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import { fromLiteLLM } from '../../src/cli/import/from-litellm.js';
import { type Config, parseConfig } from '../../src/config/config.js';
import { readYaml } from '../../src/config/read-yaml.js';
import { rules } from '../../src/gateway.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { post } from '../helpers/sse.js';
import { startUpstream } from '../helpers/upstream.js';

const written = `
model_list:
  - model_name: gpt-4o
    litellm_params:
      model: azure/gpt-4o-eu
      api_base: https://my.openai.azure.com
      api_key: os.environ/AZURE_API_KEY_EU
      api_version: "2024-10-21"
      rpm: 6
    model_info: { input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001, mode: chat, base_model: azure/gpt-4o }
  - model_name: gpt-4o
    litellm_params: { model: gpt-4o, api_key: os.environ/OPENAI_API_KEY, temperature: 0.2 }
  - model_name: sonnet
    litellm_params: { model: anthropic/claude-sonnet-4-5 }
    model_info: { max_input_tokens: 200000, supports_vision: true }
  - model_name: sonnet
    litellm_params: { model: bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0, aws_region_name: us-east-1, aws_access_key_id: os.environ/AWS_ID, aws_secret_access_key: os.environ/AWS_SECRET }
  - model_name: local
    litellm_params: { model: openai/llama, api_base: "http://127.0.0.1:8000/v1", api_key: plain-secret-1 }
  - model_name: flash
    litellm_params: { model: vertex_ai/gemini-2.5-flash, vertex_project: p, vertex_location: europe-west1 }
  - model_name: "claude-*"
    litellm_params: { model: "anthropic/claude-*" }
  - model_name: fast
    litellm_params: { model: together_ai/meta-llama/Llama-3.3-70B-Instruct-Turbo, api_key: os.environ/TOGETHER_KEY }
  - model_name: sagemaker
    litellm_params: { model: sagemaker/endpoint }
  - model_name: "*"
    litellm_params: { model: "*" }
litellm_settings:
  drop_params: true
  num_retries: 3
  request_timeout: 600
  fallbacks: [{ sonnet: [gpt-4o] }, { gpt-4o: [sonnet, missing] }]
router_settings:
  routing_strategy: simple-shuffle
  model_group_alias: { gpt-4: gpt-4o, hidden: { model: sonnet, hidden: true } }
general_settings:
  master_key: os.environ/LITELLM_MASTER_KEY
  database_url: os.environ/DATABASE_URL
environment_variables: { OTHER: plain-secret-2 }
`;
const env = Object.fromEntries(
  [
    'AZURE_API_KEY_EU',
    'OPENAI_API_KEY',
    'ANTHROPIC_API_KEY',
    'AWS_ID',
    'AWS_SECRET',
    'TOGETHER_KEY',
    'LITELLM_MASTER_KEY',
    'IMPORTED_SECRET_1',
  ].map((name) => [name, `value-of-${name.toLowerCase()}`]),
);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'import-'));
  writeFileSync(join(folder, 'config.yaml'), written);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const run = async (...more: string[]): Promise<{ out: string; errors: string }> => {
  const said = { out: '', errors: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) =>
    Boolean((said.out += String(text))),
  );
  vi.spyOn(process.stderr, 'write').mockImplementation((text) =>
    Boolean((said.errors += String(text))),
  );
  const words = ['import', 'litellm', join(folder, 'config.yaml'), ...more];
  await createProgram().parseAsync(words, { from: 'user' });
  vi.restoreAllMocks();
  return said;
};
const loaded = (text: string): Config => parseConfig(text, 'signalbox.yaml', env, rules);

describe('signalbox import litellm', () => {
  it('writes a configuration that the gateway loads, with the same names for the same models', async () => {
    const { providers, aliases, limits, routing, auth, models } = loaded((await run()).out);
    const shown = Object.fromEntries(
      Object.entries(providers).map(([name, { api, baseUrl, apiKeys }]) => [
        name,
        { api, baseUrl, apiKeys },
      ]),
    );
    expect(shown).toMatchObject({
      'azure-openai': {
        api: 'azure-openai',
        baseUrl: 'https://my.openai.azure.com',
        apiKeys: ['value-of-azure_api_key_eu'],
      },
      openai: { api: 'openai', apiKeys: ['value-of-openai_api_key'] },
      anthropic: { api: 'anthropic', apiKeys: ['value-of-anthropic_api_key'] },
      bedrock: { api: 'bedrock' },
      'openai-compatible': {
        baseUrl: 'http://127.0.0.1:8000/v1',
        apiKeys: ['value-of-imported_secret_1'],
      },
      vertex: { api: 'vertex' },
      together: { api: 'together', apiKeys: ['value-of-together_key'] },
    });
    const both = ['azure-openai/gpt-4o-eu', 'openai/gpt-4o'];
    const sonnets = [
      'anthropic/claude-sonnet-4-5',
      'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ];
    expect(aliases).toEqual({
      'gpt-4o': [...both, ...sonnets],
      sonnet: [...sonnets, ...both],
      local: ['openai-compatible/llama'],
      flash: ['vertex/gemini-2.5-flash'],
      'claude-*': ['anthropic/claude-*'],
      fast: ['together/meta-llama/Llama-3.3-70B-Instruct-Turbo'],
      'gpt-4': ['gpt-4o'],
      hidden: ['sonnet'],
    });
    expect(models).toMatchObject({
      'azure-openai/gpt-4o-eu': { inputPrice: 2.5, outputPrice: 10 },
      'anthropic/claude-sonnet-4-5': { contextLength: 200_000, images: true },
    });
    expect(limits).toMatchObject({ maxRetries: 3, totalTimeoutMs: 600_000 });
    expect(routing.order).toBe('given');
    expect(auth.keys).toMatchObject([{ name: 'master', key: 'value-of-litellm_master_key' }]);
  });

  it('lists what it cannot carry over, on standard error and as comments, and writes no secret', async () => {
    const { out, errors } = await run();
    for (const field of [
      'model_list[0].litellm_params.rpm',
      'model_list[0].model_info.base_model',
      'model_list[1].litellm_params.temperature',
      'model_list[4].litellm_params.api_key: the file holds the secret itself; set the variable IMPORTED_SECRET_1 to it',
      'model_list[8]: its provider is not known here',
      'model_list[9]',
      'fallbacks of "gpt-4o": a target has no model',
      'litellm_settings.drop_params',
      'router_settings.routing_strategy',
      'general_settings.database_url',
      'environment_variables',
    ]) {
      expect(errors).toContain(`not carried over: ${field}`);
      expect(out).toContain(`# Not carried over: ${field}`);
    }
    expect(out + errors).not.toContain('plain-secret');
    expect(out).toContain('apiKey: ${OPENAI_API_KEY}');
  });

  it('writes to a new file, and never over one', async () => {
    const path = join(folder, 'signalbox.yaml');
    const { out } = await run('--out', path);
    expect(out).toBe('');
    const text = readFileSync(path, 'utf8');
    loaded(text);
    await expect(run('--out', path)).rejects.toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('says where a file is no YAML, and takes one without anything', async () => {
    writeFileSync(join(folder, 'config.yaml'), 'model_list: [');
    await expect(run()).rejects.toThrow('config.yaml:1');
    for (const nothing of [null, [], 'x', { model_list: [null, 1, {}] }, { model_list: {} }])
      expect(fromLiteLLM(nothing).config).toMatchObject({ providers: {}, aliases: {} });
  });

  it('leads requests where the other gateway led them', async () => {
    const upstream = await startUpstream({ hasLists: false });
    const source = `
model_list:
  - model_name: mine
    litellm_params: { model: hosted_vllm/first, api_base: "${upstream.url}/v1" }
  - model_name: other
    litellm_params: { model: hosted_vllm/second, api_base: "${upstream.url}/v1" }
router_settings: { fallbacks: [{ mine: [other] }], num_retries: 0 }
`;
    const { config } = fromLiteLLM(readYaml(source, 'config.yaml').value);
    const gateway: RunningGateway = await startGateway(config);
    upstream.script([{ status: 500 }, {}]);
    const body = { model: 'mine', messages: [{ role: 'user', content: 'Hi' }] };
    const reply = await post(`${gateway.url}/v1/chat/completions`, body, gateway.auth);
    expect(reply.status, reply.text).toBe(200);
    expect(upstream.requests.map((call) => call.body?.['model'])).toEqual(['first', 'second']);
    await gateway.close();
    await upstream.close();
  });
});
