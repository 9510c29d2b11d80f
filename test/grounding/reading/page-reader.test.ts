import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { page, startWeb, type LocalWeb, webReader, redirect } from '../../helpers/local-web.js';
import { until } from '../../helpers/until.js';
import type { PageError } from '../../../src/grounding/reading/page-error.js';
import { PageReader } from '../../../src/grounding/reading/page-reader.js';

const paragraph = (about: string): string =>
  `<p>${`The ${about} opened in 1869, and since then ships pass from one sea to the other. `.repeat(8)}</p>`;
const article = `<!doctype html><html><head><title>How the great canals were built | Example</title>
<meta property="article:published_time" content="2024-05-06T07:08:09+02:00"></head><body>
<nav><a href="/">Home</a> <a href="/about">About us</a></nav>
<article><h1>Canals</h1>${paragraph('first canal')}<h2>Locks</h2>${paragraph('second canal')}
<ul><li>Suez</li><li><a href="../panama?x=1#locks">Panama</a></li></ul>
<table><tr><th>Canal</th><th>km</th></tr><tr><td>Suez</td><td>193</td></tr></table>
</article><footer>Imprint</footer><script>alert('no')</script></body></html>`;

let web: LocalWeb;
let reader: PageReader;
const others: LocalWeb[] = [];

beforeAll(async () => {
  web = await startWeb({ '/a/article': page(article), '/moved': redirect('/a/article#top', 301) });
  reader = webReader(web);
});
afterAll(async () => {
  reader.close();
  for (const other of others) await other.close();
  await web.close();
});

describe('a reader', () => {
  const failure = (reading: Promise<unknown>): Promise<unknown> =>
    reading.then(
      () => 'was read',
      (error: unknown) => (error as PageError).code,
    );
  /** Answers when it is told to. */
  const silentWeb = async (): Promise<LocalWeb> => {
    const silent = await startWeb({ '/': () => undefined, '/other': page(article) });
    others.push(silent);
    return silent;
  };

  it('reads a few pages at once; others wait, and may be given up', async () => {
    const silent = await silentWeb();
    const two = webReader(silent, { maxConcurrent: 2 });
    const cancellation = new AbortController();
    const { signal } = cancellation;
    const all = [1, 2, 3, 4].map(() => failure(two.read(silent.url('/'), { signal })));
    const other = two.read(silent.url('/other'));
    await until(() => silent.requests.length === 2);
    cancellation.abort();
    expect(await Promise.all(all)).toEqual(Array(4).fill('cancelled'));
    expect((await other).title).toBe('How the great canals were built');
    expect(silent.requests.map(({ url }) => url)).toEqual(['/', '/', '/other']);
    two.close();
  });

  it('ends what runs and waits when it is closed, and reads nothing more', async () => {
    const silent = await silentWeb();
    const one = webReader(silent, { maxConcurrent: 1 });
    const all = [1, 2].map(() => failure(one.read(silent.url('/'))));
    await until(() => silent.requests.length === 1);
    one.close();
    expect(await Promise.all(all)).toEqual(['closed', 'closed']);
    expect(await failure(one.read(silent.url('/')))).toBe('closed');
    expect(silent.requests).toHaveLength(1);
  });

  it('does not begin what was cancelled before', async () => {
    const silent = await silentWeb();
    const one = webReader(silent);
    const signal = AbortSignal.abort();
    expect(await failure(one.read(silent.url('/'), { signal }))).toBe('cancelled');
    expect(silent.connections).toBe(0);
    one.close();
  });

  it('sends nothing to a host that does not speak TLS where it should', async () => {
    const url = `https://web.example:${web.port}/a/article`;
    const before = web.requests.length;
    expect(await failure(reader.read(url))).toBe('unreachable');
    expect(web.requests).toHaveLength(before);
  });

  it.each(['a/b', 'user@host', 'http://a', 'a b', '', ':80', '[::1'])(
    'is not made for a host that is none: %j',
    (host) => {
      expect(() => new PageReader({ allowPrivateHosts: [host] })).toThrow('allowPrivateHosts');
    },
  );
});

describe('a page', () => {
  it('is read as text with its headings, lists, links and tables', async () => {
    const read = await reader.read(web.url('/moved'));
    expect(read).toMatchObject({
      url: web.url('/a/article'),
      title: 'How the great canals were built',
      publishedAt: '2024-05-06T05:08:09.000Z',
      contentType: 'text/html',
      isTruncated: false,
      bytes: Buffer.byteLength(article),
    });
    expect(read.text).toMatch(/^The first canal opened in 1869/);
    expect(read.text).toContain('\n\n## Locks\n\n');
    expect(read.text).toContain(`\n- Suez\n- [Panama](${web.url('/panama?x=1#locks')})\n`);
    expect(read.text).toContain('\nCanal | km\nSuez | 193');
    expect(read.text).not.toMatch(/Imprint|alert|About us/);
    expect(Date.parse(read.fetchedAt)).toBeGreaterThan(Date.now() - 60_000);
  });
});
