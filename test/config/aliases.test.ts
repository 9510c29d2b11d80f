import { describe, expect, it } from 'vitest';
import { type ConfigInput, resolveConfig } from '../../src/config/config.js';
import { providersOf } from '../../src/gateway.js';
import { compileAliases } from '../../src/models/aliases.js';

const resolved = (aliases: NonNullable<ConfigInput['aliases']>) =>
  resolveConfig({ aliases }, {}).aliases;
const targets = (written: NonNullable<ConfigInput['aliases']>, name: string) =>
  compileAliases(resolved(written)).targetsOf(name);

describe('aliases', () => {
  it('stand for a label, or for several', () => {
    const aliases = { one: 'up/a', more: ['up/b/c', 'down/d'] };
    expect(targets(aliases, 'one')).toEqual(['up/a']);
    expect(targets(aliases, 'more')).toEqual(['up/b/c', 'down/d']);
    expect(targets(aliases, 'other')).toBeNull();
    expect(targets(aliases, 'constructor')).toBeNull();
  });

  it('stand for other aliases, each label once', () => {
    const aliases = { fast: ['up/a', 'up/b'], any: ['fast', 'up/b', 'best'], best: 'up/c' };
    expect(targets(aliases, 'any')).toEqual(['up/a', 'up/b', 'up/c']);
  });

  it('with a wildcard match what is more exact first, and never nothing', () => {
    const aliases = {
      '*': 'all/*',
      'gpt-*': 'openai/gpt-*',
      'gpt-4': 'openai/four',
      'x*y': 'up/z',
    };
    expect(targets(aliases, 'gpt-4')).toEqual(['openai/four']);
    expect(targets(aliases, 'gpt-5')).toEqual(['openai/gpt-5']);
    expect(targets(aliases, 'gpt-')).toEqual(['all/gpt-']);
    expect(targets(aliases, 'x-y')).toEqual(['up/z']);
    expect(targets(aliases, '$&')).toEqual(['all/$&']);
  });

  it.each<[string, NonNullable<ConfigInput['aliases']>, RegExp]>([
    [
      'a target that is nothing',
      { a: 'b' },
      /aliases\.a: the target must have the form .* another alias/,
    ],
    ['a target without a model', { a: 'up/' }, /aliases\.a: the target must have the form/],
    ['a circle', { a: 'b', b: ['up/x', 'c'], c: 'a' }, /aliases\.a: stands for itself/],
    ['itself', { a: 'a' }, /stands for itself/],
    ['a wildcard in the target alone', { a: 'up/*' }, /has a \*, but the alias itself has none/],
    ['two wildcards in the target', { 'a*': 'up/*-*' }, /may have one \* at most/],
    ['two wildcards in the name', { '*a*': 'up/x' }, /with one \* at most/],
    ['the name auto', { auto: 'up/x' }, /not auto/],
    ['a name with a space', { 'a b': 'up/x' }, /without spaces/],
    ['no targets', { a: [] }, /at least 1 item/],
  ])('are refused with %s', (_what, aliases, message) => {
    expect(() => resolved(aliases)).toThrow(message);
  });
});

describe('an alias of a provider that is not configured', () => {
  const warnings = (aliases: NonNullable<ConfigInput['aliases']>): readonly string[] =>
    providersOf(
      resolveConfig(
        { aliases, providers: { up: { api: 'openai' }, 'my-gemini': { api: 'gemini' } } },
        {},
      ),
      {},
    ).warnings;

  it('is a warning with its place and the name that was probably meant, and without its text', () => {
    expect(warnings({ fast: 'oepnai/gpt-4o' })).toEqual([
      'aliases.fast names a provider that is not configured; did you mean openai?',
    ]);
    expect(warnings({ fast: ['up/a', 'sk-secret/a', 'groq/b'] })).toEqual([
      'aliases.fast[1] names a provider that is not configured',
      'aliases.fast[2] names a provider that is not configured',
    ]);
  });

  it('is none where the provider has the name, or another gateway gives it that name', () => {
    expect(
      warnings({ a: 'up/a', b: 'a', c: 'google/gemini-2.5-flash', 'd-*': 'up/d-*', 'e*': '*/e' }),
    ).toEqual([]);
  });
});
