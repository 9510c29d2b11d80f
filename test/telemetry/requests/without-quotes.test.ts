import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutQuotes } from '../../../src/telemetry/requests/without-quotes.js';

const secret = 'My bank card is 4556 7375 8689 9855, please remember it.';
const asked = (content: unknown): object => ({ messages: [{ role: 'user', content }] });
const shown = (text: string, content: unknown = secret): string =>
  withoutQuotes([text], asked(content))[0]!;

describe('an error text without quotes', () => {
  it('keeps what the provider says itself', () => {
    const said = 'openai answered 400: Unsupported parameter: temperature is not supported';
    expect(shown(said)).toBe(said);
    expect(withoutQuotes([said], null)).toEqual([said]);
  });

  it('loses what it repeats of a message, and keeps what stands around it', () => {
    expect(shown(`up answered 400: I will not answer "${secret}" (policy 7)`)).toBe(
      'up answered 400: I will not answer "[…]" (policy 7)',
    );
    expect(shown('no: bank card is 4556 7375 ... is not allowed')).toBe('no:[…]... is not allowed');
  });

  it('loses quotations that differ in case, white space and escapes', () => {
    const text = 'First "line"\n\n\tSecond lïne, third';
    expect(shown(`bad: FIRST "LINE" SECOND LÏNE, THIRD!`, text)).toBe('bad: […]!');
    expect(shown(`bad: ${JSON.stringify(text).slice(1, -1)}!`, text)).toBe('bad: […]!');
    expect(shown('bad: first "line" second l\\u00efne, third!', text)).toBe('bad: […]!');
  });

  it('loses a short message that is repeated whole, but no words of the format', () => {
    expect(shown('I refuse to say hunter2.', 'hunter2')).toBe('I refuse to say […].');
    expect(shown('role user: type text is wrong', [{ type: 'text', text: 'ab' }])).toBe(
      'role user: type text is wrong',
    );
  });

  it('loses quotations of every part of a request: parts, tools, arguments of calls', () => {
    const request = {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'the part that nobody may see' }] },
        {
          role: 'assistant',
          tool_calls: [{ function: { arguments: '{"pin":"0815-4711-0815"}' } }],
        },
      ],
      tools: [{ function: { description: 'Opens the door of the vault' } }],
    };
    expect(
      withoutQuotes(
        [
          'x: the part that nobody may see',
          'x: {"pin":"0815-4711-0815"}',
          'x: Opens the door of the vault',
        ],
        request,
      ),
    ).toEqual(['x: […]', 'x: […]', 'x: […]']);
  });

  it('removes what has a backslash that escapes nothing', () => {
    const said = String.raw`C:\ users \ ada \ letters`;
    expect(withoutQuotes([`x: ${said}`], asked([{ type: 'text', text: said }]))).toEqual([
      'x: […]',
    ]);
  });

  it('removes a backslash before a letter, as it stands or as JSON writes it', () => {
    for (const said of [String.raw`C:\new\temp\bills\ruth\notes\tax`, String.raw`C:\new`]) {
      expect(shown(`x: ${said}!`, said)).toBe('x: […]!');
      expect(shown(`x: ${JSON.stringify(said)}!`, said)).toBe('x: "[…]"!');
    }
  });

  it('repeats nothing of what has backslashes, new lines and quotes, as it stands or in JSON', () => {
    const unit = fc.constantFrom('\\', 'n', 'u0041', '"', '\n', 'a', 'b', ' ', '/', 'ä');
    const written = (text: string, asJson: boolean): string =>
      asJson ? JSON.stringify(text).slice(1, -1) : text;
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 60 }),
        fc.string({ unit, minLength: 16, maxLength: 60 }),
        fc.string({ unit, maxLength: 60 }),
        fc.boolean(),
        (before, quoted, after, asJson) => {
          const length = quoted.replace(/\s+/g, ' ').length;
          const text = `up: ${written(quoted, asJson)}`;
          const seen = shown(text, [{ type: 'text', text: before + quoted + after }]);
          if (length >= 18) expect(seen).toMatch(/^up: ?\[…\]$/);
        },
      ),
    );
  });

  it('repeats nothing of 16 or more characters, wherever the quotation begins and ends', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 0, maxLength: 120 }), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        fc.integer({ min: 16, max: 60 }),
        fc.string({ maxLength: 40 }),
        fc.string({ maxLength: 40 }),
        (texts, from, length, before, after) => {
          const whole = texts.join('');
          const start = whole.length === 0 ? 0 : from % whole.length;
          const [text] = withoutQuotes(
            [before + whole.slice(start, start + length) + after],
            asked(
              texts
                .map((one) => ({ type: 'text', text: one }))
                .concat([{ type: 'text', text: whole }]),
            ),
          );
          const plain = (some: string): string => some.toLowerCase().replace(/[\s\p{Cc}]+/gu, ' ');
          const [seen, source] = [plain(text!), plain(whole)];
          for (let at = 0; at + 16 <= seen.length; at++)
            expect(source).not.toContain(seen.slice(at, at + 16));
        },
      ),
    );
  });

  it('keeps only the prefix where a request is too long, or matches too often, to look through', () => {
    const error = `up answered 400: ${'abababab'.repeat(50)}`;
    expect(shown(error, 'abababab!'.repeat(900_000))).toBe('up answered 400: […]');
    expect(shown('up answered 400: no', 'x'.repeat(9_000_000))).toBe('up answered 400: […]');
    expect(shown('no colon', 'x'.repeat(9_000_000))).toBe('[…]');
    expect(shown('up answered 400: no', 'Some words. '.repeat(300_000))).toBe(
      'up answered 400: no',
    );
  });

  it('keeps the reason where the size of a request is that of its files', () => {
    const url = `data:image/png;base64,${'A'.repeat(9_000_000)}`;
    const said = 'up answered 400: the image is too large';
    expect(shown(said, [{ type: 'image_url', image_url: { url } }])).toBe(said);
  });
});
