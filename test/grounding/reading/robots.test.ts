import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PageReader } from '../../../src/grounding/reading/page-reader.js';
import { parseRobots } from '../../../src/grounding/reading/robots.js';
import { type LocalWeb, page, redirect, startWeb, webReader } from '../../helpers/local-web.js';

const allows = (text: string, path: string, product = 'Signalbox'): boolean =>
  parseRobots(text, product).allows(path);

describe('a robots.txt', () => {
  const file = `# comment
User-agent: OtherBot
Disallow: /

User-agent: *
Disallow: /private   # not for all
Allow: /private/open
Disallow: /*.zip$
Disallow: /search?q=
Disallow: /a*b*c
Disallow:
Sitemap: https://example.com/sitemap.xml
`;
  it.each([
    ['/', true],
    ['/private', false],
    ['/private/x', false],
    ['/privateer', false],
    ['/private/open/x', true],
    ['/x.zip', false],
    ['/x.zip?a', true],
    ['/x.zipped', true],
    ['/search?q=1', false],
    ['/search', true],
    ['/axbxc', false],
    ['/axcxb', true],
    ['/PRIVATE', true],
  ])('decides by its longest matching rule: %s', (path, isAllowed) => {
    expect(allows(file, path)).toBe(isAllowed);
  });

  it.each([
    [
      'the group of its name before that of all',
      'User-agent: *\nDisallow: /\nUser-agent: signalBOX/1.0\nAllow: /',
      true,
    ],
    ['several names for one group', 'User-agent: a\nUser-agent: signalbox\nDisallow: /', false],
    [
      'several groups of its name',
      'User-agent: signalbox\nAllow: /x\nUser-agent: b\nAllow: /\nUser-agent: signalbox\nDisallow: /',
      false,
    ],
    [
      'only whole names',
      'User-agent: signal\nDisallow: /\nUser-agent: signalbox-extra\nDisallow: /',
      true,
    ],
    [
      'an empty group of its name',
      'User-agent: signalbox\nDisallow:\nUser-agent: *\nDisallow: /',
      true,
    ],
    ['allow where both rules are as long', 'User-agent: *\nDisallow: /page\nAllow: /page', true],
    ['lines of any kind', 'user-AGENT :*\r\n  disallow :/page\r', false],
    ['a file of something else', '<!doctype html><p>Not found', true],
    ['rules before any group not at all', 'Disallow: /page', true],
    ['the same characters written otherwise', 'User-agent: *\nDisallow: /p%61g%65', false],
  ])('is read with %s', (_, text, isAllowed) => {
    expect(allows(text, '/page')).toBe(isAllowed);
  });

  it('compares characters beyond ASCII as their bytes', () => {
    expect(allows('User-agent: *\nDisallow: /straße', '/stra%c3%9fe')).toBe(false);
  });

  it('costs no more than its length, whatever it says', () => {
    const hostile = `User-agent: *\n${`Disallow: /${'*a'.repeat(240)}b\n`.repeat(20_000)}`;
    const rules = parseRobots(hostile, 'Signalbox');
    expect(rules.allows(`/${'a'.repeat(2_000)}`)).toBe(true);
    expect(rules.size).toBeLessThan(1_000_000);
  });
});

describe('a reader that obeys robots.txt', () => {
  let web: LocalWeb;
  let robots: Parameters<typeof startWeb>[0][string];
  let reader: PageReader;
  beforeAll(async () => {
    web = await startWeb({
      '/robots.txt': (...exchange) => robots?.(...exchange),
      '/real': page('User-agent: *\nDisallow: /secret'),
      '/page': page('Hello', { 'content-type': 'text/plain' }),
      '/secret': page('Hello'),
      '/to-secret': redirect('/secret'),
    });
  });
  afterEach(() => {
    reader.close();
    web.requests.length = 0;
  });
  afterAll(() => web.close());

  const read = async (path: string): Promise<string> =>
    reader.read(web.url(path)).then(
      ({ text }) => text,
      (error: unknown) => (error as { code: string }).code,
    );
  const opened = (): (string | undefined)[] => web.requests.map(({ url }) => url);

  it('asks once for many pages, and opens none that is not allowed', async () => {
    reader = webReader(web, { obeyRobots: true });
    robots = page('User-agent: *\nDisallow: /secret', { 'content-type': 'text/plain' });
    expect(await read('/page')).toBe('Hello');
    expect(await read('/secret')).toBe('robots');
    expect(await read('/to-secret')).toBe('robots');
    expect(opened()).toEqual(['/robots.txt', '/page', '/to-secret']);
  });

  it.each([
    ['is missing', page('', {}, 404), 'Hello'],
    ['is forbidden', page('', {}, 403), 'Hello'],
    ['is empty', page(''), 'Hello'],
    ['cannot be answered', page('', {}, 500), 'robots'],
    ['is asked too often', page('', {}, 429), 'robots'],
    ['is moved', redirect('/real'), 'Hello'],
    ['is moved to a forbidden address', redirect('http://127.0.0.1/'), 'forbidden_address'],
    ['is moved without end', redirect('/robots.txt'), 'too_many_redirects'],
  ])('where the file %s', async (_, answer, outcome) => {
    reader = webReader(web, { obeyRobots: true });
    robots = answer;
    expect(await read('/page')).toBe(outcome);
  });
});
