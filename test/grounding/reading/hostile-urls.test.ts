import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AddressLookup } from '../../../src/grounding/reading/web-request.js';
import { PageError } from '../../../src/grounding/reading/page-error.js';
import { PageReader } from '../../../src/grounding/reading/page-reader.js';
import { runs } from '../../helpers/runs.js';

/** Listens on all addresses of this machine and counts who comes. */
let trap: Server;
let port: number;
let connections = 0;
const lookups: string[] = [];
const readers: PageReader[] = [];

beforeAll(async () => {
  trap = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, '::');
  await once(trap, 'listening');
  ({ port } = trap.address() as AddressInfo);
});
afterEach(() => {
  connections = 0;
  lookups.length = 0;
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => void trap.close());

/** The trap's port is one that pages are read from: only its addresses are forbidden. */
const readerWith = (addresses: readonly string[] = ['127.0.0.1']): PageReader => {
  const lookup: AddressLookup = (name) => {
    lookups.push(name);
    return Promise.resolve(
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  const reader = new PageReader({ ports: [80, 443, port], lookup, obeyRobots: false });
  readers.push(reader);
  return reader;
};

const failure = async (url: string, reader = readerWith()): Promise<PageError> => {
  const error: unknown = await reader.read(url).then(
    () => new Error(`${url} was read`),
    (reason: unknown) => reason,
  );
  if (error instanceof PageError) return error;
  throw error;
};

/** Each leads to this machine, to a private network or to a cloud's own services. */
const forbiddenAddresses = [
  'http://127.0.0.1:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://127.255.255.254:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0x7F.0X0.0x0.0x1:PORT/',
  'http://0x7f.1:PORT/',
  'http://017700000001:PORT/',
  'http://0177.0.0.01:PORT/',
  'http://0177.0x0.0.1:PORT/',
  'http://00000177.0.0.1:PORT/',
  'http://0:PORT/',
  'http://0.0.0.0:PORT/',
  'http://0x:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://127.0.0.1%2e:PORT/',
  'http://127%2e0%2e0%2e1:PORT/',
  'http://１２７.0.0.1:PORT/',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://127。0．0｡1:PORT/',
  'http:\\\\127.0.0.1:PORT\\',
  'http:127.0.0.1:PORT',
  'http:///127.0.0.1:PORT/',
  '  \thttp://127.0.0.1:PORT/ ',
  'ht\ntp://127.0\t.0.1:PORT/',
  'HTTP://127.0.0.1:PORT/',
  'http://127.0.0.1:PORT\\@example.com/',
  'http://127.0.0.1:PORT#@example.com/',
  'http://127.0.0.1:PORT?@example.com/',
  'http://127.0.0.1..:PORT/',
  'http://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/',
  'http://[::]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[0:0:0:0:0:ffff:7f00:0001]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[::7f00:1]:PORT/',
  'http://[::ffff:0:127.0.0.1]:PORT/',
  'http://[64:ff9b::127.0.0.1]:PORT/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[64:ff9b:1::7f00:1]:PORT/',
  'http://[2002:7f00:1::]:PORT/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://[2001:0:7f00:1::1]/',
  'http://[fe80::1]:PORT/',
  'http://[fec0::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://[ff02::1]/',
  'http://[100::1]/',
  'http://[2001:db8::1]/',
  'http://[3fff::1]/',
  'http://[4000::1]/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://100.100.100.200/latest/meta-data/',
  'http://169.254.169.254/latest/meta-data/iam/',
  'http://2852039166/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://168.63.129.16/metadata',
  'http://192.0.0.192/opc/v2/',
  'http://198.18.0.1/',
  'http://192.0.2.1/',
  'http://192.88.99.1/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://localhost:PORT/',
  'http://LOCALHOST:PORT/',
  'http://localhost.:PORT/',
  'http://ｌｏｃａｌｈｏｓｔ:PORT/',
  'http://loc\u00adalhost:PORT/',
  'http://app.localhost:PORT/',
  'http://printer.local:PORT/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://nas.home.arpa/',
  'http://router.lan/',
  'http://wiki/',
  'http://kubernetes.default.svc.:PORT/',
];

const forbiddenUrls = [
  'ftp://example.com/',
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'gopher://127.0.0.1:PORT/_GET',
  'ws://127.0.0.1:PORT/',
  'data:text/html,<h1>hi</h1>',
  'javascript:alert(1)',
  'blob:http://127.0.0.1:PORT/1',
  'view-source:http://127.0.0.1/',
  'about:blank',
  '//example.com/',
  '/etc/passwd',
  '',
  'http://',
  'http://user@example.com/',
  'http://user:secret@example.com/',
  'http://example.com@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT@example.com/',
  'http://example.com:22/',
  'http://example.com:6379/',
  'https://example.com:8443/',
  'http://example.com:0/',
  'http://example.com:99999/',
  'http://256.256.256.256/',
  'http://1.2.3.4.5/',
  'http://4294967296/',
  'http://[fe80::1%25eth0]:PORT/',
  'http://[::1%25lo]:PORT/',
  'http://[::ffff:127.0.0.1:PORT/',
  'http://127.0.0.1%00.example.com:PORT/',
  'http://exa mple.com/',
  'http://example.com<br>/',
  `http://example.com/${'a'.repeat(2_100)}`,
];

describe('a hostile URL', () => {
  const all = [
    ...forbiddenAddresses.map((url) => ['forbidden_address', url] as const),
    ...forbiddenUrls.map((url) => ['forbidden_url', url] as const),
  ];

  it.each(all)('is refused as %s before anything connects: %j', async (code, url) => {
    const reader = readerWith();
    const { code: actual, message } = await failure(url.replaceAll('PORT', String(port)), reader);
    expect(actual).toBe(code);
    expect(message).not.toMatch(/secret|passwd|meta-data/);
    expect(connections).toBe(0);
  });

  it('would reach the trap if its address were not checked', async () => {
    const reader = new PageReader({
      allowPrivateHosts: [`127.0.0.1:${port}`, `[::1]:${port}`],
      obeyRobots: false,
    });
    readers.push(reader);
    for (const host of ['2130706433', '[::1]'])
      expect(await failure(`http://${host}:${port}/`, reader)).toMatchObject({
        code: 'unreachable',
      });
    expect(connections).toBe(2);
  });
});

describe('a name', () => {
  it.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['::127.0.0.1'],
    ['64:ff9b::7f00:1'],
    ['fe80::1%eth0'],
    ['fd12:3456::1'],
    ['not an address'],
  ])('that resolves to %s is refused before anything connects', async (address) => {
    const error = await failure(`http://harmless.example:${port}/`, readerWith([address]));
    expect(error.code).toBe('forbidden_address');
    expect(lookups).toEqual(['harmless.example']);
    expect(connections).toBe(0);
  });

  it('is refused if one of its addresses is not public', async () => {
    const mixed = readerWith(['93.184.215.14', '127.0.0.1']);
    expect(await failure(`http://mixed.example:${port}/`, mixed)).toMatchObject({
      code: 'forbidden_address',
    });
    expect(connections).toBe(0);
  });

  it('without an address is unreachable', async () => {
    expect((await failure('http://none.example/', readerWith([]))).code).toBe('unreachable');
  });
});

describe('a private IPv4 address', () => {
  const byte = fc.nat({ max: 255 });
  const privateAddress = fc.oneof(
    fc.tuple(fc.constant(127), byte, byte, byte),
    fc.tuple(fc.constant(10), byte, byte, byte),
    fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
    fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
    fc.tuple(fc.constant(0), byte, byte, byte),
  );
  const number = (value: number, base: number): string =>
    base === 16 ? `0x${value.toString(16)}` : base === 8 ? `0${value.toString(8)}` : `${value}`;
  /** All digits and letters of an address in their wide forms. */
  const wide = (text: string): string =>
    text.replace(/[0-9a-fx.]/g, (sign) => String.fromCodePoint(sign.charCodeAt(0) + 0xfee0));
  const spelling = fc
    .record({
      bytes: privateAddress,
      parts: fc.integer({ min: 1, max: 4 }),
      bases: fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
      dot: fc.constantFrom('', '.'),
      isWide: fc.boolean(),
      isEncoded: fc.boolean(),
    })
    .map(({ bytes, parts, bases, dot, isWide, isEncoded }) => {
      const last = bytes.slice(parts - 1).reduce((sum, one) => sum * 256 + one, 0);
      const numbers = [...bytes.slice(0, parts - 1), last];
      const host = numbers.map((value, at) => number(value, bases[at]!)).join('.') + dot;
      const spelled = isWide ? wide(host) : host;
      return isEncoded ? encodeURIComponent(spelled).replace(/\./g, '%2e') : spelled;
    });
  const hex = ([a, b, c, d]: readonly number[]): string =>
    `${((a! << 8) | b!).toString(16)}:${((c! << 8) | d!).toString(16)}`;
  const embedded = fc
    .tuple(
      privateAddress,
      fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '0:0:0:0:0:ffff:'),
      fc.boolean(),
    )
    .map(([bytes, prefix, isDotted]) => `[${prefix}${isDotted ? bytes.join('.') : hex(bytes)}]`);

  it('is refused in every spelling', async () => {
    const reader = readerWith();
    await fc.assert(
      fc.asyncProperty(fc.oneof(spelling, embedded), async (host) => {
        const { code } = await failure(`http://${host}:${port}/`, reader);
        expect(code).toBe('forbidden_address');
      }),
      { numRuns: runs(5_000) },
    );
    expect(connections).toBe(0);
    expect(lookups).toEqual([]);
  });
});
