import { TextDecoder } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../src/grounding/reading/extraction/decode-text.js';
import { runExtraction } from '../../../src/grounding/reading/extraction/run-extraction.js';
import { scanHtml } from '../../../src/grounding/reading/extraction/scan-html.js';
import type {
  ExtractedText,
  ExtractionMessage,
  ExtractionTask,
} from '../../../src/grounding/reading/extraction/task.js';
import { makePdf, pdfLines } from '../../helpers/make-pdf.js';
import { runs } from '../../helpers/runs.js';

const from = 'https://example.com/a/b?c';
const textOf = (html: string): string => scanHtml(html, from, 100_000).text;

async function extract(
  kind: ExtractionTask['kind'],
  document: string | Uint8Array,
): Promise<ExtractedText> {
  const messages: ExtractionMessage[] = [];
  const limits = { maxTextLength: 100_000, maxPdfPages: 10 };
  const bytes = new Uint8Array(Buffer.from(document));
  await runExtraction({ kind, bytes, url: from, charset: null, limits }, (message) =>
    messages.push(message),
  );
  const end = messages.at(-1);
  if (end?.kind !== 'end') throw new Error(`no text: ${JSON.stringify(end)}`);
  return end.page;
}

describe('the text of HTML', () => {
  it.each([
    [
      'headings',
      '<h1>One</h1>text<h3> Two\n words </h3>more',
      '# One\n\ntext\n\n### Two words\n\nmore',
    ],
    ['paragraphs', '<p>One<p>Two<div>Three</div>Four<br>Five', 'One\n\nTwo\n\nThree\nFour\nFive'],
    ['white space', '<p> a\n\t b <b> c</b> d<i>e</i></p>', 'a b c de'],
    [
      'lists',
      '<ul><li>a<li><p>b</p><ol start=3><li>c<li>d</ol><li></ul>',
      '- a\n- b\n\n  1. c\n  2. d',
    ],
    ['definitions', '<dl><dt>a<dd>b</dl>', 'a\nb'],
    ['preformatted text', '<pre>a\n  b\r\n\n c</pre>', 'a\n  b\n\n c'],
    [
      'tables',
      '<table><tr><th>a<th>b<tr><td>1<td><p>2</p><p>3</p><tr><td><td>4</table>',
      'a | b\n1 | 2 3\n| 4',
    ],
    [
      'tables of layout',
      `<table><tr><td><h2>a</h2><p>${'word '.repeat(80)}</p></td><td>b</td></tr></table>`,
      `## a\n\n${'word '.repeat(80).trim()}\n\nb`,
    ],
    [
      'links',
      '<p>See <a href="/x?y=1">the <b>page</b></a>, ok',
      'See [the page](https://example.com/x?y=1), ok',
    ],
    ['links in lists', '<ul><li><a href=c>d</a></ul>', '- [d](https://example.com/a/c)'],
    [
      'links around blocks',
      '<a href="/x"><h2>Title</h2><p>Words</p></a>',
      '## Title\n\nWords (https://example.com/x)',
    ],
    ['links with brackets', '<a href="/x_(y)">z</a>', '[z](https://example.com/x_%28y%29)'],
    ['links without text', 'a<a href="/x"> </a>b', 'a b'],
    [
      'links that are not pages',
      '<a href="#a">b</a> <a href="javascript:x">c</a> <a href="mailto:a@b.c">d</a> <a href="http://u:p@x.y/">e</a> <a>f</a>',
      'b c d e f',
    ],
    [
      'a base',
      '<base href="https://other.example/z/"><a href=q>r</a>',
      '[r](https://other.example/z/q)',
    ],
    [
      'a base that is none',
      '<base href="javascript:x"><a href=q>r</a>',
      '[r](https://example.com/a/q)',
    ],
    ['entities', 'a &lt;b&gt; &amp;amp; &#x41;&nbsp;c', 'a <b> &amp; A c'],
    [
      'elements that are not shown',
      '<style>a{}</style>b<svg><text>c</text></svg><select><option>d</select>',
      'b',
    ],
    ['markup that is broken', '<p>a<b>b</p>c</b></div>d<', 'ab\n\ncd<'],
  ])('has %s', (_, html, text) => {
    expect(textOf(html)).toBe(text);
  });

  it('is never longer than the limit, whatever the HTML', () => {
    const tag = fc.constantFrom(
      'a href=/x',
      'p',
      'td',
      'tr',
      'table',
      'li',
      'ul',
      'h2',
      'pre',
      'div hidden',
      'title',
    );
    const piece = fc.oneof(
      fc.string(),
      tag.map((name) => `<${name}>`),
      tag.map((name) => `</${name.split(' ')[0]!}>`),
      fc.constant('\u{1f600}'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.nat({ max: 80 }), (pieces, max) => {
        const { text } = scanHtml(pieces.join(''), from, max);
        expect(text.length).toBeLessThanOrEqual(max);
        expect(text).not.toMatch(/[\ud800-\udfff]/u);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('keeps all words that people see, in their order', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    const inline = fc.constantFrom('b', 'i', 'span', 'em');
    const block = fc.constantFrom('p', 'div', 'section', 'li', 'h2', 'blockquote', 'td');
    const node = fc.oneof(
      word.map((text) => ({ html: ` ${text} `, words: [text] })),
      fc.tuple(inline, word).map(([name, text]) => ({
        html: ` <${name}>${text}</${name}> `,
        words: [text],
      })),
      fc.tuple(block, fc.array(word)).map(([name, words]) => ({
        html: `<${name}>${words.join(' ')}</${name}>`,
        words,
      })),
    );
    fc.assert(
      fc.property(fc.array(node), (nodes) => {
        const text = textOf(nodes.map(({ html }) => html).join(''));
        expect(text.match(/[a-z]+/g) ?? []).toEqual(nodes.flatMap(({ words }) => words));
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe('a page in HTML', () => {
  const words = 'Ships pass the canal, day and night, from one sea to the other. ';
  it('is its main part, if it has one', async () => {
    const nav = `<ul>${'<li><a href="/x">Menu</a>'.repeat(20)}</ul>`;
    const article = `<article><h1>Canals</h1>${`<p>${words.repeat(5)}</p>`.repeat(5)}</article>`;
    const found = await extract('html', `<title>T</title>${nav}${article}<footer>Imprint`);
    expect(found.text).toMatch(/^(#+ Canals\s+)?Ships pass the canal/);
    expect(found.text).not.toMatch(/Menu|Imprint/);
  });

  it('is all of it, if it has no main part', async () => {
    const list = Array.from({ length: 30 }, (_, at) => `<li><a href="/${at}">Item ${at}</a>`);
    const { text } = await extract('html', `<title>T</title><ul>${list.join('')}</ul>`);
    expect(text).toContain('- [Item 0](https://example.com/0)\n- [Item 1](https://example.com/1)');
    expect(text).toContain('Item 29');
  });

  it.each([
    ['<meta property="og:title" content=" A \n b "><title>c</title>', 'A b'],
    ['<title>C &amp; d</title><h1>e</h1>', 'C & d'],
    ['<h1>E <b>f</b></h1><h1>g</h1>', 'E f'],
    ['<svg><title>icon</title></svg><p>x', null],
    ['<p>x', null],
  ])('has the title that it says: %s', async (html, title) => {
    expect((await extract('html', html)).title).toBe(title);
  });

  it.each([
    [
      '<meta property="article:published_time" content="2024-05-06T07:08:09+02:00">',
      '2024-05-06T05:08:09.000Z',
    ],
    ['<meta name="DC.date" content="2024-05-06">', '2024-05-06'],
    ['<meta itemprop="datePublished" content="2024-05-06">', '2024-05-06'],
    ['<time itemprop="datePublished" datetime="2024-05-06">May</time>', '2024-05-06'],
    ['<time pubdate datetime="2024-05-06">May</time>', '2024-05-06'],
    [
      '<script type="application/ld+json">{"@graph":[{"datePublished": "2024-05-06T07:08Z"}]}</script>',
      '2024-05-06T07:08:00.000Z',
    ],
    ['<time datetime="2024-05-06">an event</time>', null],
    ['<meta name="date" content="soon">', null],
    ['<meta name="date" content="2999-01-01">', null],
  ])('has the date that it says: %s', async (html, date) => {
    expect((await extract('html', `${html}<p>x`)).publishedAt).toBe(date);
  });
});

describe('other documents', () => {
  it('may be RSS', async () => {
    const rss = `<?xml version="1.0"?><rss><channel><title>News</title>
      <item><title>One &amp; all</title><link>https://example.com/1</link>
      <pubDate>Tue, 05 May 2026 10:00:00 +0200</pubDate>
      <description><![CDATA[<p>Some <b>words</b></p><script>x</script>]]></description></item>
      <item><title>Two</title><link>javascript:x</link></item></channel></rss>`;
    expect(await extract('xml', rss)).toMatchObject({
      title: 'News',
      text: '## One & all\n2026-05-05T08:00:00.000Z\nhttps://example.com/1\nSome words\n\n## Two',
    });
  });

  it('may be Atom', async () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><updated>2026-05-05T00:00:00Z</updated>
      <entry><title>One</title><link rel="edit" href="/no"/><link href="/1"/>
      <summary type="html">&lt;p&gt;Words</summary></entry></feed>`;
    expect(await extract('xml', atom)).toMatchObject({
      title: 'News',
      publishedAt: '2026-05-05T00:00:00.000Z',
      text: '## One\nhttps://example.com/1\nWords',
    });
  });

  it('may be other XML', async () => {
    const { text } = await extract('xml', '<urlset><url><loc>https://a.b/</loc></url></urlset>');
    expect(text).toBe('https://a.b/');
  });

  it('may be plain text or JSON, which stays as it is', async () => {
    const json = '{\r\n  "a": [1,\t2]\n}\n';
    expect((await extract('text', json)).text).toBe('{\n  "a": [1,\t2]\n}');
  });

  it('may be PDF', async () => {
    const pdf = makePdf([pdfLines('Hello wide', 'world'), pdfLines('Page two')], {
      compress: true,
      facts: '/Title(Canals)/CreationDate(D:20240506070809Z)',
    });
    expect(await extract('pdf', pdf)).toEqual({
      text: 'Hello wide\nworld\n\nPage two',
      title: 'Canals',
      publishedAt: '2024-05-06',
      isTruncated: false,
    });
  });
});

/** Text in a charset that Node.js decodes only: tries all pairs of bytes once. */
function encode(text: string, charset: string): Uint8Array {
  const decoder = new TextDecoder(charset);
  const known = new Map<string, number[]>();
  for (let first = 255; first >= 0; first--) {
    for (let second = 255; second >= 0x30 && first >= 0x80; second--)
      known.set(decoder.decode(new Uint8Array([first, second])), [first, second]);
    known.set(decoder.decode(new Uint8Array([first])), [first]);
  }
  // what Node.js 20 decodes wrongly
  if (charset === 'windows-1252')
    for (const [sign, byte] of [
      ['–', 0x96],
      ['„', 0x84],
      ['“', 0x93],
    ] as const)
      known.set(sign, [byte]);
  return new Uint8Array(Array.from(text).flatMap((sign) => known.get(sign) ?? [63]));
}

describe('the charset', () => {
  const samples = [
    ['shift_jis', '運河は1869年に開通しました。それ以来、船が通っています。'],
    ['euc-jp', '運河は1869年に開通しました。それ以来、船が通っています。'],
    ['euc-kr', '운하는 1869년에 개통되었고 그 이후로 배가 지나고 있습니다.'],
    ['gb18030', '这条运河于1869年开通，从那时起，船只就可以从一个海到另一个海了。'],
    ['big5', '這條運河於1869年開通，從那時起，船隻就可以從一個海到另一個海了。'],
    ['windows-1251', 'Канал был открыт в 1869 году, и с тех пор по нему проходят корабли.'],
    ['koi8-r', 'Канал был открыт в 1869 году, и с тех пор по нему проходят корабли.'],
    ['windows-1252', 'Der Kanal wurde für Schiffe geöffnet – übrigens „groß“, sagt François.'],
    ['utf-8', 'Der Kanal – 運河 – канал'],
  ] as const;
  const bytesOf = (text: string, charset: string): Uint8Array =>
    charset === 'utf-8' ? Buffer.from(text) : encode(text, charset);

  it.each(samples)('is guessed where nothing names it: %s', (charset, text) => {
    expect(decodeText(bytesOf(text, charset), null, false)).toBe(text);
  });

  it.each(samples)('is the one of the header: %s', (charset, text) => {
    const page = Buffer.concat([Buffer.from('<meta charset=utf-8>'), bytesOf(text, charset)]);
    expect(decodeText(page, charset.toUpperCase(), true)).toContain(text);
  });

  it.each(samples)('is the one that the document names: %s', (charset, text) => {
    const bytes = bytesOf(text, charset);
    for (const head of [
      `<html><head><meta charset="${charset}">`,
      `<meta http-equiv=Content-Type content='text/html; charset=${charset}'>`,
      `<?xml version="1.0" encoding='${charset}'?>`,
    ])
      expect(decodeText(Buffer.concat([Buffer.from(head), bytes]), null, true)).toBe(head + text);
  });

  it.each([
    [
      'windows-1252, though the header says utf-8',
      'windows-1252',
      'utf-8',
      '„Café“ – naïve façade',
    ],
    [
      'windows-1251, though the header says utf-8',
      'windows-1251',
      'utf-8',
      'Это город Москва, столица',
    ],
    ['shift_jis, though the header says utf-8', 'shift_jis', 'utf-8', 'これは日本語の文章です。'],
    ['utf-8, though the header says iso-8859-1', 'utf-8', 'iso-8859-1', '„Café“ – naïve façade'],
    ['utf-8, though the header says windows-1251', 'utf-8', 'windows-1251', 'Это город'],
    ['utf-8, though the header says gbk', 'utf-8', 'gbk', '中文的网页，我们在这里！'],
    ['utf-8, though the header says utf-16', 'utf-8', 'utf-16', '„Café“ – naïve façade'],
    [
      'utf-8, though the header says iso-2022-jp',
      'utf-8',
      'iso-2022-jp',
      'Zürich, 日本語の文章です',
    ],
    ['utf-8, though the header says euc-kr', 'utf-8', 'euc-kr', 'Ωμέγα – naïve 日本語の文章です'],
  ])('is read by what decodes: %s', (_name, charset, header, text) => {
    const bytes = charset === 'utf-8' ? Buffer.from(text) : bytesOf(text, charset);
    expect(decodeText(bytes, header, false)).toBe(text);
    const page = Buffer.concat([Buffer.from(`<meta charset="${charset}">`), bytes]);
    expect(decodeText(page, header, true)).toContain(text);
  });

  it('is the one that the document names where the header’s has no such characters', () => {
    const [charset, text] = samples[0];
    const page = Buffer.concat([
      Buffer.from(`<!-- <meta charset="koi8-r"> --><meta charset="${charset}">`),
      bytesOf(text, charset),
    ]);
    expect(decodeText(page, 'iso-8859-1', true)).toContain(text);
  });

  it.each([null, 'utf-8', 'iso-8859-1', 'gbk'])(
    'stays UTF-8 where a byte in the middle is of another, with the header %s',
    (header) => {
      const page = Buffer.concat([
        Buffer.from('Zürich, Köln, '),
        Buffer.from([0xfc]),
        Buffer.from(' und Münster'),
      ]);
      expect(decodeText(page, header, true)).toBe('Zürich, Köln, \ufffd und Münster');
    },
  );

  it('stays UTF-16 where its last character is cut', () => {
    const text = Buffer.from('\ufeffHi\ud83d', 'utf16le');
    expect(decodeText(text, null, true)).toBe('Hi\ufffd');
    expect(decodeText(text.subarray(0, -1), null, true)).toBe('Hi\ufffd');
  });

  it('stays UTF-8 where only a few bytes of it are broken', () => {
    const text = 'Zürich, Köln und Münster';
    const broken = Buffer.concat([Buffer.from(text), Buffer.from([0xc3])]);
    expect(decodeText(broken, 'utf-8', true)).toBe(`${text}\ufffd`);
  });

  it('is the one of the byte order mark before all', () => {
    const utf16 = Buffer.from('\ufeffHi – 運河', 'utf16le');
    expect(decodeText(utf16, 'iso-8859-1', true)).toBe('Hi – 運河');
    expect(decodeText(Buffer.from(utf16).swap16(), 'utf-8', true)).toBe('Hi – 運河');
    expect(decodeText(Buffer.from('\ufeffHi – 運河'), 'iso-8859-1', true)).toBe('Hi – 運河');
  });

  it('is guessed where its name is none', () => {
    for (const name of ['nonsense', 'utf-7', 'x', 'iso-2022-kr'])
      expect(decodeText(Buffer.from('Hi – 運河'), name, true)).toBe('Hi – 運河');
  });

  it('never fails, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.option(fc.string()), (bytes, name) => {
        expect(typeof decodeText(bytes, name, true)).toBe('string');
      }),
      { numRuns: runs(2_000) },
    );
  });
});
