import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { denseNames, featuresOf, type Features } from '../../../src/routing/learned/features.js';
import { gramBuckets } from '../../../src/routing/learned/hashing.js';

const of = (content: string, tools: unknown[] = []): Features => featuresOf({ messages: [{ role: 'user', content }], tools });
const value = (features: Features, name: string): number => features.dense[denseNames.indexOf(name)]!;

function closeness(a: Features, b: Features): number {
  const weights = new Map(Array.from(a.buckets, (bucket, at) => [bucket, a.weights[at]!]));
  return b.buckets.reduce((sum, bucket, at) => sum + (weights.get(bucket) ?? 0) * b.weights[at]!, 0);
}

describe('the features of a conversation', () => {
  it('are the same for the same conversation, whatever was read before', () => {
    const first = of('How many prime numbers are there below 100?');
    of('Schreibe ein Gedicht über den Herbst. '.repeat(50));
    const again = of('How many prime numbers are there below 100?');
    expect(again).toEqual(first);
  });

  it('are finite, and their n-grams of unit length, for any text at all', () => {
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ unit: 'grapheme', maxLength: 200 })), (text) => {
      const { dense, buckets, weights } = of(text);
      expect(dense.every(Number.isFinite)).toBe(true);
      expect(new Set(buckets).size === buckets.length && buckets.every((bucket) => bucket >= 0 && bucket < gramBuckets)).toBe(true);
      if (weights.length > 0) expect(Math.hypot(...weights)).toBeCloseTo(1, 4);
    }));
  });

  it('are finite for tools of any shape', () => {
    fc.assert(fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), (tools) => {
      expect(of('Is it raining?', tools).dense.every(Number.isFinite)).toBe(true);
    }));
  });

  it('tell code, mathematics and questions with options apart from prose', () => {
    const prose = of('My grandmother lived by the sea and told us stories of storms.');
    const code = of('def add(a, b):\n    return a + b\n\nassert add(1, 2) == 3');
    const choice = of('Which gas do plants take in?\nA. Oxygen\nB. Carbon dioxide\nC. Helium\nD. Argon');
    const formula = of('Let $x^2 + \\frac{1}{2}x = 7$. Find $x$.');
    expect(value(code, 'indentShare')).toBeGreaterThan(value(prose, 'indentShare'));
    expect(value(choice, 'hasOptions')).toBe(1);
    expect(value(prose, 'hasOptions')).toBe(0);
    expect(value(formula, 'tex')).toBeGreaterThan(1);
  });

  it('tell scripts apart, and find two questions of one language nearer to each other than to another', () => {
    expect(value(of('Какая столица Франции?'), 'cyrillicShare')).toBeGreaterThan(0.7);
    expect(value(of('法国的首都是哪里？'), 'ideographShare')).toBeGreaterThan(0.7);
    expect(value(of('ما هي عاصمة فرنسا؟'), 'semiticShare')).toBeGreaterThan(0.6);
    expect(closeness(of('法国的首都是哪里？'), of('德国的首都是哪里？'))).toBeGreaterThan(closeness(of('法国的首都是哪里？'), of('Was ist die Hauptstadt?')));
  });

  it('count the same whether letters are large or small', () => {
    expect(closeness(of('WHO WROTE HAMLET'), of('who wrote hamlet'))).toBeCloseTo(1, 5);
  });

  it('read the tools: how many, how many parameters, and whether the question speaks of them', () => {
    const weather = { type: 'function', function: { name: 'get_weather', description: 'Gets the weather of a city', parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city'] } } };
    const near = of('What is the weather in the city of Oslo?', [weather]), far = of('Translate this sentence.', [weather]);
    expect(value(near, 'hasTools')).toBe(1);
    expect(value(near, 'toolParameters')).toBeCloseTo(Math.log1p(2), 5);
    expect(value(near, 'toolNameOverlap')).toBeGreaterThan(value(far, 'toolNameOverlap'));
    expect(of('Hello', [{ name: 'flat', description: 'd', parameters: {} }]).dense[denseNames.indexOf('tools')]).toBeCloseTo(Math.log1p(1), 5);
  });

  it('take a short follow-up together with the question before it', () => {
    const follow = featuresOf({ messages: [{ role: 'user', content: 'Write a Python function that sorts a list of numbers without using sort(), please.' }, { role: 'assistant', content: 'def …' }, { role: 'user', content: 'Now in Rust' }] });
    expect(value(follow, 'code')).toBeGreaterThan(0);
    expect(value(follow, 'turns')).toBeCloseTo(Math.log1p(1), 5);
  });

  it('read no more of a long turn than its beginning and its end', () => {
    const long = of('word '.repeat(200_000));
    expect(value(long, 'chars')).toBeCloseTo(Math.log1p(8192 + 4096) / 5, 4);
  });
});
