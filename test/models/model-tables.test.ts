import { findProvider } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { typicalAnswers } from '../../src/chooser/answer-length/kinds-of-answer.js';
import { createCatalog } from '../../src/models/catalog.js';
import { longestAnswerOf } from '../../src/models/model-families.js';
import { dialects } from '../../src/providers/index.js';
import { rulesOf as rulesOfClaude } from '../../src/providers/anthropic/claude-rules.js';
import { modelIdentity } from '../../src/models/model-identity.js';
import { efforts } from '../../src/completion.js';
import { readModelTable, type RuleGroups } from '../../src/models/model-tables.js';

const rulesOf = <T>({ groups }: RuleGroups<T>) => groups.flatMap(({ rules }) => rules);
const isKnownOrNot = (value: unknown): boolean => value === null || typeof value === 'boolean';

describe.each([
  'abilities',
  'capabilities',
  'reasoning',
  'image-tokens',
  'longest-answers',
  'paces',
] as const)('config/models/%s.json', (name) => {
  const { groups } = readModelTable(name);
  const patterns = groups.flatMap((group) => group.rules.map(({ pattern }) => pattern));

  it('has at least one rule in each group, and no group twice', () => {
    expect(groups.filter(({ rules }) => rules.length === 0)).toEqual([]);
    const titles = groups.map(({ group }) => group);
    expect([...new Set(titles)]).toEqual(titles);
  });

  it('has no pattern twice', () => {
    expect(patterns.filter((pattern, at) => patterns.indexOf(pattern) !== at)).toEqual([]);
  });

  it('has patterns that are regular expressions in lower case', () => {
    for (const pattern of patterns) {
      expect(() => new RegExp(pattern)).not.toThrow();
      expect(pattern).not.toMatch(/[A-Z]/);
    }
  });
});

describe('config/models/abilities.json', () => {
  it('gives each family an ability between 0 and 1, and nothing else', () => {
    const wrong = rulesOf(readModelTable('abilities')).filter(
      (rule) =>
        Object.keys(rule).join() !== 'pattern,ability' ||
        !(rule.ability > 0) ||
        !(rule.ability < 1),
    );
    expect(wrong).toEqual([]);
  });
});

describe('config/models/capabilities.json', () => {
  it('says of each family whether it calls tools and reads images, and nothing else', () => {
    const wrong = rulesOf(readModelTable('capabilities')).filter(
      (rule) =>
        Object.keys(rule).join() !== 'pattern,tools,images' ||
        !isKnownOrNot(rule.tools) ||
        !isKnownOrNot(rule.images),
    );
    expect(wrong).toEqual([]);
  });
});

describe('config/models/longest-answers.json', () => {
  const table = readModelTable('longest-answers');
  const makers = [
    ...['openai', 'anthropic', 'google', 'mistral', 'deepseek', 'x-ai', 'cohere', 'moonshotai'],
    ...['zai', 'minimax', 'perplexity', 'aws', 'azure', 'groq', 'cerebras'],
  ];
  const catalog = createCatalog({ priceIds: Object.fromEntries(makers.map((id) => [id, id])) });
  const listed = makers.flatMap((id) =>
    (findProvider({ providerId: id })?.models ?? []).map(({ id: model }) => `${id}/${model}`),
  );
  const factsOf = (offer: string) => {
    const slash = offer.indexOf('/');
    return catalog.lookup(offer.slice(0, slash), offer.slice(slash + 1));
  };

  it('gives each family whole tokens, and each group its source', () => {
    expect(
      rulesOf(table).filter(
        (rule) => Object.keys(rule).join() !== 'pattern,tokens' || !(rule.tokens >= 1024),
      ),
    ).toEqual([]);
    expect(table.groups.filter(({ source }) => !/20\d\d-\d\d$/.test(source))).toEqual([]);
  });

  it('has every chat model that its maker or host sells by the token', () => {
    // pictures, and a tool
    const others = /^openai\/(?:gpt-image.*|computer-use)$/;
    const unknown = listed.filter((offer) => {
      const { maxOutput, outputPrice } = factsOf(offer);
      return maxOutput === null && outputPrice !== null && !others.test(offer);
    });
    expect(unknown).toEqual([]);
  });

  it('never makes an answer longer than the context', () => {
    const longer = listed.filter((offer) => {
      const { maxOutput, contextLength } = factsOf(offer);
      return maxOutput !== null && maxOutput > (contextLength ?? Infinity);
    });
    expect(listed.length).toBeGreaterThan(300);
    expect(longer).toEqual([]);
  });

  it('agrees with what the adapter of the Messages API asks a Claude for', () => {
    const claudes = listed.filter((offer) =>
      /^anthropic\/.*(?:opus|sonnet|haiku|fable)/.test(offer),
    );
    expect(claudes.length).toBeGreaterThan(10);
    for (const offer of claudes)
      expect([offer, longestAnswerOf(offer)]).toEqual([offer, rulesOfClaude(offer).maxOutput]);
  });

  it.each([
    ['gpt-4.1', 32_768],
    ['openai/gpt-4o-2024-05-13', 4_096],
    ['gpt-5-mini', 128_000],
    ['gpt-5-chat-latest', 16_384],
    ['o4-mini', 100_000],
    ['eu.anthropic.claude-opus-4-20250514-v1:0', 32_000],
    ['claude-sonnet-4-5-20250929', 64_000],
    ['models/gemini-2.5-flash', 65_536],
    ['deepseek-reasoner', 393_216],
    ['qwen3-max', 147_456],
    ['a-model-of-mine', null],
  ])('says how long an answer of %s may be', (model, tokens) => {
    expect(longestAnswerOf(model)).toBe(tokens);
  });
});

describe('config/models/paces.json', () => {
  it('gives each family a speed and a wait that models can have', () => {
    const wrong = rulesOf(readModelTable('paces')).filter(
      ({ tokensPerSecond, firstTokenSeconds }) =>
        !(tokensPerSecond >= 5 && tokensPerSecond <= 3000) ||
        !(firstTokenSeconds >= 0.1 && firstTokenSeconds <= 5),
    );
    expect(wrong).toEqual([]);
  });
});

describe('config/models/prices.json', () => {
  const { groups, closed } = readModelTable('prices');
  const rates = groups.flatMap(({ rules }) => rules.flatMap(({ prices }) => Object.values(prices)));

  it('has prices that rise with the prompt, by providers that exist, with their sources', () => {
    for (const rate of rates) {
      const { base, tiers } = typeof rate === 'number' ? { base: rate, tiers: [] } : rate!;
      const starts = tiers.map(({ start }) => start);
      const prices = [base, ...tiers.map(({ price }) => price)];
      expect(starts).toEqual([...starts].sort((a, b) => a - b));
      expect(prices).toEqual([...prices].sort((a, b) => a - b));
      expect(base).toBeGreaterThanOrEqual(0);
    }
    const known = [...dialects.values()].map(({ pricesAs }) => pricesAs);
    for (const { group, source } of groups) {
      expect(known).toContain(group);
      expect(source).toMatch(/20\d\d-\d\d$/);
    }
  });

  it('takes no open model for a closed one', () => {
    const names = new RegExp(`^(?:${closed.join('|')})$`);
    for (const open of ['gpt-oss-120b', 'gpt-oss-20b', 'gemma-3-27b', 'grok-2', 'qwen-3-32b'])
      expect([open, names.test(open)]).toEqual([open, false]);
  });
});

describe('config/models/reasoning.json', () => {
  const rules = rulesOf(readModelTable('reasoning'));
  const { models } = readModelTable('reasoning-tokens');

  it('names models that were measured, and efforts', () => {
    const wrong = rules.filter(
      ({ usual, like }) =>
        (usual !== null && !efforts.includes(usual)) || (like !== undefined && !(like in models)),
    );
    expect(wrong).toEqual([]);
  });

  it('has the tokens of all efforts for a model that reasons, never falling', () => {
    for (const { tokens } of Object.values(models)) {
      expect([0, efforts.length - 1]).toContain(tokens.length);
      expect([...tokens].sort((a, b) => a - b)).toEqual(tokens);
    }
  });
});

describe('config/models/answer-lengths.json', () => {
  const { factors, levels } = readModelTable('answer-lengths');

  it('corrects kinds of answers that there are, within bounds', () => {
    expect(Object.keys(factors).filter((kind) => !(kind in typicalAnswers))).toEqual([]);
    for (const factor of Object.values(factors)) {
      expect(factor).toBeGreaterThanOrEqual(0.25);
      expect(factor).toBeLessThanOrEqual(4);
    }
    expect(levels.steps).toBeGreaterThan(0);
  });
});

describe('config/models/aliases.json', () => {
  const { providers, bedrockVendors, families, snapshots, sameModels, namesOf2024 } =
    readModelTable('aliases');
  const added = readModelTable('prices').groups.map(({ group }) => group);

  it('maps spellings that the price data gets wrong to ids that it has', () => {
    for (const [spelling, id] of Object.entries(providers)) {
      expect(spelling).toBe(spelling.toLowerCase());
      expect(findProvider({ providerId: spelling })?.id).not.toBe(id);
      expect([findProvider({ providerId: id })?.id, ...added]).toContain(id);
    }
  });

  it('has each vendor and each family once', () => {
    expect([...new Set(bedrockVendors)]).toEqual(bedrockVendors);
    expect(bedrockVendors.filter((vendor) => !/^[a-z0-9]+$/.test(vendor))).toEqual([]);
    for (const patterns of [
      families.map(({ pattern }) => pattern),
      sameModels.map(({ pattern }) => pattern),
      snapshots,
    ]) {
      expect([...new Set(patterns)]).toEqual(patterns);
      for (const pattern of patterns) expect(() => new RegExp(pattern)).not.toThrow();
    }
  });

  it('names one product for each of its names, in canonical spelling', () => {
    const products = sameModels.map(({ model }) => model).filter((model) => !/[$]/.test(model));
    for (const product of [...products, ...Object.values(namesOf2024)])
      expect(modelIdentity(product)).toBe(product);
    for (const name of Object.keys(namesOf2024)) expect(modelIdentity(name)).toBe(name);
  });
});

describe('config/models/context-lengths.json', () => {
  it('names providers of the price data, each once', () => {
    const { sources } = readModelTable('context-lengths');
    expect([...new Set(sources)]).toEqual(sources);
    expect(sources.filter((id) => findProvider({ providerId: id })?.id !== id)).toEqual([]);
  });
});
