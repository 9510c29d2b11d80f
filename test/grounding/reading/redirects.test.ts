import type { LookupAddress } from 'node:dns';
import { buildConnector } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { followRedirects } from '../../../src/grounding/reading/web-pages.js';
import type { PageError } from '../../../src/grounding/reading/page-error.js';
import { PrivateHosts, type ReadableUrl } from '../../../src/grounding/reading/readable-url.js';
import { checkedConnector, type WebAnswer } from '../../../src/grounding/reading/web-request.js';
import type { PageReader } from '../../../src/grounding/reading/page-reader.js';
import {
  localLookup,
  type LocalWeb,
  page,
  redirect,
  startWeb,
  webHost,
  webReader,
} from '../../helpers/local-web.js';

const text = page('Here you are.', { 'content-type': 'text/plain' });
const readers: PageReader[] = [];
let web: LocalWeb;
/** A private service, which the reader is not exempt for. */
let inside: LocalWeb;

const using = (reader: PageReader): PageReader => {
  readers.push(reader);
  return reader;
};

beforeAll(async () => {
  inside = await startWeb({ '/': text });
  web = await startWeb({
    '/end': text,
    ...Object.fromEntries(
      [301, 302, 303, 307, 308].map((status) => [`/${status}`, redirect('/end', status)]),
    ),
    '/relative/x': redirect('../end?q=1#part'),
    '/loop': redirect('/loop'),
    ...Object.fromEntries(
      Array.from({ length: 7 }, (_, at) => [
        `/hop/${at}`,
        redirect(at === 0 ? '/end' : `${at - 1}`),
      ]),
    ),
    '/inside': redirect(`http://127.0.0.1:${inside.port}/`),
    '/inside-name': redirect(`http://inside.example:${inside.port}/`),
    '/decimal': redirect(`http://2130706433:${inside.port}/`),
    '/protocol-relative': redirect(`//127.1:${inside.port}/`),
    '/file': redirect('file:///etc/passwd'),
    '/data': redirect('data:text/html,hi'),
    '/script': redirect('javascript:alert(1)'),
    '/credentials': redirect(`http://a:b@${webHost}/`),
    '/other-port': redirect('http://example.com:25/'),
    '/broken': redirect('http://[::1'),
    '/many': (_request, response) =>
      void response
        .writeHead(302, [
          ['location', '/end'],
          ['location', '/other'],
        ])
        .end(),
    '/nowhere': page('', {}, 302),
    '/refresh': page('Stay here.', { refresh: '0; url=/end', 'content-type': 'text/plain' }),
    '/meta': page(
      `<meta http-equiv=refresh content="0;url=http://127.0.0.1:${inside.port}/"><p>Stay here.`,
    ),
    '/link': page('Stay here.', { link: '</end>; rel=canonical', 'content-type': 'text/plain' }),
  });
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
  web.requests.length = 0;
});
afterAll(() => Promise.all([web.close(), inside.close()]));

const ports = (): number[] => [80, 443, web.port, inside.port];

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with status %i is followed', async (status) => {
    const read = await using(webReader(web)).read(web.url(`/${status}`));
    expect(read).toMatchObject({ url: web.url('/end'), text: 'Here you are.' });
  });

  it('may be relative; the fragment is not a part of the address', async () => {
    const read = await using(webReader(web)).read(web.url('/relative/x#y'));
    expect(read.url).toBe(web.url('/end?q=1'));
  });

  it('is followed five times, or as often as configured', async () => {
    const reader = using(webReader(web));
    expect((await reader.read(web.url('/hop/4'))).url).toBe(web.url('/end'));
    await expect(reader.read(web.url('/hop/5'))).rejects.toMatchObject({
      code: 'too_many_redirects',
    });
    await expect(reader.read(web.url('/loop'))).rejects.toMatchObject({
      code: 'too_many_redirects',
      message: `${webHost} redirects more than 5 times`,
    });
    const patient = using(webReader(web, { maxRedirects: 7 }));
    expect((await patient.read(web.url('/hop/6'))).text).toBe('Here you are.');
  });

  it.each([
    ['/inside', 'forbidden_address'],
    ['/inside-name', 'forbidden_address'],
    ['/decimal', 'forbidden_address'],
    ['/protocol-relative', 'forbidden_address'],
    ['/file', 'forbidden_url'],
    ['/data', 'forbidden_url'],
    ['/script', 'forbidden_url'],
    ['/credentials', 'forbidden_url'],
    ['/other-port', 'forbidden_url'],
    ['/broken', 'forbidden_url'],
    ['/many', 'forbidden_url'],
    ['/nowhere', 'http_status'],
  ])('to a forbidden place is not followed: %s', async (path, code) => {
    const reader = using(webReader(web, { ports: ports() }));
    await expect(reader.read(web.url(path))).rejects.toMatchObject({ code });
    expect(inside.connections).toBe(0);
  });

  it.each(['/refresh', '/meta', '/link'])(
    'is a status and a Location header, and nothing else: %s',
    async (path) => {
      const read = await using(webReader(web, { ports: ports() })).read(web.url(path));
      expect(read).toMatchObject({ url: web.url(path), text: 'Stay here.' });
      expect(web.requests).toHaveLength(1);
      expect(inside.connections).toBe(0);
    },
  );

  it.each([
    ['https://a.example/', 'http://a.example/', 'forbidden_url'],
    ['https://a.example/', 'https://b.example/', 'read'],
    ['http://a.example/', 'https://a.example/', 'read'],
    ['http://a.example/', '//b.example/', 'read'],
  ])('from %s to %s is followed, unless it leaves https: %s', async (first, location, outcome) => {
    const rules = {
      ports: new Set([80, 443]),
      privateHosts: new PrivateHosts([]),
      maxRedirects: 5,
    };
    const opened: string[] = [];
    // without sockets: no server here has a certificate that is accepted
    const open = ({ url }: ReadableUrl): Promise<WebAnswer> => {
      opened.push(url.href);
      const [status, headers] = opened.length === 1 ? [302, { location }] : [200, {}];
      return Promise.resolve({ status, headers, body: null as never, close: () => undefined });
    };
    const result = await followRedirects(first, rules, open).then(
      () => 'read',
      (error: unknown) => (error as PageError).code,
    );
    expect(result).toBe(outcome);
    expect(opened).toHaveLength(outcome === 'read' ? 2 : 1);
  });

  it('is asked about like the first URL', async () => {
    const asked: string[] = [];
    const allowed = (url: URL): boolean => {
      asked.push(url.pathname);
      return url.pathname !== '/end';
    };
    await expect(using(webReader(web)).read(web.url('/hop/1'), { allowed })).rejects.toMatchObject({
      code: 'forbidden_url',
    });
    expect(asked).toEqual(['/hop/1', '/hop/0', '/end']);
    expect(web.requests.map(({ url }) => url)).toEqual(['/hop/1', '/hop/0']);
  });
});

describe('a request', () => {
  it('names the gateway and tells nothing else', async () => {
    await using(webReader(web)).read(web.url('/302'));
    for (const { headers } of web.requests) {
      expect(Object.keys(headers).sort()).toEqual([
        'accept',
        'accept-encoding',
        'connection',
        'host',
        'user-agent',
      ]);
      expect(headers['user-agent']).toMatch(/^Signalbox\/\d+\.\d+\.\d+$/);
    }
  });

  it('carries no cookie that an earlier answer set', async () => {
    const cookies = await startWeb({ '/': page('Hi', { 'set-cookie': 'a=b; Path=/' }) });
    const reader = using(webReader(cookies));
    await reader.read(cookies.url('/'));
    await reader.read(cookies.url('/'));
    expect(cookies.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
    await cookies.close();
  });
});

describe('a name that resolves to another address each time', () => {
  it('is looked up once for each request, and what was checked is connected to', async () => {
    const answers = ['127.0.0.1', '127.0.0.1', '10.0.0.1'];
    let lookups = 0;
    const lookup = (): Promise<LookupAddress[]> =>
      Promise.resolve([{ address: answers[lookups++] ?? '', family: 4 }]);
    const reader = using(webReader(web, { lookup }));
    expect((await reader.read(web.url('/302'))).url).toBe(web.url('/end'));
    expect(lookups).toBe(2);
  });

  it('is refused when it turns private', async () => {
    const addresses = new Map([
      [webHost, '127.0.0.1'],
      ['inside.example', '192.168.0.1'],
    ]);
    const lookup = (name: string): Promise<LookupAddress[]> =>
      Promise.resolve([{ address: addresses.get(name) ?? '', family: 4 }]);
    const reader = using(webReader(web, { lookup, ports: ports() }));
    await expect(reader.read(web.url('/inside-name'))).rejects.toMatchObject({
      code: 'forbidden_address',
      message: 'inside.example resolves to an address that is not public',
    });
  });

  it('does not reach this machine, even if a socket did not ask it', async () => {
    const target = {
      url: new URL(`http://rebinding.example:${inside.port}/`),
      host: 'rebinding.example',
      port: inside.port,
      isExempt: false,
    };
    const connect = checkedConnector(target, localLookup);
    const error = await new Promise<Error | null>((resolve) => {
      // a literal address is connected to without a look-up
      const options: buildConnector.Options = {
        hostname: '127.0.0.1',
        host: '127.0.0.1',
        protocol: 'http:',
        port: String(inside.port),
      };
      connect(options, (...[reason]) => resolve(reason));
    });
    expect(error).toMatchObject({ code: 'forbidden_address' });
    expect(inside.requests).toEqual([]);
  });
});
