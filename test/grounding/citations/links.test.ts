import fc from 'fast-check';
import { compiler } from 'markdown-to-jsx/html';
import { atOnce } from '../../../src/async/turns.js';
import { describe, expect, it } from 'vitest';
import { CitedText } from '../../../src/grounding/citations/cited-text.js';
import { parseUrl } from '../../../src/text/parse-url.js';
import { runs, someOf } from '../../helpers/runs.js';
import { answerSources, filtered } from '../../helpers/cited-answers.js';

const known = 'https://known.example/page?a=1&b=2';

/** Where links and pictures lead to code or to a page that nobody retrieved, as a reader of Markdown finds them. */
function wrongTargets(markdown: string): string[] {
  const targets: string[] = [];
  const sanitizer = (target: string): string => {
    targets.push(target);
    return target;
  };
  compiler(markdown, { sanitizer });
  return targets.filter((target) => {
    const { protocol = '', hostname = '' } = parseUrl(target, 'https://answer.example') ?? {};
    return (
      /^(?:javascript|vbscript|data):/.test(protocol) || /(?:^|\.)fake\.example$/.test(hostname)
    );
  });
}

describe('a link to a known page', () => {
  it.each([
    [`See [the page](${known}) here.`],
    [`See [the page](<${known}> "A title") here.`],
    [`See [the page]( ${known} 'A (title)' ) here.`],
    [`See [the page](${known}\n(title)) here.`],
    [`See <${known}>, ${known}. (${known})`],
    [`![a picture](${known})`],
    [`[a link](${known}&utm_source=x) with a tracker`],
    [`[![a picture](${known})](${known})`],
    [`<a href="${known}">the page</a> and <img src='${known}' alt="x">`],
    [`[1]: ${known} "Title"\n[2]: <${known}>`],
    [`Wikipedia: https://known.example/wiki/Mercury_(planet).`],
    [`[Mercury](https://known.example/wiki/Mercury_(planet)) is a planet.`],
    [`www.known.example/page is the same, as is http://known.example/page.`],
    [`<a href="https://known.example/page?a=1&amp;b=2">the page</a>`],
    [`[escaped](https://known.example/page\\?a=1&amp;b=2)`],
    [`[IDN](https://bücher.example/b) and https://bücher.example/b`],
    [`[page [with] brackets](${known}) and [\\[1\\]](${known})`],
  ])('stays as it is: %j', (text) => {
    expect(filtered(text)).toEqual({ text, links: 0, markers: 0 });
  });

  it('gets a space where a script without spaces follows, because programs would add that to it', () => {
    expect(filtered('见https://known.example/a是一个网站。').text).toBe(
      '见https://known.example/a 是一个网站。',
    );
    expect(filtered('见https://known.example/a。好').text).toBe('见https://known.example/a。好');
  });
});

describe('a link to a page that nobody retrieved', () => {
  it.each([
    ['See [the page](https://fake.example/x) here.', 'See the page here.'],
    ['See [the page](<https://fake.example/x y> "title") here.', 'See the page here.'],
    ['![a picture](https://fake.example/x.png?data=secret)', 'a picture'],
    [`[![alt](https://fake.example/x.png)](${known})`, `[alt](${known})`],
    ['[![alt](https://fake.example/x.png)](https://fake.example)', 'alt'],
    [`![a picture](${known}&utm_source=secret)`, 'a picture'],
    [`<img src="${known}&gclid=secret" alt="a picture">`, 'a picture'],
    [`![a][b]\n\n[b]: ${known}&utm_x=secret`, '![a][b]\n\n[b] known.example'],
    ['<https://fake.example/x>', 'fake.example'],
    ['At https://fake.example:8080/x(y)?z. Next', 'At fake.example. Next'],
    ['At www.fake.example/x, and www.www.fake.example', 'At fake.example, and fake.example'],
    ['**https://fake.example/x** (https://fake.example/y)', '**fake.example** (fake.example)'],
    ['https://known.example@fake.example/', 'fake.example'],
    ['[x](https://known.example@fake.example/)', 'x'],
    ['https://known.example/page#https://fake.example/x', 'known.example'],
    ['[x](https://known.example/page#to=https%3a%2F%2Ffake.example)', 'x'],
    ['[x](https://fake.example\\@known.example/)', 'x'],
    ['[x](javascript:alert(1))', 'x'],
    ['[x]( JaVaScRiPt:alert(1))', 'x'],
    ['[x](java&#115;cript&colon;alert(1))', 'x'],
    ['[x](java&Tab;script:alert(1))', 'x'],
    ['[x](data:text/html;base64,PHNjcmlwdD4=)', 'x'],
    ['[x](//fake.example/y)', 'x'],
    ['[x](/\\fake.example/y)', 'x'],
    ['[x](\\/\\/fake.example)', 'x'],
    ['[x](https&colon;//fake.example)', 'x'],
    ['[x](&#104;ttps://fake.example)', 'x'],
    ['[x](fake.example/page)', 'x'],
    ['[x](www.fake.example)', 'x'],
    ['[https://fake.example/x](https://fake.example/x)', 'fake.example'],
    [`[https://fake.example/x](${known})`, `[fake.example](${known})`],
    ['[a [b](https://fake.example) c](https://fake.example/2)', 'a b c'],
    ['[text\nover lines](https://fake.example\n"title")', 'text\nover lines'],
    ['<a class=x href="https://fake.example">text</a> after', 'text after'],
    ["<A HREF='https://fake.example'>text</A>", 'text'],
    ['<a href=https://fake.example>text</a>', 'text'],
    ['<img src="https://fake.example/x.png" alt="the alt">', 'the alt'],
    ['<img src="https://fake.example/x.png" alt="[x](https://fake.example)">', 'x(fake.example)'],
    ['<iframe src="//fake.example"></iframe>', '</iframe>'],
    ['[a]: https://fake.example/x "title"', '[a] fake.example "title"'],
    ['[a]:\n  <https://fake.example/x>', '[a] fake.example'],
    ['https://xn--bcher-kva.fake.example/ü', 'xn--bcher-kva.fake.example'],
    ['https://münchen.example/x', 'münchen.example'],
    ['ftp://fake.example/file', 'fake.example'],
    ['HTTPS://FAKE.example/X', 'FAKE.example'],
  ])('is replaced by its text: %j', (text, expected) => {
    const { text: left, links } = filtered(text);
    expect(left).toBe(expected);
    expect(links).toBeGreaterThan(0);
  });

  it.each([
    'htt<a href="https://fake.example">ps://fake.example/x',
    'htt[ps://fake.example/x](https://fake.example)',
    '[htt](https://fake.example)ps://fake.example/x',
    '[[x]](https://fake.example)(javascript:alert(1))',
    '[x][(javascript:alert(1))](https://fake.example)',
    'www[.fake.example](https://fake.example)',
    'htt[9]ps://fake.example/x',
    'www.<https://fake.example/x>',
    '<www.javascript:alert(1)>',
    'https://<https://fake.example/x>',
    'examplewww.https://fake.example/x',
    'www.known.example。https://fake.example/x',
    `[x](${'a'.repeat(600)}://fake.example)`,
    `[${'long '.repeat(200)}](https://fake.example/x)`,
    `<a title="${'x'.repeat(5_000)}" href="https://fake.example/x">`,
    '<div>\n`<a href="https://fake.example/x">x</a>`\n</div>',
    '# a ` b\n[x](https://fake.example/x) `',
    '<div>\n```\n<a href="https://fake.example/x">x</a>\n```\n</div>',
    '<pre>\n\n```\n<a href="https://fake.example/x">x</a>\n```\n</pre>',
    '| a ` b | [x](https://fake.example/x) ` |',
    'a ` b\n- [x](https://fake.example/x) ` c',
    `\`${'x'.repeat(2_000)}\`[x](https://fake.example/x)\``,
    '[9]```\nfoo\n```\n[x](https://fake.example/x)\n```',
    '> ```\n> code\n[x](https://fake.example/x)',
    '- item\n\n  ```\n[x](https://fake.example/x)',
    '     ```\n[x](https://fake.example/x)\n```',
    '```js `\n[x](https://fake.example/x)\n```',
  ])('leaves no link behind when it is hidden: %j', (text) => {
    const { text: left } = filtered(text);
    expect(wrongTargets(left)).toEqual([]);
    expect(left).not.toMatch(/(https?:\/\/|www\.)fake|\]\((https|javascript)|href="https:\/\/fake/);
  });

  it('is left out as a whole when its address is longer than any that is looked at', () => {
    const long = `https://fake.example/${'a'.repeat(9_000)}`;
    expect(filtered(`See [x](${long}) and ${long}, ok, <${long}>.`)).toEqual({
      text: 'See x and fake.example ok, fake.example.',
      links: 3,
      markers: 0,
    });
  });
});

describe('what is no link', () => {
  it.each([
    ['[not a link] (see below) and [0, 1) or (1, 2]'],
    ['a < b and c > d, List<String>, <br/>, <b>bold</b>'],
    ['[relative](docs/page.md), [anchor](#part), [root](/a?b=c), [empty]()'],
    ['f[i](x) and use http or https:// or www. here'],
    ['\\[x\\] and \\`not code\\` and \\https'],
    ['[text][ref] and [^note]: a footnote\n\n[^1]: Another one'],
    ['a `code [x](https://fake.example)` b ``c ` https://fake.example``'],
    ['```\n[x](https://fake.example)\n```\nafter'],
    ['~~~ md\n[1] https://fake.example\n```\n~~~\nafter'],
    ['<pre>\nx\n</pre>\n\n```\nhttps://fake.example\n```\n'],
    ['1. one\n   ```sh\n   curl https://fake.example\n   ```\n2. two'],
    ['> ```\n> https://fake.example\n> ```\n'],
    ['```\nunclosed https://fake.example [9]'],
    ['mail <someone@example.org> now'],
    ['open [bracket\n\nand the next paragraph](x'],
  ])('stays as it is: %j', (text) => {
    expect(filtered(text)).toEqual({ text, links: 0, markers: 0 });
  });
});

describe('a text that arrives in parts', () => {
  const part = fc.constantFrom(
    ...'[ ] ( ) ![ < > ` `` ``` ~~~ \\ \n \n\n - > # | [1] [2,3] [9] 【1】 [^1] ]: :// " \' a b. C'.split(
      ' ',
    ),
    ' ',
    '  ',
    '\n',
    '。',
    'é',
    '😀',
    'www.',
    'http',
    's://',
    'https://known.example/page',
    'https://fake.example/x',
    'known.example',
    '<a href="',
    '</a>',
    '<img src=',
    '](',
    '"title")',
    '[x](https://fake.example/y)',
    '[x](https://known.example/page)',
    'javascript:',
    '&amp;',
    'arr[1]',
    'word '.repeat(30),
  );
  const texts = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''));

  it('comes out the same however it is cut', () => {
    fc.assert(
      fc.property(
        texts,
        fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 20 }),
        (text, sizes) => {
          const whole = new CitedText(answerSources());
          const expected = whole.push(text) + whole.end();
          const cut = new CitedText(answerSources());
          let out = '';
          for (let at = 0, turn = 0; at < text.length; turn++) {
            const size = sizes[turn % sizes.length]!;
            out += cut.push(text.slice(at, at + size));
            at += size;
          }
          out += cut.end();
          expect(out).toBe(expected);
          expect(cut.length).toBe(out.length);
          expect(atOnce(cut.citations())).toEqual(atOnce(whole.citations()));
          expect([cut.droppedLinks, cut.droppedMarkers]).toEqual([
            whole.droppedLinks,
            whole.droppedMarkers,
          ]);
        },
      ),
      { numRuns: runs(3_000) },
    );
  });

  it('has no unknown address outside of code, whatever it is made of', () => {
    fc.assert(
      fc.property(texts, (text) => {
        // what the filter takes for code is left as it is
        if (/`|~~~/.test(text)) return;
        const { text: left } = filtered(text);
        expect(left).not.toMatch(/https?:\/\/fake/);
        expect(wrongTargets(left)).toEqual([]);
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('is held back only while a link may come of it', () => {
    const answer = new CitedText(answerSources());
    expect(answer.push('See [the')).toBe('See ');
    expect(answer.push(' page](https://known.')).toBe('');
    expect(answer.push('example/page), ')).toBe('[the page](https://known.example/page),');
    expect(answer.push('a [b] c')).toBe(' a [b] c');
    expect(answer.push(' h')).toBe(' ');
    expect(answer.push('ello `x')).toBe('hello ');
    expect(answer.push('` [')).toBe('`x`');
    expect(answer.push('x'.repeat(600))).toBe(` [${'x'.repeat(600)}`);
    expect(answer.push(' https://known.example/')).toBe(' ');
    expect(answer.end()).toBe('https://known.example/');
  });

  it('is never held back by more than a few thousand characters', () => {
    for (const unit of [
      '[',
      '](',
      '`',
      'https://a',
      '<a ',
      '![',
      '[1',
      '\\',
      '~~~',
      '[x](',
      '<a href="',
    ]) {
      const answer = new CitedText(answerSources());
      let [pushed, out] = [0, 0];
      for (let turn = 0; turn < 200; turn++) {
        const text = unit.repeat(50);
        pushed += text.length;
        out += answer.push(text).length;
        // what is dropped does not come out at all
        if (answer.droppedLinks === 0) expect(pushed - out).toBeLessThan(8_000);
      }
    }
  });
});

describe('a megabyte of signs', () => {
  const units =
    '[|]|](|`|` |![|<|<a |<a "|[[1]|[1|\\|[x](|[x](a "|~~~\n|https://a |`a``b```c|]: a|【1|\n\n[|<a href="x" ';
  it.each(someOf([...units.split('|')]))('made of %j is read in time', (unit) => {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const startedAt = performance.now();
    const answer = new CitedText(answerSources());
    for (let at = 0; at < text.length; at += 1_000) answer.push(text.slice(at, at + 1_000));
    answer.end();
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
