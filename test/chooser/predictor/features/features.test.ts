import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  denseNames,
  featuresOf,
  type Features,
} from '../../../../src/chooser/predictor/features/features.js';
import { gramBuckets } from '../../../../src/chooser/predictor/features/grams.js';

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

describe('the features of a conversation', { timeout: 60_000 }, () => {
  it('are the same for the same conversation, whatever was read before', () => {
    const first = of('How many prime numbers are there below 100?');
    of('Schreibe ein Gedicht über den Herbst. '.repeat(50));
    const again = of('How many prime numbers are there below 100?');
    expect(again).toEqual(first);
  });

  it('are finite, with n-gram weights of length 1, for any text', () => {
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

  it('distinguish code, mathematics and questions with options from prose', () => {
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

  it('distinguish scripts, and place two questions in one language closer together than questions in two languages', () => {
    expect(value(of('Какая столица Франции?'), 'cyrillicShare')).toBeGreaterThan(0.7);
    expect(value(of('法国的首都是哪里？'), 'ideographShare')).toBeGreaterThan(0.7);
    expect(value(of('ما هي عاصمة فرنسا؟'), 'semiticShare')).toBeGreaterThan(0.6);
    expect(closeness(of('法国的首都是哪里？'), of('德国的首都是哪里？'))).toBeGreaterThan(
      closeness(of('法国的首都是哪里？'), of('Was ist die Hauptstadt?')),
    );
  });

  it('ignore case in n-grams', () => {
    expect(closeness(of('WHO WROTE HAMLET'), of('who wrote hamlet'))).toBeCloseTo(1, 5);
  });

  it('count tools and parameters, and compare the question with the tools', () => {
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

  it('read a short follow-up together with the question before it', () => {
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

  it('read only the beginning and the end of a long turn, and count its whole length', () => {
    const long = of('word '.repeat(200_000));
    expect(value(long, 'words')).toBeLessThan(Math.log1p((8192 + 4096) / 4) / 4);
    expect(value(long, 'chars')).toBeCloseTo(Math.log1p(1_000_000) / 5, 2);
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
  const isSound = ({ dense, buckets, weights }: Features): boolean =>
    dense.every((one) => Number.isFinite(one) && one >= 0 && one < 100) &&
    weights.every(Number.isFinite) &&
    buckets.length === weights.length;

  it.each(texts)('%s: has finite features', (_what, text) => {
    expect(isSound(of(text))).toBe(true);
  });

  it('white space at the ends is passed over, however long it is', () => {
    for (const blanks of [' ', '\n', '\t']) {
      const much = blanks.repeat(1 << 20);
      expect(of(`${much}Is it raining?${much}`)).toEqual(of('Is it raining?'));
    }
  });

  it.each(texts.filter(([, text]) => text.length > 16_384 && text.trim() === text))(
    '%s: has features of the first 8 K and the last 4 K characters only',
    (_what, text) => {
      const middle = text.length - 8_192 - 4_096;
      const another = text.slice(0, 8_192) + 'Why not? '.repeat(middle).slice(0, middle);
      expect(of(another + text.slice(-4_096))).toEqual(of(text));
    },
  );

  it('thousands of tools are counted, and 32 of them are read', () => {
    let reads = 0;
    const rest = tool(0);
    const tools = Array.from({ length: 5_000 }, (_, at) => ({
      ...rest,
      get name(): string {
        reads++;
        return `tool_${at}`;
      },
    }));
    const features = of('Is it raining?', tools);
    expect(isSound(features)).toBe(true);
    expect(value(features, 'tools')).toBeCloseTo(Math.log1p(5_000), 4);
    expect(reads).toBe(32);
  });

  it('the descriptions of tools are read up to 400 characters', () => {
    const described = (description: string): Features =>
      of('Is it raining?', [{ name: 'rain', description, parameters: {} }]);
    const { buckets } = described('word '.repeat(80) + 'another '.repeat(1_000));
    expect(buckets).toEqual(described('word '.repeat(80) + 'storms! '.repeat(1_000)).buckets);
  });

  it('of schemas that branch without end, at most 200 nodes are read', () => {
    let visits = 0;
    const nested = (depth: number): object => {
      let schema: object = { type: 'string' };
      for (let level = 0; level < depth; level++) {
        const inner = schema;
        schema = {
          get type(): string {
            visits++;
            return 'object';
          },
          properties: { a: inner, b: inner },
          items: inner,
          required: ['a'],
        };
      }
      return { name: 'deep', parameters: schema };
    };
    expect(isSound(of('Is it raining?', [nested(400)]))).toBe(true);
    expect(visits).toBeLessThanOrEqual(200);
    expect(isSound(of('Is it raining?', [nested(24)]))).toBe(true);
    expect(visits).toBeLessThanOrEqual(400);
  });

  it('of ten thousand messages the last question is read, and the lengths of the others', () => {
    const turn = 'Why is the sky blue? '.repeat(50);
    let reads = 0;
    const messages = Array.from({ length: 10_001 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      get content(): string {
        reads++;
        return turn;
      },
    }));
    expect(featuresOf({ messages }).buckets).toEqual(of(turn).buckets);
    expect(reads).toBeLessThan(5 * messages.length);
  });

  it('leave no state for the next request', () => {
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
          // requests with such content are refused before they get here
        }
        expect(of('How many prime numbers are there below 100?')).toEqual(plain);
      }
    }
  });
});
