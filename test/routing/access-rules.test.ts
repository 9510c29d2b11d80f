import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forbiddenReason, matchesGlob } from '../../src/routing/access-rules.js';

describe('a pattern over model names', () => {
  it.each([
    ['*', 'openai/gpt-4o', true],
    ['openai/*', 'openai/gpt-4o', true],
    ['openai/*', 'openai-eu/gpt-4o', false],
    ['OpenAI/GPT-*', 'openai/gpt-4o', true],
    ['*/gpt-4o', 'azure/gpt-4o', true],
    ['*/gpt-4o', 'azure/gpt-4o-mini', false],
    ['openrouter/*:free', 'openrouter/meta-llama/llama:free', true],
    ['a*a', 'a', false],
    ['a*b*c', 'a-b-b-c', true],
    ['openai/gpt.4o', 'openai/gpt-4o', false],
    ['', '', true],
    ['', 'x', false],
  ])('%s on %s: %s', (pattern, name, matches) => expect(matchesGlob(pattern, name)).toBe(matches));

  it('matches what the equivalent regular expression matches', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 });
    fc.assert(
      fc.property(
        letters,
        fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 }),
        (pattern, name) => {
          expect(matchesGlob(pattern, name)).toBe(
            new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name),
          );
        },
      ),
    );
  });

  it('takes linear time for a long name and many stars: a matcher that backtracks would not end', () => {
    expect(matchesGlob('*a'.repeat(50), `${'a'.repeat(200_000)}b`)).toBe(false);
  });
});

describe('access rules', () => {
  const gpt = { label: 'x', provider: 'openai', model: 'gpt-4o' };
  it('allow everything without lists', () => expect(forbiddenReason(gpt, {})).toBeNull());
  it('allow nothing with an empty list', () =>
    expect(forbiddenReason(gpt, { keyModels: [] })).toBe('this API key may not use it'));
  it('allow what both the API key and the configuration allow, unless it is denied', () => {
    expect(
      forbiddenReason(gpt, { allow: ['openai/*'], keyModels: ['*'], deny: ['*/o1'] }),
    ).toBeNull();
    expect(forbiddenReason(gpt, { allow: ['claude/*'] })).toBe(
      'the configuration does not allow it',
    );
    expect(forbiddenReason(gpt, { deny: ['openai/*'] })).toBe('the configuration denies it');
  });
  it('match the bare name of a candidate without a provider', () => {
    expect(forbiddenReason({ ...gpt, provider: null }, { allow: ['openai/*'] })).not.toBeNull();
    expect(forbiddenReason({ ...gpt, provider: null }, { allow: ['gpt-*'] })).toBeNull();
  });
});
