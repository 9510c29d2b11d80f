import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalName } from '../../src/models/model-name.js';
import { readModelTable } from '../../src/models/model-tables.js';

const samples = 200;
/** Neither affects which names a pattern can match, but for names that the pattern then refuses. */
const lookaround = /\(\?<?[=!][^()]*\)/g;

/** Canonical names that a pattern matches as a whole; always the same ones. */
function namesLike(pattern: string): string[] {
  const plain = pattern.replace(lookaround, '').replaceAll('.*', '(?:|-|-[b-d]{3}-?)');
  const names = fc.sample(fc.stringMatching(new RegExp(`^(?:${plain})$`)), {
    numRuns: samples,
    seed: 1,
  });
  const whole = new RegExp(`^(?:${pattern})$`);
  return [...new Set(names)].filter((name) => whole.test(name) && canonicalName(name) === name);
}

/** The alternatives of a pattern, outside its groups. */
function alternativesOf(pattern: string): string[] {
  let depth = 0,
    divided = '';
  for (const sign of pattern) {
    if (sign === '(') depth++;
    if (sign === ')') depth--;
    divided += sign === '|' && depth === 0 ? '\n' : sign;
  }
  return divided.split('\n');
}

/** Alternatives of patterns that decide on no name, because an earlier pattern always does. */
function deadAmong(patterns: readonly string[], around: (pattern: string) => RegExp): string[] {
  const expressions = patterns.map(around);
  return patterns.flatMap((pattern, at) =>
    alternativesOf(pattern).filter(
      (alternative) =>
        !namesLike(alternative).some(
          (name) => expressions.findIndex((expression) => expression.test(name)) === at,
        ),
    ),
  );
}

const inWords = (pattern: string): RegExp => new RegExp(`(?<![a-z0-9])(?:${pattern})(?![a-z0-9])`);
const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);

describe.each(['abilities', 'capabilities', 'reasoning', 'image-tokens'] as const)(
  'config/models/%s.json',
  (name) => {
    it('has no rule, and no part of one, that an earlier rule always decides before', () => {
      const { groups } = readModelTable(name);
      const patterns = groups.flatMap((group) => group.rules.map(({ pattern }) => pattern));
      expect(deadAmong(patterns, inWords)).toEqual([]);
    });
  },
);

describe('config/models/aliases.json', () => {
  const { families, sameModels } = readModelTable('aliases');

  it.each([
    ['family', families.map(({ pattern }) => pattern)],
    ['other name of a product', sameModels.map(({ pattern }) => pattern)],
  ])('has no %s that an earlier pattern always decides before', (_what, patterns) => {
    expect(deadAmong(patterns, whole)).toEqual([]);
  });
});

describe('the search for dead rules', () => {
  it('finds a rule, and a part of one, that an earlier rule shadows', () => {
    expect(deadAmong(['a-1', 'a|a-1-mini', 'a-1-nano', 'b'], inWords)).toEqual([
      'a-1-mini',
      'a-1-nano',
    ]);
  });
});
