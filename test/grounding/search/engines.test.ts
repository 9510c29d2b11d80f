import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.js';
import { searchDialects } from '../../../src/grounding/search/engines/configured-engines.js';
import { readResults } from '../../../src/grounding/search/read-results.js';
import type { SearchEngine, SearchQuery } from '../../../src/grounding/search/search-engine.js';
import { WebSearch } from '../../../src/grounding/search/web-search.js';
import { answerOf, type FoundPage } from '../../helpers/engine-answers.js';
import { runs } from '../../helpers/runs.js';
import { customEngineAt, engineAt, queryFor } from '../../helpers/searching.js';
import { startUpstream, type Upstream } from '../../helpers/upstream.js';

const pages: FoundPage[] = [
  {
    title: 'How oil lamps work',
    url: 'https://lamps.example/oil',
    text: 'A wick draws oil up to the flame.',
    date: '2026-03-05T10:30:00.000Z',
  },
  { title: 'Desk lamps', url: 'https://shop.example/desk', text: 'Lamps for desks.' },
];

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());
beforeEach(() => {
  upstream.requests.length = 0;
});

async function searching(engine: SearchEngine, query: SearchQuery) {
  const search = new WebSearch({
    engines: [engine],
    cacheMs: 0,
    wallClock: () => Date.parse('2026-11-22T12:00:00Z'),
  });
  try {
    return (await search.search(query)).results;
  } finally {
    await search.close();
  }
}

const everything: Partial<SearchQuery> = {
  maxResults: 3,
  recency: 'week',
  country: 'de',
  allowedDomains: ['lamps.example', 'https://www.shop.example/x'],
  blockedDomains: ['spam.example'],
};
const parametersOf = (path: string): Record<string, string> =>
  Object.fromEntries(new URL(path, 'http://127.0.0.1').searchParams);

const operators = '(site:lamps.example OR site:shop.example) -site:spam.example';

describe.each([
  {
    type: 'searxng' as const,
    path: '/search',
    date: '2026-03-05T10:30:00.000Z',
    parameters: {
      format: 'json',
      q: `lamps ${operators}`,
      time_range: 'week',
    },
    header: {},
  },
  {
    type: 'brave' as const,
    path: '/',
    date: '2026-03-05T10:30:00.000Z',
    parameters: {
      q: `lamps ${operators}`,
      count: '10',
      result_filter: 'web',
      text_decorations: 'false',
      freshness: 'pw',
      country: 'DE',
    },
    header: { 'x-subscription-token': 'secret-key-1' },
  },
  {
    type: 'tavily' as const,
    path: '/',
    date: '2026-03-05T10:30:00.000Z',
    body: {
      query: 'lamps',
      max_results: 3,
      time_range: 'week',
      country: 'germany',
      include_domains: ['lamps.example', 'shop.example'],
      exclude_domains: ['spam.example'],
    },
    header: { authorization: 'Bearer secret-key-1' },
  },
  {
    type: 'exa' as const,
    path: '/',
    date: '2026-03-05T10:30:00.000Z',
    body: {
      query: 'lamps',
      numResults: 3,
      contents: { highlights: true },
      startPublishedDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      userLocation: 'DE',
      includeDomains: ['lamps.example', 'shop.example'],
      excludeDomains: ['spam.example'],
    },
    header: { 'x-api-key': 'secret-key-1' },
  },
  {
    type: 'serper' as const,
    path: '/',
    date: '2026-03-05',
    body: { q: `lamps ${operators}`, num: 10, tbs: 'qdr:w', gl: 'de' },
    header: { 'x-api-key': 'secret-key-1' },
  },
  {
    type: 'perplexity' as const,
    path: '/',
    date: '2026-03-05',
    body: {
      query: 'lamps',
      max_results: 3,
      max_tokens_per_page: 512,
      search_recency_filter: 'week',
      country: 'DE',
      search_domain_filter: ['lamps.example', 'shop.example'],
    },
    header: { authorization: 'Bearer secret-key-1' },
  },
])('$type', ({ type, path, date, parameters, body, header }) => {
  it('is asked for recency, place and domains in its own words', async () => {
    upstream.script([{ status: 200, body: answerOf[type](pages) }]);
    await searching(engineAt(type, upstream.url), queryFor('lamps', everything));
    const sent = upstream.requests[0]!;
    expect(sent.path.split('?')[0]).toBe(path);
    expect(sent.headers).toMatchObject({
      ...header,
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^Signalbox\//) as string,
    });
    if (parameters) expect(parametersOf(sent.path)).toEqual(parameters);
    if (body) expect(sent.body).toEqual(body);
  });

  it('is asked for nothing that nobody wants', async () => {
    upstream.script([{ status: 200, body: answerOf[type](pages) }]);
    await searching(engineAt(type, upstream.url), queryFor('lamps'));
    const sent = upstream.requests[0]!;
    const text = JSON.stringify(sent.body ?? parametersOf(sent.path));
    expect(text).not.toMatch(/null|undefined|site:|country|lang|domain|recency|range/i);
  });

  it('answers in the common shape', async () => {
    upstream.script([{ status: 200, body: answerOf[type](pages) }]);
    const results = await searching(engineAt(type, upstream.url), queryFor('lamps'));
    expect(results).toEqual([
      {
        title: 'How oil lamps work',
        url: 'https://lamps.example/oil',
        snippet: 'A wick draws oil up to the flame.',
        publishedAt: date,
        engine: type,
      },
      {
        title: 'Desk lamps',
        url: 'https://shop.example/desk',
        snippet: 'Lamps for desks.',
        publishedAt: type === 'perplexity' ? '2026-10-01' : null,
        engine: type,
      },
    ]);
  });

  it('finds nothing without failing', async () => {
    upstream.script([{ status: 200, body: answerOf[type]([]) }]);
    expect(await searching(engineAt(type, upstream.url), queryFor('lamps'))).toEqual([]);
  });

  it('gives no pages of other domains, even if it ignores what it was asked for', async () => {
    const found = [
      ...pages,
      { ...pages[0]!, url: 'https://notlamps.example/' },
      { ...pages[0]!, url: 'https://a.spam.lamps.example/x' },
      { ...pages[0]!, url: 'https://deep.lamps.example/x' },
    ];
    upstream.script([{ status: 200, body: answerOf[type](found) }]);
    const results = await searching(
      engineAt(type, upstream.url),
      queryFor('lamps', {
        allowedDomains: ['lamps.example'],
        blockedDomains: ['*.spam.lamps.example'],
      }),
    );
    expect(results.map(({ url }) => url)).toEqual([
      'https://lamps.example/oil',
      'https://deep.lamps.example/x',
    ]);
  });

  it('refuses an answer of another shape', async () => {
    for (const other of ['<html>Sign in</html>', { ok: true }, [], null, '']) {
      upstream.script([{ status: 200, body: other }]);
      await expect(searching(engineAt(type, upstream.url), queryFor('x'))).rejects.toMatchObject({
        code: 'unreadable_answer',
        message: expect.stringContaining(`${type} sent an unreadable answer`) as string,
      });
    }
  });

  it('skips what is no result', async () => {
    const [good] = pages;
    const strange = [
      { ...good!, url: 'ftp://lamps.example/' },
      { ...good!, url: 'javascript:alert(1)' },
      { ...good!, url: 'https://user:password@lamps.example/' },
    ].map((page) => ({ ...page, parsed: true }));
    const body = JSON.stringify(answerOf[type]([good!]));
    const hostile = strange.map(({ url }) => body.replaceAll(good!.url, url));
    for (const text of hostile) {
      upstream.script([{ status: 200, body: text }]);
      expect(await searching(engineAt(type, upstream.url), queryFor('x'))).toEqual([]);
    }
  });
});

const errors = [
  [
    'searxng',
    403,
    '<!doctype html><title>403 Forbidden</title>',
    'not_configured',
    '`- json` to `search.formats`',
  ],
  ['searxng', 429, 'Too Many Requests', 'rate_limited', 'limiter.toml'],
  ['searxng', 500, 'Internal Server Error', 'upstream_error', 'searxng answered 500'],
  [
    'brave',
    422,
    {
      type: 'ErrorResponse',
      error: {
        id: 'x',
        status: 422,
        code: 'SUBSCRIPTION_TOKEN_INVALID',
        detail: 'The provided subscription token is invalid.',
      },
    },
    'provider_auth',
    'subscription token is invalid',
  ],
  [
    'brave',
    422,
    {
      type: 'ErrorResponse',
      error: {
        id: 'x',
        status: 422,
        code: 'VALIDATION',
        detail: 'Unable to validate request parameter(s)',
        meta: {},
      },
    },
    'request_refused',
    'Unable to validate',
  ],
  [
    'tavily',
    401,
    { detail: { error: 'Unauthorized: missing or invalid API key.' } },
    'provider_auth',
    'invalid API key',
  ],
  [
    'tavily',
    432,
    { detail: { error: "This request exceeds your plan's set usage limit." } },
    'provider_auth',
    'usage limit',
  ],
  ['tavily', 400, { detail: { error: 'Invalid country.' } }, 'request_refused', 'Invalid country'],
  [
    'tavily',
    429,
    { detail: { error: 'Your request has been blocked due to excessive requests.' } },
    'rate_limited',
    'excessive requests',
  ],
  [
    'exa',
    401,
    { requestId: 'x', error: 'Invalid API key', tag: 'INVALID_API_KEY' },
    'provider_auth',
    'Invalid API key',
  ],
  [
    'exa',
    402,
    { requestId: 'x', error: 'You are out of credits', tag: 'NO_MORE_CREDITS' },
    'quota_exhausted',
    'out of credits',
  ],
  ['exa', 429, { error: 'Too many requests' }, 'rate_limited', 'Too many requests'],
  ['serper', 403, { message: 'Unauthorized.', statusCode: 403 }, 'provider_auth', 'Unauthorized.'],
  [
    'serper',
    400,
    { message: 'Not enough credits', statusCode: 400 },
    'provider_auth',
    'Not enough credits',
  ],
  [
    'serper',
    400,
    { message: 'Missing query parameter', statusCode: 400 },
    'request_refused',
    'Missing query',
  ],
  [
    'perplexity',
    401,
    { error: { message: 'Invalid API key', type: 'authentication_error', code: 401 } },
    'provider_auth',
    'Invalid API key',
  ],
  [
    'perplexity',
    422,
    { detail: [{ loc: ['body', 'query'], msg: 'Field required', type: 'missing' }] },
    'request_refused',
    'Field required',
  ],
  ['perplexity', 404, '', 'not_configured', 'perplexity answered 404'],
  ['exa', 503, 'down', 'upstream_overloaded', 'exa answered 503'],
  ['brave', 302, '', 'not_configured', 'redirects are not followed'],
] as const;

describe('an error of an engine', () => {
  it.each(errors)('%s %i is understood (%j → %s)', async (type, status, body, code, text) => {
    upstream.script([{ status, body, headers: { location: '/elsewhere' } }]);
    await expect(searching(engineAt(type, upstream.url), queryFor('x'))).rejects.toMatchObject({
      code,
      upstreamStatus: status,
      message: expect.stringContaining(text) as string,
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it('says how long to wait, by Retry-After or by windows of a rate limit', async () => {
    upstream.script([{ status: 429, body: {}, headers: { 'retry-after': '7' } }]);
    await expect(searching(engineAt('tavily', upstream.url), queryFor('x'))).rejects.toMatchObject({
      retryAfterMs: 7_000,
    });
    const headers = {
      'x-ratelimit-limit': '1, 2000',
      'x-ratelimit-remaining': '1, 0',
      'x-ratelimit-reset': '1, 86400',
    };
    upstream.script([{ status: 429, body: {}, headers }]);
    await expect(searching(engineAt('brave', upstream.url), queryFor('x'))).rejects.toMatchObject({
      retryAfterMs: 86_400_000,
    });
  });

  it('contains neither keys nor headers nor the query', async () => {
    const said = 'key secret-key-1, token abcdef-header, asked for my private question';
    upstream.script([{ status: 400, body: { error: said } }]);
    const engine = engineAt('exa', upstream.url, {
      headers: { Authorization: 'Token abcdef-header' },
    });
    const error: unknown = await searching(engine, queryFor('my private question')).catch(
      (failure: unknown) => failure,
    );
    expect(String(error)).toContain('exa answered 400');
    expect(String(error)).not.toMatch(/secret-key-1|abcdef-header|private question/);
    expect((error as Error).cause).toBeUndefined();
  });

  it('tells of engines that SearXNG could not reach, if nothing was found', async () => {
    upstream.script([{ status: 200, body: answerOf.searxng([], ['google', 'bing']) }]);
    await expect(searching(engineAt('searxng', upstream.url), queryFor('x'))).rejects.toMatchObject(
      {
        code: 'upstream_overloaded',
        message: 'searxng found nothing because engines behind it did not answer: google, bing',
      },
    );
    upstream.script([{ status: 200, body: answerOf.searxng(pages, ['google']) }]);
    expect(await searching(engineAt('searxng', upstream.url), queryFor('x'))).toHaveLength(2);
  });
});

describe('an engine', () => {
  it('is called below the configured path of SearXNG, with its operator’s headers', async () => {
    upstream.script([{ status: 200, body: answerOf.searxng(pages) }]);
    for (const base of ['/searxng', '/searxng/', '/searxng/search']) {
      const headers = { 'X-Team': 'blue' };
      await searching(engineAt('searxng', `${upstream.url}${base}`, { headers }), queryFor('x'));
    }
    expect(upstream.requests.map(({ path }) => path.split('?')[0])).toEqual(
      Array(3).fill('/searxng/search'),
    );
    expect(upstream.requests[0]!.headers).toMatchObject({ 'x-team': 'blue' });
  });

  it('may have its credentials or its key in its address, which no error repeats', async () => {
    const { host } = new URL(upstream.url);
    const url = `http://me:pass%20word@${host}/search?token=0123456789abcdef`;
    const basic = Buffer.from('me:pass word').toString('base64');
    upstream.script([
      (call) => ({ status: 400, body: { error: `${call.path} ${call.headers.authorization}` } }),
    ]);
    const error: unknown = await searching(engineAt('searxng', url), queryFor('lamps')).catch(
      (failure: unknown) => failure,
    );
    expect(upstream.requests[0]!.headers.authorization).toBe(`Basic ${basic}`);
    expect(upstream.requests[0]!.path).toContain('token=0123456789abcdef');
    expect(String(error)).toContain('searxng answered 400');
    expect(String(error)).not.toContain('0123456789abcdef');
    expect(String(error)).not.toContain(basic);
  });

  it.each([
    ['tavily', (text: string) => answerOf.tavily(pages, text), { include_raw_content: 'text' }],
    ['exa', (text: string) => answerOf.exa(pages, text), { contents: { text: {} } }],
    [
      'perplexity',
      (text: string) => answerOf.perplexity([{ ...pages[0]!, text }]),
      { max_tokens_per_page: 4096 },
    ],
  ] as const)('%s gives the texts of pages if it is configured to', async (type, answer, asked) => {
    const text = `All about lamps.\n\n${'They shine. '.repeat(300)}`.trim();
    upstream.script([{ status: 200, body: answer(text) }]);
    const engine = engineAt(type, upstream.url, { content: true });
    const [first] = await searching(engine, queryFor('lamps'));
    expect(upstream.requests[0]!.body).toMatchObject(asked);
    expect(first!.content).toBe(text);
    expect(first!.snippet.length).toBeLessThanOrEqual(1_500);
  });

  it('gets no longer query than it takes, cut at a word', async () => {
    const words = Array.from({ length: 120 }, (_, index) => `word${index}`);
    for (const type of ['brave', 'tavily'] as const) {
      upstream.requests.length = 0;
      upstream.script([{ status: 200, body: answerOf[type](pages) }]);
      await searching(
        engineAt(type, upstream.url),
        queryFor(words.join(' '), { blockedDomains: ['spam.example'] }),
      );
      const { body, path } = upstream.requests[0]!;
      const sent = (body?.['query'] as string | undefined) ?? parametersOf(path)['q']!;
      expect(sent.length).toBeLessThanOrEqual(400);
      expect(words).toContain(sent.split(' ').at(-1));
      if (type === 'brave') expect(sent.split(' ').length).toBeLessThanOrEqual(50);
    }
  });

  it.each([
    ['brave', { country: 'SG' }, { country: 'ALL' }],
    ['brave', { country: 'JP' }, { country: 'JP' }],
    ['tavily', { country: 'cz' }, { country: 'czech republic' }],
    ['tavily', { country: 'GB' }, { country: 'united kingdom' }],
    ['tavily', { country: 'AQ' }, { country: undefined }],
  ] as const)('%s gets %j as %j', async (type, query, expected) => {
    upstream.script([{ status: 200, body: answerOf[type](pages) }]);
    await searching(engineAt(type, upstream.url), queryFor('x', query));
    const { body, path } = upstream.requests[0]!;
    const sent: Record<string, unknown> = body ?? parametersOf(path);
    for (const [name, value] of Object.entries(expected)) expect(sent[name]).toBe(value);
  });

  it('may mark words and escape signs, which the results do not', async () => {
    const page = {
      title: 'Tom &amp; Jerry&#x27;s <strong>lamps</strong>',
      url: 'https://lamps.example/',
      text: '<strong>Lamps</strong>\n  &lt;b&gt; &amp;amp; more\u0007',
    };
    upstream.script([{ status: 200, body: answerOf.brave([page]) }]);
    const [result] = await searching(engineAt('brave', upstream.url), queryFor('lamps'));
    expect(result).toMatchObject({ title: "Tom & Jerry's lamps", snippet: 'Lamps <b> &amp; more' });
  });

  it('may blow up its results without filling the memory', async () => {
    const long = 'x'.repeat(300_000);
    const many = Array.from({ length: 500 }, (_, n) => ({
      title: long.slice(0, 400),
      url: `https://lamps.example/${n}`,
      text: 'y',
    }));
    upstream.script([{ status: 200, body: answerOf.tavily(many, long.slice(0, 10_000)) }]);
    const results = await searching(
      engineAt('tavily', upstream.url),
      queryFor('x', { maxResults: 1_000 }),
    );
    expect(results).toHaveLength(200);
    expect(results[0]!.title).toHaveLength(300);
    upstream.script([{ status: 200, body: `{"results": [], "pad": "${long.repeat(30)}"}` }]);
    await expect(searching(engineAt('exa', upstream.url), queryFor('x'))).rejects.toMatchObject({
      code: 'unreadable_answer',
      message: 'exa sent an unreadable answer: larger than 8388608 bytes',
    });
  });
});

describe('any JSON', () => {
  const dialects = Object.entries(searchDialects);
  const query = queryFor('lamps', { maxResults: 50 });
  const words = ['results', 'organic', 'web', 'type', 'search', 'url', 'link', 'title', 'snippet'];
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(
        null,
        true,
        7,
        '',
        'search',
        'https://lamps.example/a',
        '3 days ago',
      ),
      fc.string(),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(
        fc.constantFrom(
          ...words,
          'highlights',
          'date',
          'content',
          'unresponsive_engines',
          '__proto__',
        ),
        tie('tree'),
      ),
    ),
  }));

  it.each(dialects)(
    'from %s gives results of the common shape, or a failure',
    (engine, dialect) => {
      const request = dialect.buildRequest(query, { url: null, content: false }, null);
      fc.assert(
        fc.property(tree, fc.boolean(), (body, isInList) => {
          const answer = isInList
            ? { type: 'search', results: [body], organic: [body], web: { results: [body] } }
            : body;
          let raw;
          try {
            raw = dialect.readResults(answer, request);
          } catch (error) {
            expect(error).toBeInstanceOf(GatewayError);
            return;
          }
          const results = readResults(raw ?? [], {
            query,
            engine,
            dropsOld: true,
            now: Date.now(),
          });
          for (const { title, url, snippet, publishedAt, content = '' } of results) {
            for (const text of [title, url, snippet, content, publishedAt ?? ''])
              expect(typeof text).toBe('string');
            expect(url).toMatch(/^https?:/);
            expect(title).not.toBe('');
          }
        }),
        { numRuns: runs(1_000) },
      );
    },
  );

  it('is counted after it is unpacked', async () => {
    const body = gzipSync(`{"results": [], "pad": "${' '.repeat(40_000_000)}"}`);
    expect(body.length).toBeLessThan(100_000);
    upstream.script([{ status: 200, body, headers: { 'content-encoding': 'gzip' } }]);
    await expect(searching(engineAt('exa', upstream.url), queryFor('x'))).rejects.toMatchObject({
      message: expect.stringContaining('larger than') as string,
    });
  });
});

describe('a custom engine', () => {
  const body = { items: [{ name: 'Lamps', href: '/oil', text: 'A wick.', on: '2026-03-05' }] };

  it('is asked by a template and read by pointers, with links relative to its address', async () => {
    upstream.script([{ status: 200, body: { data: { hits: [{ a: ['Lamps'], 'b/c': '/oil' }] } } }]);
    const engine = customEngineAt({
      url: `${upstream.url}/find?q={query}&n={count}&lang={language}&c={country}`,
      results: '/data/hits',
      title: '/a/0',
      link: '/b~1c',
      snippet: null,
    });
    const results = await searching(engine, queryFor('lámps & more?', { country: 'DE' }));
    expect(upstream.requests[0]!.path).toBe('/find?q=l%C3%A1mps%20%26%20more%3F&n=5&lang=&c=DE');
    expect(results).toEqual([
      {
        title: 'Lamps',
        url: `${upstream.url}/oil`,
        snippet: '',
        publishedAt: null,
        engine: 'custom',
      },
    ]);
  });

  it('may take JSON, in which numbers stay numbers', async () => {
    upstream.script([{ status: 200, body }]);
    const engine = customEngineAt(
      {
        url: `${upstream.url}/find`,
        body: { q: 'site {query}', size: '{count}', deep: [{ since: '{recency}' }], on: true },
        date: '/on',
      },
      { apiKeys: ['custom-key-1'] },
    );
    const results = await searching(engine, queryFor('"lamps" {count}', { recency: 'year' }));
    expect(upstream.requests[0]).toMatchObject({
      method: 'POST',
      headers: { authorization: 'Bearer custom-key-1', 'content-type': 'application/json' },
      body: { q: 'site "lamps" {count}', size: 5, deep: [{ since: 'year' }], on: true },
    });
    expect(results).toMatchObject([{ publishedAt: '2026-03-05' }]);
  });

  it('that knows no recency has results dropped that say they are too old', async () => {
    const items = ['2026-11-20', '2026-10-01', undefined, 'Jan 5, 2020'].map((on, index) => ({
      name: 'Lamps',
      href: `/${index}`,
      on,
    }));
    upstream.script([{ status: 200, body: { items } }]);
    const engine = customEngineAt({ url: `${upstream.url}/?q={query}`, date: '/on' });
    const results = await searching(engine, queryFor('lamps', { recency: 'week' }));
    expect(results.map(({ url }) => new URL(url).pathname)).toEqual(['/0', '/2']);
  });

  it('without the list of results is unreadable', async () => {
    upstream.script([{ status: 200, body: { items: {} } }]);
    await expect(
      searching(customEngineAt({ url: `${upstream.url}/?q={query}` }), queryFor('x')),
    ).rejects.toMatchObject({ code: 'unreadable_answer' });
  });
});
