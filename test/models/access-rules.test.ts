import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forbiddenReason, matchesGlob } from '../../src/models/access-rules.js';

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

const candidateOf = (label: string) => {
  const slash = label.indexOf('/');
  return { label, provider: label.slice(0, slash), model: label.slice(slash + 1) };
};
const opus = 'anthropic.claude-3-opus-20240229-v1:0';

describe('a rule that denies a model', () => {
  it.each([
    ['gem/gemini-2.5-pro', 'gem/models/gemini-2.5-pro'],
    ['gem/gemini-2.5-pro', 'gem/Models/Gemini-2.5-Pro'],
    ['gem/models/gemini-2.5-pro', 'gem/gemini-2.5-pro'],
    ['vertex/gemini-2.5-pro', 'vertex/publishers/google/models/gemini-2.5-pro'],
    [
      'vertex/gemini-2.5-pro',
      'vertex/projects/p/locations/l/publishers/google/models/gemini-2.5-pro',
    ],
    [`aws/${opus}`, `aws/eu.${opus}`],
    [`aws/${opus}`, `aws/arn:aws:bedrock:eu-central-1:1:inference-profile/eu.${opus}`],
    ['aws/anthropic.*', `aws/apac.${opus}`],
    ['*/claude-3-opus*', `aws/us.${opus}`],
    ['*/claude-3.5-sonnet*', 'aws/eu.anthropic.claude-3-5-sonnet-20240620-v1:0'],
    ['openai/gpt-4o', 'openai/gpt-4o-2024-08-06'],
    ['claude/claude-3-opus', 'claude/claude-3-opus-latest'],
    ['openrouter/meta/llama-3.1-8b', 'openrouter/meta/Llama-3.1-8B:free'],
    ['openrouter/*gpt-4o', 'openrouter/openai/gpt-4o-2024-08-06'],
  ])('%s also denies %s', (pattern, label) =>
    expect(forbiddenReason(candidateOf(label), { deny: [pattern] })).not.toBeNull(),
  );

  it.each([
    ['openai/gpt-4o', 'openai/gpt-4o-mini'],
    ['openai/gpt-4o', 'az/gpt-4o'],
    ['openai/gpt-4o-2024-08-06', 'openai/gpt-4o'],
    ['openai/gpt-4', 'openai/gpt-4.1'],
    ['openai/o1', 'openai/o1-preview'],
    ['gem/gemini-2.5-pro', 'gem/gemini-2.5-pro-preview-05-06'],
    ['openrouter/x/llama-3:free', 'openrouter/x/llama-3'],
    ['openrouter/x/llama-3', 'openrouter/y/llama-3'],
    [`aws/eu.${opus}`, `aws/${opus}`],
    [`aws/${opus}`, 'aws/eu.anthropic.claude-3-haiku-20240307-v1:0'],
  ])('%s does not deny %s', (pattern, label) =>
    expect(forbiddenReason(candidateOf(label), { deny: [pattern] })).toBeNull(),
  );

  it('takes linear time for a long name', () => {
    for (const name of ['a', '-v1', ':1', '1p', '-20240101', 'eu.', 'models/']) {
      const label = `openai/${name.repeat(200_000)}`;
      expect(forbiddenReason(candidateOf(label), { deny: ['openai/gpt-4o'] })).toBeNull();
    }
  });
});

describe('a list of models that are allowed', () => {
  it.each([
    ['gem/gemini-2.5-pro', 'gem/models/gemini-2.5-pro'],
    ['vertex/gemini-2.5-pro', 'vertex/publishers/google/models/gemini-2.5-pro'],
    ['gem/gemini-*', 'gem/models/Gemini-2.5-pro'],
  ])('%s allows %s, the same model of the same provider', (pattern, label) => {
    for (const list of ['allow', 'keyModels'])
      expect(forbiddenReason(candidateOf(label), { [list]: [pattern] })).toBeNull();
  });

  it.each([
    ['gem/gemini-2.5-pro', 'gem/tunedModels/gemini-2.5-pro'],
    ['gem/gemini-2.5-pro', 'gem/models/models/gemini-2.5-pro'],
    [
      'vertex/gemini-2.5-pro',
      'vertex/projects/p/locations/l/publishers/google/models/gemini-2.5-pro',
    ],
    ['vertex/gemini-2.5-pro', 'vertex/publishers/other/models/gemini-2.5-pro'],
    [`aws/${opus}`, `aws/us.${opus}`],
    ['openai/gpt-4o', 'openai/gpt-4o-2024-08-06'],
    ['openrouter/x/llama-3', 'openrouter/x/llama-3:nitro'],
  ])('%s does not allow %s, which is another name', (pattern, label) => {
    for (const list of ['allow', 'keyModels'])
      expect(forbiddenReason(candidateOf(label), { [list]: [pattern] })).not.toBeNull();
  });
});
