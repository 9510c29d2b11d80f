import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonBounds, jsonExcess, parsedExcess, type JsonBounds } from '../../src/text/json-size.js';
import { runs } from '../helpers/runs.js';

const bytes = (text: string): Buffer => Buffer.from(text);
const wide: JsonBounds = { values: 1e9, members: 1e9, names: 1e9, depth: 500 };
const list = (item: string, count: number): string => `[${Array(count).fill(item).join(',')}]`;

/** The figures of parsed JSON, counted the plain way. */
function figuresOf(value: unknown): { values: number; depth: number; names: Set<string> } {
  if (typeof value !== 'object' || value === null)
    return { values: typeof value === 'string' ? 1 : 0, depth: 0, names: new Set() };
  const inner = Object.values(value).map(figuresOf);
  return {
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    names: new Set([
      ...(Array.isArray(value) ? [] : Object.keys(value)),
      ...inner.flatMap(({ names }) => [...names]),
    ]),
  };
}

/** Texts with whatever may mislead a scanner. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('"', '\\', '{', '[', ',', ':', 'a', '\n', 'ü', '模') }),
  fc.string({ maxLength: 120, minLength: 60, unit: fc.constantFrom('"', '\\', 'x') }),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom(0, -1.5e3, true, null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 5 }),
  ),
})).value;

describe('the size of JSON', () => {
  it('is counted in the bytes as it is in the values', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const written = bytes(JSON.stringify(value, null, indent));
        const { values, depth } = figuresOf(value);
        for (const scan of [
          (bounds: JsonBounds) => jsonExcess(written, bounds),
          (bounds: JsonBounds) => parsedExcess(value, bounds),
        ]) {
          expect(scan({ ...wide, values, depth })).toBeNull();
          if (values > 0) expect(scan({ ...wide, values: values - 1 })).toBe('values');
          if (depth > 0) expect(scan({ ...wide, depth: depth - 1 })).toBe('depth');
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('has as many names as there are different ones', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 10 }), { minLength: 1 }), (names) => {
        const written = `[${names.map((name) => `{${JSON.stringify(name)}:1}`).join(',')}]`;
        // names are counted only where there is room for too many of them
        const padded = bytes(written + ' '.repeat(10_000));
        const different = new Set(names).size;
        expect(jsonExcess(padded, { ...wide, names: different })).toBeNull();
        expect(jsonExcess(padded, { ...wide, names: different - 1 })).toBe('names');
      }),
      { numRuns: runs(1_000) },
    );
  });

  it('has different names where only what is escaped differs', () => {
    const escapes = ['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t'];
    const names = escapes.flatMap((one) => escapes.map((other) => `"${one}${other}":1`));
    const written = bytes(`{${names.join(',')}}`);
    expect(jsonExcess(written, { ...wide, names: 64 })).toBeNull();
    expect(jsonExcess(written, { ...wide, names: 63 })).toBe('names');
  });

  it('has too many names also where they are long', () => {
    const long = (count: number): Buffer =>
      bytes(`{${Array.from({ length: count }, (_, n) => `"${'x'.repeat(60)}${n}":1`).join(',')}}`);
    expect(jsonExcess(long(100), { ...wide, names: 100 })).toBeNull();
    expect(jsonExcess(long(101), { ...wide, names: 100 })).toBe('names');
  });

  it('is exceeded at the first value, member or level too many', () => {
    const bounds = jsonBounds(1_000, 10);
    expect(jsonExcess(bytes(list('{}', 999)), bounds)).toBeNull();
    expect(jsonExcess(bytes(list('{}', 1_000)), bounds)).toBe('values');
    expect(jsonExcess(bytes(list('"a"', 1_000)), bounds)).toBe('values');
    expect(jsonExcess(bytes(list('7', 10_001)), bounds)).toBeNull();
    expect(jsonExcess(bytes(list('7', 10_002)), bounds)).toBe('members');
    expect(jsonExcess(bytes(list('{"a":"b"}', 400)), bounds)).toBeNull();
    expect(jsonExcess(bytes('['.repeat(501)), bounds)).toBe('depth');
    expect(jsonExcess(bytes(`${'['.repeat(500)}${']'.repeat(500)}`), bounds)).toBeNull();
    expect(parsedExcess(JSON.parse(list('7', 10_002)), bounds)).toBe('members');
  });

  it.each(['', '{', '"', '"\\', '"a\\"', '}}}}', ':::', ',', '{"a":', '\u0000', '"'.repeat(99)])(
    'of what is no JSON (%j) is no excess',
    (broken) => {
      expect(jsonExcess(bytes(broken), jsonBounds(1_000, 10))).toBeNull();
    },
  );
});
