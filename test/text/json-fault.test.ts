import { describe, expect, it } from 'vitest';
import { jsonFault } from '../../src/text/json-fault.js';

describe('where a text stops being JSON', () => {
  it.each([
    ['', 'it ends at line 1, column 1 before it is complete'],
    ['{"a": 1,}', 'error at line 1, column 9'],
    ['{"a": 1\n "b": 2}', 'error at line 2, column 2'],
    ['{\n  "a": [1, 2\n', 'it ends at line 3, column 1 before it is complete'],
    ['{"a"', 'it ends at line 1, column 5 before it is complete'],
    ['{"a": "b', 'it ends at line 1, column 9 before it is complete'],
    ["{'a': 1}", 'error at line 1, column 2'],
    ['{"a": undefined}', 'error at line 1, column 7'],
    ['[1 2]', 'error at line 1, column 4'],
    ['[01]', 'error at line 1, column 3'],
    ['["\\x"]', 'error at line 1, column 3'],
    ['["a\nb"]', 'error at line 1, column 4'],
    ['{} {}', 'error at line 1, column 4'],
    ['\ufeff{}', 'error at line 1, column 1'],
    ['[}', 'error at line 1, column 2'],
  ])('%j: %s', (text, fault) => {
    expect(jsonFault(text)).toBe(fault);
  });

  it('is nowhere in JSON', () => {
    for (const text of [
      '{}',
      ' [] ',
      '"\\u00e9\\n"',
      '-1.5e+3',
      '{"a":[true,false,null,{"b":""}]}',
    ])
      expect(jsonFault(text)).toBeNull();
  });

  it('is found exactly where JSON.parse finds one, whatever sign of a body is lost or changed', () => {
    const body = '{"m": [{"r": "u\\n", "c": null}, -1.5e2], "s": true}';
    for (let at = 0; at < body.length; at += 1)
      for (const sign of ['', ',', '"', '}', '\\', '0', 'x']) {
        const text = body.slice(0, at) + sign + body.slice(at + 1);
        let isValid = true;
        try {
          JSON.parse(text);
        } catch {
          isValid = false;
        }
        expect(jsonFault(text) === null, text).toBe(isValid);
      }
  });

  it('is found without recursion', () => {
    expect(jsonFault('['.repeat(1_000_000))).toMatch(/^it ends at line 1, column 1000001 /);
  });
});
