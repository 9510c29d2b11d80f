import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalUrl } from '../../../src/grounding/search/canonical-url.js';
import { uniqueResults } from '../../../src/grounding/search/read-results.js';
import type { SearchResult } from '../../../src/grounding/search/search-engine.js';
import { runs } from '../../helpers/runs.js';

const samePages: readonly (readonly [string, ...string[]])[] = [
  [
    'https://example.org/a/b?x=1',
    'http://example.org/a/b?x=1',
    'https://EXAMPLE.org:443/a/b/?x=1#part',
    'https://www.example.org./a/./c/../b?x=1&utm_source=mail&UTM_Campaign=spring',
    ' https://example.org/a/b?gclid=abc&x=1&fbclid=def#:~:text=lamps',
    'https://example.org/%61/b?x=1&',
    'https://www.google.com/amp/s/www.example.org/a/b?x=1',
    'https://example-org.cdn.ampproject.org/c/s/example.org/a/b?x=1',
  ],
  [
    'https://example.org/?a=1&b=2',
    'https://example.org?b=2&a=1',
    'https://example.org/?b=2&a=1&_ga=9',
  ],
  ['https://example.org/%2Fx', 'https://example.org/%2fx'],
  ['https://münchen.example/straße', 'https://xn--mnchen-3ya.example/stra%C3%9fe'],
  ['https://example.org/app#!/lamps', 'https://example.org/app/#!/lamps'],
  ['http://3..', 'http://0.0.0.3/'],
];

const otherPages: readonly string[] = [
  'https://example.org/',
  'https://example.org/A',
  'https://example.org/a',
  'https://example.org/a/amp',
  'https://example.org/a?amp=1',
  'https://amp.example.org/a',
  'https://m.example.org/a',
  'https://example.org:8443/a',
  'https://example.com/a',
  'https://wwwexample.org/a',
  'https://example.org/a?ref=branch',
  'https://example.org/a?id=1',
  'https://example.org/a?id=2',
  'https://example.org/a?id=2&id=1',
  'https://example.org/a?id=1&id=2',
  'https://example.org/a?ID',
  'https://example.org/a%2Fb',
  'https://example.org/a/b',
  'https://example.org/a+b',
  'https://example.org/a%20b',
  'https://example.org/a#/one',
  'https://example.org/a#/two',
  'https://example.org/a#!one',
  'https://www.google.com/amp/lamps',
];

describe('a canonical URL', () => {
  it.each(samePages)('is one for all addresses of a page: %s', (first, ...others) => {
    for (const other of others) expect(canonicalUrl(other)).toBe(canonicalUrl(first));
  });

  it('differs for pages that may differ', () => {
    expect(new Set(otherPages.map(canonicalUrl)).size).toBe(otherPages.length);
  });

  it.each(['', 'no address', 'mailto:a@example.org', 'http://', 'https://%', 'ftp://a.example/b'])(
    'of %j, which is no page, is what it is',
    (text) => expect(canonicalUrl(text)).toBe(text),
  );

  const piece = fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc
      .array(
        fc.constantFrom(
          ...['http://', 'https://', 'www.', 'google.com', '/amp/', 's/', 'x.cdn.ampproject.org'],
          ...[
            '/c/',
            '.',
            'a',
            ':443',
            ':80',
            '?',
            '&',
            '=',
            '%',
            '%41',
            '3',
            '1',
            '%25',
            '%2F',
            '#',
          ],
          ...[
            '#!',
            '#/',
            'utm_',
            'utm%5F',
            'gclid=1',
            '//',
            '@',
            'é',
            ' ',
            '\u{1F600}',
            '\\',
            '..',
          ],
        ),
        { maxLength: 14 },
      )
      .map((parts) => parts.join('')),
    fc
      .array(fc.constantFrom('www.', 'a.', '%', '%4', '1', '?', '&', 'utm_a', '%5', 'F', '/'), {
        maxLength: 12,
      })
      .map((parts) => `http://${parts.join('')}`),
  );

  it('is its own canonical URL, and never throws', () => {
    fc.assert(
      fc.property(piece, (address) => {
        const once = canonicalUrl(address);
        expect(canonicalUrl(once)).toBe(once);
      }),
      { numRuns: runs(20_000) },
    );
  });

  it('takes no longer for hostile addresses than for others', () => {
    for (const part of [
      '%41',
      '%',
      '&utm_a=',
      '/',
      '.',
      'www.',
      '#!',
      '%4%31',
      'https://google.com/amp/s/',
    ])
      canonicalUrl(`https://example.org/${part.repeat(1_000_000 / part.length)}`);
    for (const part of ['%41', '&a=1', '/', '%4%31'])
      canonicalUrl(`https://example.org/?${part.repeat(8_000 / part.length)}`);
  });
});

describe('results of one page', () => {
  const result = (url: string, more: Partial<SearchResult> = {}): SearchResult => ({
    title: url,
    url,
    snippet: '',
    publishedAt: null,
    engine: 'brave',
    ...more,
  });

  it('become one, in the place of the first, with what the others know', () => {
    expect(
      uniqueResults([
        result('https://a.example/', { snippet: 'short' }),
        result('https://b.example/'),
        result('http://www.a.example/?utm_source=x', {
          snippet: 'a longer one',
          publishedAt: '2026-01-02',
          content: 'text',
        }),
      ]),
    ).toEqual([
      {
        title: 'https://a.example/',
        url: 'https://a.example/',
        snippet: 'a longer one',
        publishedAt: '2026-01-02',
        content: 'text',
        engine: 'brave',
      },
      result('https://b.example/'),
    ]);
  });
});
