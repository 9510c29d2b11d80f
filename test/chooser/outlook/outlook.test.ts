import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QualityScale } from '../../../src/chooser/outlook/expected-quality.js';
import {
  type ModelAbility,
  shippedAbilities,
} from '../../../src/chooser/outlook/model-abilities.js';
import { decodeOutlook } from '../../../src/chooser/outlook/outlook-weights.js';
import { encodeOutlook } from '../../lab/encode-weights.js';
import { type Outlook, RequestKinds } from '../../../src/chooser/outlook/read-outlook.js';
import { shippedOutlook } from '../../../src/chooser/outlook/shipped-outlook.js';
import { featuresOf } from '../../../src/chooser/predictor/features/features.js';
import { runs } from '../../helpers/runs.js';

const reader = shippedOutlook();
const abilities = shippedAbilities();
const scale = new QualityScale(reader.weights, abilities);
const read = (content: string): Outlook =>
  reader.read(featuresOf({ messages: [{ role: 'user', content }] }));
const measured = (model: string): ModelAbility => abilities.measured(model)!;
const qualityOf = (model: string, content: string): number =>
  scale.expect(read(content), measured(model), null).quality;

describe('the reader of requests', () => {
  it.each([
    ['Write a funny poem about a cat that hates Mondays.', 'writing'],
    ['Translate "see you soon" into Italian.', 'translation'],
    ['Write a Go function that reverses a linked list.', 'code'],
    ['Prove that the sum of two odd numbers is even.', 'proof'],
    ['Who discovered radium?', 'facts'],
    ['Is this review positive or negative? "I want my money back."', 'classification'],
    ['Summarise this report in three sentences.', 'summary'],
  ])('tells the kind of %j', (text, kind) => {
    expect(read(text).kinds[0]?.name).toBe(kind);
  });

  it('finds proofs harder than translations, facts and greetings', () => {
    const hard = read('Prove that every bounded monotone sequence converges.').difficulty;
    for (const text of ['Translate "see you soon" into Italian.', 'Who discovered radium?', 'hi'])
      expect(read(text).difficulty).toBeLessThan(hard - 0.7);
  });

  it.each([
    ['What is the capital of France?', 'what is the capital of france'],
    ['Who discovered radium?', 'Who discovered radium? Answer:'],
  ])('reads %j and %j alike', (one, other) => {
    const [a, b] = [read(one), read(other)];
    expect(Math.abs(a.difficulty - b.difficulty)).toBeLessThan(0.5);
    expect(a.kinds[0]?.name).toBe(b.kinds[0]?.name);
  });

  it.each([
    ['Wie spät ist es jetzt in Tokio, wenn es bei uns in Berlin Mittag ist?', 'germanic'],
    ['Сколько стоит билет на поезд из Москвы в Казань?', 'slavic'],
    ['東京から大阪までの新幹線はいくらですか?', 'eastAsian'],
  ])('tells the language of %j', (text, group) => {
    expect(read(text).languages[0]?.name).toBe(group);
  });

  it('adjusts nothing for English', () => {
    expect(read('Please explain to me how a bicycle stays upright.').languages).toEqual([]);
  });

  it('gives parts of a whole for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        const { kinds, ceiling, everyday, difficulty } = read(text);
        const whole = kinds.reduce((sum, { share }) => sum + share, 0);
        expect(whole).toBeLessThanOrEqual(1 + 1e-9);
        expect(ceiling).toBeGreaterThan(0);
        expect(ceiling).toBeLessThan(1);
        expect(everyday).toBeGreaterThanOrEqual(0);
        expect(Number.isFinite(difficulty)).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  it('numbers kinds under a name that tells them apart from those of other weights', () => {
    const { router, shares } = new RequestKinds(reader.weights).of(read('Who discovered radium?'));
    const [first] = shares;
    expect(reader.weights.kinds[first![0]]?.name).toBe('facts');
    expect(new RequestKinds({ kinds: reader.weights.kinds.slice(1) }).router).not.toBe(router);
  });
});

describe('the file of a reader', () => {
  const bytes = encodeOutlook(reader.weights);

  it('holds all of its weights', () => {
    expect(decodeOutlook(bytes)).toEqual(reader.weights);
  });

  it('is refused when it is cut off, or something else', () => {
    expect(() => decodeOutlook(bytes.subarray(0, bytes.length / 2))).toThrow(/cut off or damaged/);
    expect(() => decodeOutlook(Buffer.from('something else'))).toThrow(/not a file of predictor/);
  });
});

describe('abilities of models', () => {
  it.each([
    ['openai/gpt-5-nano', 'gpt-5-nano-2025-08-07'],
    ['anthropic/claude-haiku-4-5', 'us.anthropic.claude-haiku-4-5-20251001-v1:0'],
    ['meta/llama-3.3-70b-instruct', 'groq/llama-3.3-70b-versatile'],
    ['google/gemini-2.5-flash-lite', 'models/gemini-2.5-flash-lite'],
  ])('of %s and %s are the same', (one, other) => {
    expect(abilities.measured(one)).not.toBeNull();
    expect(abilities.measured(other)).toEqual(abilities.measured(one));
  });

  it.each([
    ['o3', 'o1-mini'],
    ['gpt-5', 'o1-mini'],
    ['claude-opus-4-1', 'o1-mini'],
    ['gpt-5.2', 'gpt-5-mini'],
    ['gpt-5-mini', 'gpt-5-nano'],
    ['gemini-2.5-pro', 'gemini-2.5-flash-lite'],
    ['gpt-4o', 'gpt-3.5-turbo'],
    ['claude-sonnet-4-5', 'claude-haiku-4-5'],
  ])('of %s is above that of %s', (better, worse) => {
    expect(measured(better).ability).toBeGreaterThan(measured(worse).ability);
  });

  it('of unknown models are less sure than those of a known family, and these than measured ones', () => {
    const family = abilities.supposed(0.6, false, null),
      guess = abilities.supposed(0.6, true, null);
    expect([measured('gpt-5').basis, family.basis, guess.basis]).toEqual([
      'measured',
      'family',
      'guess',
    ]);
    expect(family.error).toBeGreaterThan(measured('gpt-5').error);
    expect(guess.error).toBeGreaterThan(family.error);
    expect(abilities.measured('nobody/knows-this-model')).toBeNull();
  });
});

describe('the expected quality', () => {
  it('hardly differs on a greeting, and does on a proof', () => {
    const gap = (text: string): number =>
      qualityOf('gpt-5.2', text) - qualityOf('gpt-5-nano', text);
    const easy = gap('What is the capital of Norway?');
    expect(easy).toBeLessThan(0.05);
    expect(gap('Prove that every bounded monotone sequence converges.')).toBeGreaterThan(
      1.5 * easy,
    );
  });

  it('rises with effort, within its interval, for any difficulty and ability', () => {
    const known = measured('gpt-5-mini');
    fc.assert(
      fc.property(
        fc.double({ min: -6, max: 6, noNaN: true }),
        fc.double({ min: -4, max: 4, noNaN: true }),
        (difficulty, ability) => {
          const outlook = { ...read('Who discovered radium?'), difficulty };
          const model = { ...known, ability };
          const usual = scale.expect(outlook, model, null);
          const [low, high] = usual.interval;
          expect(usual.quality).toBeGreaterThanOrEqual(low);
          expect(usual.quality).toBeLessThanOrEqual(high);
          expect(high).toBeLessThanOrEqual(outlook.ceiling);
          expect(scale.expect(outlook, model, 'none').quality).toBeLessThanOrEqual(usual.quality);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
