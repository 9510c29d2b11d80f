import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens, measureRequest } from '../../src/models/tokens.js';

const sentence =
  'The quick brown fox jumps over the lazy dog and then sleeps until the next morning comes. ';

describe('estimating tokens', { timeout: 60_000 }, () => {
  it.each([
    // counts by the o200k vocabulary
    ['English', sentence, 18],
    [
      'code',
      'for (let index = 0; index < values.length; index++) {\n  total += values[index] ?? 0;\n}\n',
      27,
    ],
    ['JSON', '{"name":"get_weather","arguments":{"city":"Paris","days":3}}', 16],
    ['German', 'Die Straßenverkehrsordnung ist ein langes Wort, das häufig gebraucht wird.', 17],
    ['Russian', 'Москва является столицей России и крупнейшим городом страны.', 13],
    ['Chinese', '东京是日本的首都，也是世界上最大的城市之一。', 17],
    ['Korean', '서울특별시는 대한민국의 수도이자 최대 도시이다.', 15],
  ])('is within a factor of 1.6 in %s', (_script, text, actual) => {
    const estimate = estimateTokens(text);
    expect(estimate).toBeGreaterThan(actual / 1.6);
    expect(estimate).toBeLessThan(actual * 1.6);
  });

  it('counts nothing in an empty text', () => expect(estimateTokens('')).toBe(0));

  it('samples a long text with nearly the same result', () => {
    const long = estimateTokens(sentence.repeat(20_000));
    expect(long / (estimateTokens(sentence) * 20_000)).toBeGreaterThan(0.9);
    expect(long / (estimateTokens(sentence) * 20_000)).toBeLessThan(1.1);
  });

  it('is whole, finite and repeatable for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const estimate = estimateTokens(text);
        expect(Number.isSafeInteger(estimate) && estimate >= 0).toBe(true);
        expect(estimateTokens(text)).toBe(estimate);
      }),
    );
    expect(estimateTokens('\ud800')).toBe(1);
  });

  it('never falls when text is added to a short one', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        (text, more) => estimateTokens(text + more) >= estimateTokens(text),
      ),
    );
  });
});

describe('measuring a request', () => {
  it('counts text, parts, tool calls and tools', () => {
    const bare = measureRequest([{ role: 'user', content: sentence }]);
    expect(bare.tokens).toBe(estimateTokens(sentence) + 4);
    expect(measureRequest([{ role: 'user', content: [{ type: 'text', text: sentence }] }])).toEqual(
      bare,
    );
    const called = measureRequest([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'look', arguments: '{"a":1}' } },
        ],
      },
    ]);
    expect(called.tokens).toBeGreaterThan(10);
    expect(
      measureRequest(
        [{ role: 'user', content: sentence }],
        [{ type: 'function', function: { name: 'look' } }],
      ).tokens,
    ).toBeGreaterThan(bare.tokens + 5);
  });

  it('counts images, not their bytes', () => {
    const image = {
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${'A'.repeat(1_000_000)}` },
    };
    const size = measureRequest([
      { role: 'user', content: [image, image, { type: 'text', text: 'what is this?' }] },
    ]);
    expect(size.images).toBe(2);
    expect(size.tokens).toBeLessThan(3000);
  });

  it('accepts empty messages', () => {
    expect(
      measureRequest([
        { role: 'assistant', content: null },
        { role: 'assistant' },
        { role: 'user', content: [] },
      ]),
    ).toEqual({ tokens: 12, images: 0 });
  });
});
