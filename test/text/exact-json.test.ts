import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exactJson,
  hasLongIntegers,
  parseExactJson,
  parseFields,
} from '../../src/text/exact-json.js';

const again = (json: string): string => exactJson(parseExactJson(json));

describe('JSON with integers that no number holds', () => {
  it.each([
    '{"id":2512292042121000001}',
    '{"list":[9007199254740993,-9007199254740993,1]}',
    '{"max":9223372036854775807,"min":-9223372036854775808}',
    '{"a":{"b":[123456789012345678901234567890]}}',
    '[2512292042121000001]',
    '{"limit":1e400,"least":-1.5E+999,"text":"1e400, 2e500"}',
    '{"text":"say \\"2512292042121000001\\", twice: 2512292042121000001","id":2512292042121000001}',
    '{"back\\\\":2512292042121000001}',
  ])('keeps their digits: %s', (json) => {
    expect(hasLongIntegers(json)).toBe(true);
    expect(again(json)).toBe(json);
  });

  it.each([
    '{"id":9007199254740992}',
    '{"text":"2512292042121000001"}',
    '{"text":"id: 2512292042121000001, and more"}',
    '{"price":0.12345678901234567}',
    '{"time":1732564800000000}',
    '{"far":1e300,"near":1e-400,"text":"1e400"}',
  ])('is parsed as ever where numbers hold all: %s', (json) => {
    expect(hasLongIntegers(json)).toBe(false);
    expect(parseExactJson(json)).toEqual(JSON.parse(json));
  });

  it.each([
    '{2512292042121000001:1}',
    '{"a":02512292042121000001}',
    '{"a":01e400}',
    '{"a":1.e400}',
    '{"a":2512292042121000001x}',
    '[2512292042121000001 2]',
    '{"a":--2512292042121000001}',
  ])('is refused where it is not JSON: %s', (json) => {
    expect(() => parseExactJson(json)).toThrow(SyntaxError);
  });

  it('has numbers in the fields that the gateway reads', () => {
    const body = parseFields('{"n":2512292042121000001,"tools":[{"max":2512292042121000001}]}');
    expect(body).toHaveProperty('n', 2512292042121000001);
    expect(exactJson(body as object)).toContain('"max":2512292042121000001}');
  });

  it('keeps the digits of a seed, which is a number to those who count with it', () => {
    const body = parseFields('{"seed":2512292042121000001}') as { seed: unknown };
    expect(exactJson(body)).toBe('{"seed":2512292042121000001}');
    expect(Number(body.seed)).toBe(2512292042121000001);
  });

  it('is what it was, whatever it is', () => {
    const long = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    const value = fc.letrec<{ any: string }>((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.string().map((text) => JSON.stringify(text)),
        long.map(String),
        fc.array(tie('any'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
        fc
          .array(fc.tuple(fc.uuid(), tie('any')), { maxLength: 4 })
          .map((fields) => `{${fields.map(([name, one]) => `"${name}":${one}`).join(',')}}`),
      ),
    })).any;
    fc.assert(
      fc.property(value, (one) => {
        expect(again(`{"value":${one}}`)).toBe(`{"value":${one}}`);
      }),
    );
  });
});
