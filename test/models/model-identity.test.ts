import { findProvider } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effortInName, modelIdentity } from '../../src/models/model-identity.js';
import { abilityByName } from '../../src/models/model-families.js';
import { createFindModel } from '../../src/chooser/predictor/known-models.js';
import { shippedPredictor } from '../../src/chooser/predictor/shipped-predictor.js';

/** The names of one product in each row, as makers, clouds and other gateways write them. */
const products: readonly (readonly string[])[] = [
  ['gpt-4o', 'gpt-4o-2024-05-13', 'gpt-4o-2024-11-20', 'azure/gpt-4o', 'openai/gpt-4o:extended'],
  ['gpt-5', 'gpt-5-2025-08-07', 'GPT-5', 'gpt-5-high', 'databricks-gpt-5', 'openai-gpt-5'],
  ['gpt-5-chat', 'gpt-5-chat-latest'],
  ['gpt-5.3-chat', 'gpt-5.3-chat-latest', 'gpt-5.3-instant'],
  ['gpt-5.1-codex-max'],
  ['gpt-4.5-preview', 'gpt-4.5-preview-2025-02-27'],
  ['gpt-4-turbo', 'gpt-4-turbo-2024-04-09', 'gpt-4-0125-preview', 'gpt-4-1106-preview'],
  ['gpt-4', 'gpt-4-0613', 'gpt-4-0314'],
  ['gpt-3.5-turbo', 'azure/gpt-35-turbo', 'gpt-3.5-turbo-0125'],
  ['gpt-oss-120b', 'openai.gpt-oss-120b-1:0', 'openai/gpt-oss-120b:free'],
  ['chatgpt-4o-latest'],
  ['chatgpt-4o-latest-2025-03-26'],
  ['o1', 'o1-2024-12-17'],
  ['o1-preview', 'o1-preview-2024-09-12'],
  ['o3-mini', 'openai/o3-mini-high', 'o3-mini-2025-01-31'],
  ['claude-3-5-sonnet-20241022', 'claude-3.5-sonnet', 'claude-3-5-sonnet-v2@20241022'],
  ['claude-3-7-sonnet', 'claude-3.7-sonnet:thinking', 'claude-sonnet-3.7'],
  [
    'claude-opus-4-1',
    'claude-4-1-opus',
    'claude-4.1-opus',
    'claude-opus-4-1@20250805',
    'us.anthropic.claude-opus-4-1-20250805-v1:0',
  ],
  ['claude-opus-4', 'claude-opus-4-0', 'claude-4-opus-20250514'],
  [
    'claude-sonnet-4-5',
    'claude-4.5-sonnet',
    'claude-sonnet-4.5',
    'anthropic.claude-sonnet-4-5-20250929-v1:0',
    'databricks-claude-sonnet-4-5',
    'anthropic--claude-4.5-sonnet',
    'anthropic-claude-sonnet-4.5',
  ],
  ['claude-opus-4-6', 'global.anthropic.claude-opus-4-6-v1', 'claude-opus-4-6@default'],
  [
    'gemini-2.5-pro',
    'models/gemini-2.5-pro-preview-05-06',
    'publishers/google/models/gemini-2.5-pro',
  ],
  ['gemini-2.5-flash', 'gemini-2.5-flash-preview-09-2025'],
  ['gemini-3-pro', 'gemini-3-pro-preview', 'gemini-3-pro-preview-11-2025'],
  ['gemini-1.5-pro', 'gemini-1.5-pro-002', 'google/gemini-pro-1.5', 'gemini-1.5-pro-latest'],
  ['gemini-flash-latest'],
  ['gemini-flash-lite-latest'],
  ['gemini-pro-latest'],
  ['mistral-small-2402', 'mistral.mistral-small-2402-v1:0'],
  ['mistral-small-2409'],
  ['mistral-small-3', 'mistral-small-2501', 'mistralai/Mistral-Small-24B-Instruct-2501'],
  ['mistral-small-3.1', 'mistral-small-2503', 'mistral-small-3.1-24b-instruct:free'],
  ['mistral-small-3.2', 'mistral-small-2506', 'mistralai/Mistral-Small-3.2-24B-Instruct-2506'],
  ['mistral-small-2603', 'mistral-small-latest', 'mistralai/Mistral-Small-4-119B-2603'],
  ['mistral-small'],
  ['mistral-medium-2312'],
  ['mistral-medium-3', 'mistral-medium-2505'],
  ['mistral-medium-3.1', 'mistral-medium-2508'],
  ['mistral-medium-3.5', 'mistral-medium-2604', 'mistral-medium-latest'],
  ['mistral-medium'],
  ['mistral-large-2402', 'mistral.mistral-large-2402-v1:0'],
  ['mistral-large-2407', 'Mistral-Large-2407'],
  ['mistral-large-2411'],
  ['mistral-large-3', 'mistral-large-2512', 'mistral-large-latest'],
  ['codestral-2405'],
  ['codestral-2501', 'Codestral 25.01'],
  ['codestral-2508', 'codestral-latest'],
  [
    'devstral-2',
    'devstral-2512',
    'devstral-latest',
    'mistralai/devstral-2512:free',
    'mistral.devstral-2-123b',
  ],
  ['ministral-14b-2512', 'ministral-14b-latest', 'mistralai/Ministral-3-14B-Instruct-2512'],
  ['ministral-8b-2410', 'mistralai/Ministral-8B-Instruct-2410'],
  ['mistral-nemo', 'open-mistral-nemo', 'mistralai/Mistral-Nemo-Instruct-2407'],
  ['mixtral-8x7b', 'mixtral', 'open-mixtral-8x7b', 'mistral.mixtral-8x7b-instruct-v0:1'],
  ['mistral-7b-instruct-v0.2', 'mistral.mistral-7b-instruct-v0:2'],
  ['mistral-7b-instruct-v0.3', 'mistral:7b', 'open-mistral-7b'],
  ['qwen-max'],
  ['qwen-max-latest'],
  ['qwen-max-0919'],
  ['qwen2.5-max', 'qwen-max-2025-01-25'],
  ['qwen3-max', 'qwen3-max-preview', 'qwen3-max-2025-09-23'],
  ['qwen-plus'],
  ['qwen-plus-2025-07-28', 'qwen/qwen-plus-2025-07-28:thinking'],
  ['qwen-turbo-latest'],
  ['qwen3-235b-a22b', 'Qwen/Qwen3-235B-A22B', 'qwen3-235b-a22b:free', 'qwen3:235b'],
  ['qwen3-30b-a3b', 'qwen3:30b'],
  ['qwen3-next-80b-a3b', 'qwen3-next:80b'],
  ['qwen3.5-397b-a17b', 'qwen/qwen3.5-397b-a17b-20260216', 'qwen3.5:397b-cloud'],
  ['glm-5', 'z-ai/glm-5-20260211', 'zai-org/GLM-5-FP8'],
  ['minimax-m2.5', 'minimax/minimax-m2.5-20260211', 'minimax.minimax-m2.5'],
  ['kimi-k3', 'moonshotai/kimi-k3-20260715'],
  ['gemma4:26b', 'gemma-4-26b-a4b-it'],
  ['pixtral-large-2411', 'mistral.pixtral-large-2502-v1:0', 'pixtral-large-latest'],
  ['qwen3-235b-a22b-instruct-2507', 'qwen/qwen3-235b-a22b-2507'],
  ['qwen3-235b-a22b-thinking-2507'],
  ['qwen3-coder', 'qwen.qwen3-coder-480b-a35b-v1:0', 'Qwen/Qwen3-Coder-480B-A35B-Instruct'],
  ['deepseek-chat'],
  ['deepseek-reasoner'],
  ['deepseek-v3', 'deepseek-v3:671b', 'deepseek-ai/DeepSeek-V3'],
  ['deepseek-v3-0324', 'deepseek/deepseek-chat-v3-0324:free'],
  [
    'deepseek-v3.1',
    'deepseek/deepseek-chat-v3.1',
    'accounts/fireworks/models/deepseek-v3p1',
    'deepseek.v3-v1:0',
    'deepseek-v3.1:671b-cloud',
  ],
  ['deepseek-v3.2', 'deepseek.v3.2'],
  ['deepseek-v3.2-exp'],
  ['deepseek-r1', 'deepseek.r1-v1:0', 'deepseek-ai/DeepSeek-R1'],
  ['deepseek-r1-0528', 'deepseek-r1-0528-maas'],
  ['deepseek-r1:1.5b', 'deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B'],
  ['deepseek-r1:7b', 'deepseek-r1-distill-qwen-7b', 'deepseek-r1:7b-qwen-distill-q4_K_M'],
  ['deepseek-r1:8b'],
  ['deepseek-r1-distill-llama-8b', 'deepseek-r1:8b-llama-distill-q8_0'],
  ['deepseek-r1-0528-qwen3-8b', 'deepseek-r1:8b-0528-qwen3-q4_K_M'],
  ['deepseek-r1:14b', 'deepseek/deepseek-r1-distill-qwen-14b:free'],
  ['deepseek-r1:32b', 'deepseek-r1-distill-qwen-32b'],
  ['deepseek-r1:70b', 'groq/deepseek-r1-distill-llama-70b'],
  ['grok-4', 'grok-4-0709', 'grok-4-latest', 'xai.grok-4'],
  ['grok-4-fast', 'grok-4-fast-reasoning', 'grok-4-fast-non-reasoning'],
  ['grok-4.1-fast', 'grok-4-1-fast-non-reasoning'],
  ['grok-4.5', 'grok-latest'],
  ['grok-beta'],
  ['kimi-k2', 'kimi-k2-0711-preview', 'moonshotai/Kimi-K2-Instruct'],
  ['kimi-k2-0905', 'kimi-k2-0905-preview', 'moonshotai/Kimi-K2-Instruct-0905'],
  ['kimi-k2-thinking', 'kimi-k2-thinking-turbo'],
  ['kimi-latest'],
  ['command-r', 'command-r-03-2024', 'cohere.command-r-v1:0'],
  ['command-r-08-2024', 'CohereForAI/c4ai-command-r-08-2024'],
  ['command-r-plus', 'command-r-plus-04-2024'],
  ['command-r-plus-08-2024'],
  ['command-a', 'cohere.command-a-03-2025'],
  ['glm-4.5-air', 'zai-org/GLM-4.5-Air-FP8', 'accounts/fireworks/models/glm-4p5-air'],
  ['llama-3.1-8b', 'llama3.1', 'llama3.1:8b', 'meta.llama3-1-8b-instruct-v1:0'],
  ['llama-3.3-70b', 'llama-3.3-70b-versatile', 'databricks-meta-llama-3-3-70b-instruct'],
  ['llama-4-maverick', 'meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8', 'llama4:128x17b'],
  ['llama-4-scout', 'meta.llama4-scout-17b-instruct-v1:0', 'llama4:16x17b', 'llama4'],
  ['nova-lite', 'amazon.nova-lite-v1:0', 'amazon/nova-lite-v1', 'eu.amazon.nova-lite-v1:0'],
  ['gemma-3-27b', 'gemma3:27b-it-q4_K_M', 'google/gemma-3-27b-it'],
];
const names = products.flat();

describe('the identity of a model', () => {
  it.each(products.filter((row) => row.length > 1).map((row) => [row[0]!, row] as const))(
    '%s is the same under its other names',
    (first, row) => {
      for (const name of row) expect(modelIdentity(name), name).toBe(modelIdentity(first));
    },
  );

  it('differs between products, also where only the date differs', () => {
    const owners = new Map<string, string>();
    for (const [first] of products) {
      const identity = modelIdentity(first!);
      expect(owners.get(identity), `${first} and ${owners.get(identity)}`).toBeUndefined();
      owners.set(identity, first!);
    }
  });

  it('is its own identity', () => {
    for (const name of names) expect(modelIdentity(modelIdentity(name))).toBe(modelIdentity(name));
  });

  const plain = names.filter((name) => !/[/.:@ ]/.test(name));
  const prefixes = ['azure/', 'openrouter/', 'models/', 'accounts/fireworks/models/', 'a/b/c/'];

  it('stays the same under prefixes, variants, case and space around it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...plain),
        fc.constantFrom('', ...prefixes),
        fc.constantFrom('', ':free', ':nitro', ':beta'),
        fc.boolean(),
        (name, prefix, variant, upper) => {
          const written = `${prefix}${upper ? name.toUpperCase() : name}${variant}`;
          expect(modelIdentity(` ${written} `)).toBe(modelIdentity(name));
        },
      ),
    );
  });

  it('stays the same with the regions and revisions of clouds', () => {
    const claudes = plain.filter((name) => name.startsWith('claude-'));
    fc.assert(
      fc.property(
        fc.constantFrom(...claudes),
        fc.constantFrom('', 'eu.', 'us.', 'apac.', 'global.', 'us-gov.'),
        fc.constantFrom('', '-v1:0', '-v2:0'),
        (name, region, revision) => {
          expect(modelIdentity(`${region}anthropic.${name}${revision}`)).toBe(modelIdentity(name));
        },
      ),
    );
    for (const name of claudes.filter((one) => !/20\d{6}/.test(one)))
      expect(modelIdentity(`${name}@20250929`)).toBe(modelIdentity(name));
  });

  it('stays the same with dots or dashes in the version', () => {
    for (const name of names.filter((one) => /\d\.\d/.test(one) && !one.includes(':')))
      expect(modelIdentity(name.replace(/(\d)\.(?=\d)/g, '$1-')), name).toBe(modelIdentity(name));
  });

  it('of anything that a client may send is a text', () => {
    fc.assert(fc.property(fc.string(), (name) => typeof modelIdentity(name) === 'string'));
    expect(modelIdentity('x'.repeat(100_000))).toHaveLength(100_000);
  });
});

describe('the effort in a name', () => {
  it.each([
    ['o3-mini-high', 'high'],
    ['openai/o4-mini-low', 'low'],
    ['gpt-5.2-xhigh', 'xhigh'],
    ['claude-opus-4-5-20251101-low-effort', 'low'],
    ['grok-4-fast-non-reasoning', 'none'],
    ['deepseek-v3.2-thinking', 'high'],
    ['openrouter/anthropic/claude-3.7-sonnet:thinking', 'high'],
    ['qwen/qwen-plus-2025-07-28:thinking', 'high'],
    ['anthropic/claude-3.7-sonnet:beta', null],
    ['openai/gpt-5:thinking:free', 'high'],
    ['mistral-medium', null],
    ['gpt-5.1-codex-max', null],
    ['kimi-k2-thinking', null],
    ['gpt-5', null],
  ])('of %s is %s', (name, effort) => expect(effortInName(name)).toBe(effort));
});

/** The month that a name states, as a number; null if it states none. */
function monthOf(name: string): number | null {
  const full = /(20\d\d)-?([01]\d)-?[0-3]\d/.exec(name);
  if (full) return Number(full[1]) * 12 + Number(full[2]);
  const monthYear = /(?:^|-)([01]\d)-(20\d\d)/.exec(name);
  if (monthYear) return Number(monthYear[2]) * 12 + Number(monthYear[1]);
  const short = /-(2[3-9])-?(0[1-9]|1[0-2])(?=$|[-:])/.exec(name);
  return short ? (2000 + Number(short[1])) * 12 + Number(short[2]) : null;
}

/** Products whose makers date states of one product. */
const isSnapshot = (name: string): boolean =>
  /(?:^|[/.])(?:gpt|o\d|claude-|gemini-\d|grok-\d)/i.test(name);

describe('a newer date', () => {
  const shipped = shippedPredictor().weights.models;
  const priced = ['openai', 'anthropic', 'google', 'mistral', 'x-ai', 'deepseek', 'cohere']
    .concat(['moonshotai', 'openrouter', 'aws', 'azure', 'groq', 'together', 'fireworks'])
    .flatMap((providerId) => findProvider({ providerId })?.models ?? [])
    .map(({ id }) => id);
  const all = [...new Set([...names, ...priced])];

  it('never resolves to an older measured model, unless it is a snapshot of the same one', () => {
    let dated = 0;
    for (const measured of [shipped, names]) {
      const find = createFindModel(measured);
      for (const name of all) {
        const found = measured[find(name)];
        const asked = monthOf(name),
          then = found === undefined ? null : monthOf(found);
        if (found === undefined || asked === null) continue;
        dated++;
        if (then === null || asked > then)
          expect(isSnapshot(name) || names.includes(name), `${name} -> ${found}`).toBe(true);
      }
    }
    expect(dated).toBeGreaterThan(50);
  });

  it('or `latest` on a name that moves finds none of the measured models', () => {
    const moving = shipped.filter((name) => !isSnapshot(name) && !/llama|gemma|phi/.test(name));
    expect(moving.length).toBeGreaterThan(50);
    const find = createFindModel(shipped);
    for (const model of moving) {
      const bare = model.replace(/-(?:20\d{6}|2[34]\d\d|0\d{3})$/, '');
      for (const later of ['-latest', '-2611', '-20261101', '-2026-11-01', '-11-2026'])
        expect(shipped[find(bare + later)] ?? null, bare + later).toBeNull();
    }
  });

  it.each([
    'mistral-small-latest',
    'mistral-small-2506',
    'mistral-medium-latest',
    'mistral-medium',
    'mistral-medium-2508',
    'mistral-large-latest',
    'mistral-large-2512',
    'mistral-large-2411',
    'command-r-08-2024',
    'command-r-plus-08-2024',
    'chatgpt-4o-latest',
    'deepseek-v2.5-1210',
    'reka-core',
  ])('%s is not one of the measured models', (name) => {
    expect(createFindModel(shipped)(name)).toBe(-1);
  });

  it.each([
    ['mistral-medium-2312', 'mistral-medium'],
    ['mistral-large-2407', 'mistral-large-2407'],
    ['command-r-03-2024', 'command-r'],
    ['gpt-4o-2024-11-20', 'gpt-4o-2024-08-06'],
    ['open-mixtral-8x22b', 'mixtral-8x22b-instruct-v0.1'],
  ])('%s is the measured %s', (name, model) => {
    expect(shipped[createFindModel(shipped)(name)]).toBe(model);
  });

  it("does not keep an account's own measurements of a bare name from being found", () => {
    const own = ['mistral/mistral-medium', 'mistral/mistral-small-latest'];
    expect(createFindModel(own)('azure/mistral-medium')).toBe(0);
    expect(createFindModel(own)('mistral-small-2603')).toBe(1);
  });
});

describe('the ability of a model', () => {
  it.each([
    ['claude-4-1-opus', 'claude-opus-4-1'],
    ['mistral-small-2506', 'mistral-small-3.2'],
    ['mistral-medium-2508', 'mistral-medium-3.1'],
    ['mistral-large-2512', 'mistral-large-3'],
  ])('%s is that of %s', (name, other) => {
    expect(abilityByName(name)).not.toBeNull();
    expect(abilityByName(name)).toBe(abilityByName(other));
  });
});
