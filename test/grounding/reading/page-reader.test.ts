import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { page, startWeb, type LocalWeb, webReader, redirect } from '../../helpers/local-web.js';
import type { PageReader } from '../../../src/grounding/reading/page-reader.js';

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

beforeAll(async () => {
  web = await startWeb({ '/a/article': page(article), '/moved': redirect('/a/article#top', 301) });
  reader = webReader(web);
});
afterAll(async () => {
  reader.close();
  await web.close();
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
