import { findProvider } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { typicalAnswers } from '../../src/chooser/answer-length/kinds-of-answer.js';
import { modelIdentity } from '../../src/models/model-identity.js';
import { efforts } from '../../src/completion.js';
import { readModelTable, type RuleGroups } from '../../src/models/model-tables.js';

const rulesOf = <T>({ groups }: RuleGroups<T>) => groups.flatMap(({ rules }) => rules);
const isKnownOrNot = (value: unknown): boolean => value === null || typeof value === 'boolean';

describe.each(['abilities', 'capabilities', 'reasoning', 'image-tokens'] as const)(
  'config/models/%s.json',
  (name) => {
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
  },
);

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

  it('maps spellings that the price data gets wrong to ids that it has', () => {
    for (const [spelling, id] of Object.entries(providers)) {
      expect(spelling).toBe(spelling.toLowerCase());
      expect(findProvider({ providerId: spelling })?.id).not.toBe(id);
      expect(findProvider({ providerId: id })?.id).toBe(id);
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
