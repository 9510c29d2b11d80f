import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  denseNames,
  featuresOf,
  type Features,
} from '../../../../src/routing/predictor/features/features.js';
import { gramBuckets } from '../../../../src/routing/predictor/features/grams.js';

const of = (content: string, tools: unknown[] = []): Features =>
  featuresOf({ messages: [{ role: 'user', content }], tools });
const value = (features: Features, name: string): number =>
  features.dense[denseNames.indexOf(name)]!;

function closeness(a: Features, b: Features): number {
  const weights = new Map(Array.from(a.buckets, (bucket, at) => [bucket, a.weights[at]!]));
  return b.buckets.reduce(
    (sum, bucket, at) => sum + (weights.get(bucket) ?? 0) * b.weights[at]!,
    0,
  );
}

describe('the features of a conversation', () => {
  it('are the same for the same conversation, whatever was read before', () => {
    const first = of('How many prime numbers are there below 100?');
    of('Schreibe ein Gedicht über den Herbst. '.repeat(50));
    const again = of('How many prime numbers are there below 100?');
    expect(again).toEqual(first);
  });

  it('are finite, and their n-grams of unit length, for any text at all', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 400 }),
          fc.string({ unit: 'grapheme', maxLength: 200 }),
        ),
        (text) => {
          const { dense, buckets, weights } = of(text);
          expect(dense.every(Number.isFinite)).toBe(true);
          expect(
            new Set(buckets).size === buckets.length &&
              buckets.every((bucket) => bucket >= 0 && bucket < gramBuckets),
          ).toBe(true);
          if (weights.length > 0) expect(Math.hypot(...weights)).toBeCloseTo(1, 4);
        },
      ),
    );
  });

  it('are finite for tools of any shape', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), (tools) => {
        expect(of('Is it raining?', tools).dense.every(Number.isFinite)).toBe(true);
      }),
    );
  });

  it('tell code, mathematics and questions with options apart from prose', () => {
    const prose = of('My grandmother lived by the sea and told us stories of storms.');
    const code = of('def add(a, b):\n    return a + b\n\nassert add(1, 2) == 3');
    const choice = of(
      'Which gas do plants take in?\nA. Oxygen\nB. Carbon dioxide\nC. Helium\nD. Argon',
    );
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
    expect(closeness(of('法国的首都是哪里？'), of('德国的首都是哪里？'))).toBeGreaterThan(
      closeness(of('法国的首都是哪里？'), of('Was ist die Hauptstadt?')),
    );
  });

  it('count the same whether letters are large or small', () => {
    expect(closeness(of('WHO WROTE HAMLET'), of('who wrote hamlet'))).toBeCloseTo(1, 5);
  });

  it('read the tools: how many, how many parameters, and whether the question speaks of them', () => {
    const weather = {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'Gets the weather of a city',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' }, days: { type: 'integer' } },
          required: ['city'],
        },
      },
    };
    const near = of('What is the weather in the city of Oslo?', [weather]),
      far = of('Translate this sentence.', [weather]);
    expect(value(near, 'hasTools')).toBe(1);
    expect(value(near, 'toolParameters')).toBeCloseTo(Math.log1p(2), 5);
    expect(value(near, 'toolNameOverlap')).toBeGreaterThan(value(far, 'toolNameOverlap'));
    expect(
      of('Hello', [{ name: 'flat', description: 'd', parameters: {} }]).dense[
        denseNames.indexOf('tools')
      ],
    ).toBeCloseTo(Math.log1p(1), 5);
  });

  it('take a short follow-up together with the question before it', () => {
    const follow = featuresOf({
      messages: [
        {
          role: 'user',
          content:
            'Write a Python function that sorts a list of numbers without using sort(), please.',
        },
        { role: 'assistant', content: 'def …' },
        { role: 'user', content: 'Now in Rust' },
      ],
    });
    expect(value(follow, 'code')).toBeGreaterThan(0);
    expect(value(follow, 'turns')).toBeCloseTo(Math.log1p(1), 5);
  });

  it('read no more of a long turn than its beginning and its end', () => {
    const long = of('word '.repeat(200_000));
    expect(value(long, 'chars')).toBeCloseTo(Math.log1p(8192 + 4096) / 5, 4);
  });
});

describe('hostile requests', () => {
  const tool = (at: number): object => ({
    name: `tool_${at}`,
    description: 'word '.repeat(2_000),
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 40 }, (_, each) => [
          `p${each}`,
          { type: 'string', description: 'd'.repeat(500) },
        ]),
      ),
    },
  });
  const nested = (depth: number): object => {
    let schema: object = { type: 'string' };
    for (let level = 0; level < depth; level++)
      schema = {
        type: 'object',
        properties: { a: schema, b: schema },
        items: schema,
        required: ['a'],
      };
    return { name: 'deep', parameters: schema };
  };
  const texts: [string, string][] = [
    ['a megabyte of one character', 'a'.repeat(1 << 20)],
    ['a megabyte of spaces', ' '.repeat(1 << 20)],
    ['a megabyte of line ends', '\n'.repeat(1 << 20)],
    ['a megabyte of lone high surrogates', '\ud83d'.repeat(1 << 20)],
    ['a megabyte of lone low surrogates', '\udc00'.repeat(1 << 20)],
    ['a megabyte of pictographs', '😀'.repeat(1 << 19)],
    [
      'a megabyte without spaces',
      Array.from({ length: 1 << 17 }, (_, at) =>
        ((at * 2_654_435_761) >>> 0).toString(36).padStart(8, '0'),
      ).join(''),
    ],
    ['a megabyte of Chinese', '法国的首都是哪里'.repeat(1 << 17)],
    ['a megabyte of backticks', '`'.repeat(1 << 20)],
    ['nulls', '\0'.repeat(1 << 20)],
    ['indentation', ('\n' + '\t'.repeat(8_000)).repeat(130)],
    ['nothing', ''],
  ];
  /** The quickest of several: what else runs on this machine is no fault of ours. */
  const quickestMs = (act: () => unknown): number =>
    Math.min(
      ...Array.from({ length: 15 }, () => {
        const startedAt = performance.now();
        act();
        return performance.now() - startedAt;
      }),
    );
  const isSound = ({ dense, buckets, weights }: Features): boolean =>
    dense.every((one) => Number.isFinite(one) && one >= 0 && one < 100) &&
    weights.every(Number.isFinite) &&
    buckets.length === weights.length;

  it.each(texts)('%s: has finite features, in a few milliseconds', (_what, text) => {
    expect(isSound(of(text))).toBe(true);
    expect(quickestMs(() => of(text))).toBeLessThan(4);
  });

  it('32 KB of prose take about a millisecond', () => {
    const text = Array.from({ length: 5_500 }, (_, at) => `word${at % 977}`)
      .join(' ')
      .slice(0, 32_768);
    of(text);
    expect(quickestMs(() => of(text))).toBeLessThan(2);
  });

  it('thousands of tools are counted, and no more than some are read', () => {
    const tools = Array.from({ length: 5_000 }, (_, at) => tool(at));
    const features = of('Is it raining?', tools);
    expect(isSound(features)).toBe(true);
    expect(value(features, 'tools')).toBeCloseTo(Math.log1p(5_000), 4);
    expect(quickestMs(() => of('Is it raining?', tools))).toBeLessThan(20);
  });

  it('schemas that branch without end are read to a few levels', () => {
    const tools = [nested(400), nested(24)];
    expect(isSound(of('Is it raining?', tools))).toBe(true);
    expect(quickestMs(() => of('Is it raining?', tools))).toBeLessThan(10);
  });

  it('of ten thousand messages what was asked last is read', () => {
    const turn = 'Why is the sky blue? '.repeat(50);
    const messages = Array.from({ length: 10_001 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: turn,
    }));
    expect(featuresOf({ messages }).buckets).toEqual(of(turn).buckets);
    expect(quickestMs(() => featuresOf({ messages }))).toBeLessThan(10);
  });

  it('leave nothing behind for the next request', () => {
    const plain = of('How many prime numbers are there below 100?');
    for (const content of [
      [{ type: 'text', text: 5 }],
      [{ type: 'text', text: 'How many?' }, { type: 'image_url' }],
      [],
      null,
      7,
    ]) {
      for (const role of ['user', 'assistant']) {
        const messages = JSON.parse(
          JSON.stringify([
            { role, content },
            { role: 'assistant', content },
            {
              role: 'user',
              content:
                'A question that is long enough to stand by itself, without the turn that was before it.',
            },
          ]),
        ) as { role: string; content: string }[];
        try {
          featuresOf({ messages });
        } catch {
          // no request that is served looks so
        }
        expect(of('How many prime numbers are there below 100?')).toEqual(plain);
      }
    }
  });
});
