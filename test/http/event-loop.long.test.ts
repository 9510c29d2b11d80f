import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endProcesses, type GatewayProcess, startProcess } from '../helpers/process.js';
import { researcher } from '../helpers/research-upstream.js';
import { type SearchWorld, startSearchWorld } from '../helpers/search-world.js';
import { startUpstream, type Step, type Upstream } from '../helpers/upstream.js';

/**
 * Nothing that one request brings holds other requests for longer than so many readings of 2 MB of
 * JSON in one step (some 100 ms): work that takes no turns holds them for several times as long.
 */
const maxGap = 10;
const tries = 6;
const megabyte = 1_000_000;

let upstream: Upstream;
let world: SearchWorld;
let gateway: GatewayProcess;

beforeAll(async () => {
  [upstream, world] = await Promise.all([startUpstream({ hasLists: false }), startSearchWorld()]);
  gateway = await startProcess({
    env: {
      NODE_OPTIONS: `--import ${new URL('../helpers/loop-gaps.mjs', import.meta.url).href}`,
    },
    config: JSON.stringify({
      providers: {
        up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` },
        own: { api: 'perplexity', baseUrl: upstream.url, apiKey: 'k' },
      },
      models: {
        'up/plain': { tools: false, contextLength: 5_000_000 },
        'up/caller': { tools: true, contextLength: 5_000_000 },
      },
      search: {
        engines: [{ type: 'searxng', url: world.url, pricePerThousand: 0 }],
        allowPrivateHosts: [world.host],
        cacheMs: 0,
      },
      limits: { maxRetries: 0, maxBytesInProgress: 400 * megabyte },
    }),
  });
}, 120_000);
afterAll(async () => {
  await endProcesses();
  await Promise.all([upstream.close(), world.close()]);
});

let reports = 0;
/** The longest gap since it was last asked, in readings of 2 MB of JSON in one step. */
async function longestGap(): Promise<number> {
  gateway.signal('SIGUSR2');
  const [, gap, reading] = await gateway.printed(
    new RegExp(`^gap ${++reports}: ([\\d.]+) of ([\\d.]+)`, 'm'),
  );
  return Number(gap) / Number(reading);
}

const send = async (path: string, body: string, type = 'application/json'): Promise<number> => {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { ...gateway.auth, 'content-type': type },
    body,
  });
  await response.arrayBuffer();
  return response.status;
};
const complete = (more: object): Promise<number> =>
  send(
    '/api/v1/completions',
    JSON.stringify({
      models: ['up/plain'],
      messages: [{ role: 'user', content: 'How is the answer to be found here?' }],
      search: { mode: 'once' },
      store: false,
      ...more,
    }),
  );

/** Asserts that the better of some tries holds no other request for long. */
async function holds(run: () => Promise<number>, statuses: readonly number[] = [200]) {
  const gaps: number[] = [];
  while (gaps.length < tries && Math.min(...gaps, Infinity) > maxGap) {
    await longestGap();
    expect(statuses).toContain(await run());
    gaps.push(await longestGap());
  }
  expect(Math.min(...gaps)).toBeLessThan(maxGap);
}

/** @param bytes of UTF-8 */
const repeated = (part: string, bytes: number): string =>
  part.repeat(Math.ceil(bytes / Buffer.byteLength(part)));
const cut = (text: string, length: number): string[] =>
  text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
const words = (length: number, at = 0): string => {
  const parts: string[] = [];
  for (let sum = 0; sum < length; at++) {
    const word = `w${(at * 7_919).toString(36)} `;
    parts.push(at % 12 === 11 ? `${word.trim()}. ` : word);
    sum += word.length;
  }
  return parts.join('');
};
/** No arguments, as it seems for long. */
const blanks = `${' '.repeat(megabyte)}x`;
const callOf = (name: string, args: string): object => ({
  id: 'c',
  type: 'function',
  function: { name, arguments: args },
});
const usage = { prompt: 10, completion: 5 };
const answer = (text: string | string[]): Step => ({ text: [text].flat(), usage });

/** A world in which a search finds these pages, with HTML. */
function pages(...bodies: string[]): void {
  world.web = Object.fromEntries(
    bodies.map((body, at) => [`/p${at}`, `<title>Page ${at}</title><p>${body}`]),
  );
  world.pages = bodies.map((_, at) => ({
    title: `Page ${at}`,
    url: `${world.url}/p${at}`,
    text: 'w',
  }));
}
const shortPage = 'The answer is here, and the claim one is that it was found in 1998. ';

describe('an answer', () => {
  const odd: Record<string, string> = {
    'markers after claims': 'Claim one [1]. ',
    'quotations with markers': '"the answer is here" [1] ',
    markers: '[1]',
    'wide markers': '【1】',
    'unknown markers': '[7] ',
    'known links': '[a](URL) ',
    'unknown links': '[a](https://x.example/a) ',
    'beginnings of links': '[a](',
    'opening brackets': '[',
    'closing brackets': ']',
    images: '![',
    tags: '<a ',
    angles: '<',
    'closed tags': '<b>x</b>',
    comments: '<!--',
    backticks: '`',
    'backticks of several lengths': '` `` ``` ```` ',
    tildes: '~',
    backslashes: '\\',
    addresses: 'https://a.example/x ',
    'bare hosts': 'www.a.example ',
    definitions: ']: https://a.example ',
    blanks: ' ',
    lines: '\n',
    quotes: '> ',
    lists: '- a\n',
    tables: '| a | b [1] |\n',
    entities: '&#104;',
    letters: 'a',
    'letters with accents': 'é',
    'combining accents': 'e\u0301',
    signs: '字',
    emoji: '😀',
    'zero-width signs': '\u200b',
    'full stops': '.',
    numbers: '1998 ',
  };
  const cases = Object.entries(odd);

  it.each(cases)('of 1 MB of %s', async (_name, part) => {
    pages(shortPage.repeat(20));
    upstream.script([answer(repeated(part.replace('URL', `${world.url}/p0`), megabyte))]);
    await holds(() => complete({}));
  });

  it.each(cases)('of 256 KB of %s, streamed in pieces of 4', async (_name, part) => {
    pages(shortPage.repeat(20));
    const text = repeated(part.replace('URL', `${world.url}/p0`), 256_000);
    upstream.script([answer(cut(text, 4))]);
    await holds(() => complete({ stream: true }));
  });

  it.each([false, true])('with 20,000 markers of different claims (stream: %s)', async (stream) => {
    const claims = cut(words(megabyte), 50);
    pages(claims.join(' '));
    const text = claims.slice(0, 20_000).map((claim) => `${claim} [1]. `);
    upstream.script([answer(stream ? text : text.join(''))]);
    await holds(() => complete({ stream }));
  });

  it('of which three are made at once', async () => {
    pages(words(megabyte));
    upstream.script([answer(cut(words(256_000), 60).join(' [1]. '))]);
    await holds(async () => Math.max(...(await Promise.all([1, 2, 3].map(() => complete({}))))));
  });

  it('with 5,000 citations of its provider’s own', async () => {
    const text = words(megabyte);
    const citations = Array.from({ length: 5_000 }, (_, at) => `https://site.example/${at}`);
    const body = {
      id: 'x',
      model: 'sonar',
      citations,
      search_results: citations.map((url) => ({ url, title: 'A title', snippet: 'a text' })),
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: cut(text, 100).join('[1]') },
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
    };
    upstream.script([{ raw: Buffer.from(JSON.stringify(body)), contentType: 'application/json' }]);
    await holds(() => complete({ models: ['own/sonar'], search: true }));
  });

  it.each([
    ['of 1 MB in pieces of 8', (): Step => answer(cut(words(megabyte), 8))],
    [
      'with arguments of 1 MB',
      (): Step => ({
        toolCalls: [{ name: 'put', arguments: { text: words(megabyte) } }],
        usage,
      }),
    ],
    [
      'with arguments of 1 MB of blanks',
      (): Step => ({
        raw: Buffer.from(
          JSON.stringify({
            choices: [
              { finish_reason: 'tool_calls', message: { tool_calls: [callOf('put', blanks)] } },
            ],
          }),
        ),
        contentType: 'application/json',
      }),
    ],
  ])('without a search, %s, streamed', async (_name, step) => {
    upstream.script([step()]);
    const tools = [{ type: 'function', function: { name: 'put', parameters: { type: 'object' } } }];
    await holds(() => complete({ models: ['up/caller'], search: false, stream: true, tools }));
  });

  it.each<[string, string, () => object[]]>([
    [
      '1 MB of emoji, on /v1/responses',
      '/v1/responses',
      () => [{ content: '😀'.repeat(megabyte / 2) }],
    ],
    [
      '20,000 sources of its provider’s own, on /api/v1/completions',
      '/api/v1/completions',
      () => [
        {
          content: 'a',
          annotations: Array.from({ length: 20_000 }, (_, at) => ({
            type: 'url_citation',
            url_citation: { url: `https://site.example/${at}`, start_index: 0, end_index: 1 },
          })),
        },
      ],
    ],
  ])('of %s, streamed', async (_name, path, deltas) => {
    const chunks = [...deltas().map((delta) => [delta, null]), [{}, 'stop']].map(
      ([delta, reason]) =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`,
    );
    upstream.script([
      { raw: Buffer.from(chunks.join('')), contentType: 'text/event-stream', writes: 'whole' },
    ]);
    const messages = [{ role: 'user', content: 'go' }];
    const body = path.endsWith('responses')
      ? { model: 'up/caller', input: messages }
      : {
          ...(path.startsWith('/v1') ? { model: 'up/caller' } : { models: ['up/caller'] }),
          messages,
        };
    await holds(() => send(path, JSON.stringify({ ...body, stream: true, store: false })));
  });

  it('that is refused with 1 MB of blanks in the first line of an event', async () => {
    upstream.script([
      { status: 400, raw: Buffer.from(`event:${blanks}`), contentType: 'text/plain' },
    ]);
    await holds(() => complete({ models: ['up/plain'], search: false }), [400, 422, 502]);
  });
});

describe('a page', () => {
  it.each<[string, () => string[]]>([
    ['1 MB of words', () => [words(megabyte)]],
    ['2 MB of words, three of them', () => [0, 1, 2].map((at) => words(2 * megabyte, at * 1e6))],
    ['2 MB without a blank', () => ['a'.repeat(2 * megabyte)]],
    ['2 MB of Chinese', () => [repeated('答案在这里，我们都知道。', 2 * megabyte)]],
    ['2 MB of Chinese without marks', () => ['答'.repeat(2 * megabyte)]],
    ['2 MB of Thai', () => ['กรุงเทพ'.repeat(285_000)]],
    ['2 MB of numbers', () => [repeated('1998 2,000,000 ', 2 * megabyte)]],
    ['2 MB of accents', () => ['e\u0301'.repeat(megabyte)]],
    [
      '2 MB of addresses',
      () => [
        cut(words(megabyte), 40)
          .map((w) => `https://a.example/${w.replace(/\W/g, '')} `)
          .join(''),
      ],
    ],
    ['2 MB of lines', () => ['a<br>'.repeat(megabyte)]],
    ['2 MB of quotation marks', () => ['" '.repeat(megabyte)]],
    ['2 MB of full stops', () => ['. '.repeat(megabyte)]],
  ])('of %s', async (_name, make) => {
    pages(...make());
    upstream.script([answer('The answer is w1 w65n [1]. "the answer is here and there" [1].')]);
    await holds(() => complete({}));
  });

  it('that a model reads by a tool, three times at once', async () => {
    pages(words(2 * megabyte));
    const args = { url: `${world.url}/p0` };
    upstream.script([
      ({ body }) =>
        (body!['messages'] as unknown[]).length > 3
          ? answer('It is w1 [1].')
          : { toolCalls: [{ name: 'web_fetch', arguments: args }] },
    ]);
    const messages = [{ role: 'user', content: `Read ${args.url}` }];
    const one = () => complete({ models: ['up/caller'], search: { mode: 'tools' }, messages });
    await holds(async () => Math.max(...(await Promise.all([1, 2, 3].map(one)))));
  });

  it('of 2 MB that research reads', async () => {
    pages(words(2 * megabyte), words(2 * megabyte, 1e6), words(2 * megabyte, 2e6));
    upstream.script([researcher()]);
    await holds(() =>
      complete({ models: ['up/caller'], search: false, research: { effort: 'low' } }),
    );
  });

  it('of which a search tells 1 MB', async () => {
    pages(shortPage);
    world.pages = world.pages.map((page) => ({ ...page, text: words(megabyte) }));
    upstream.script([answer('It is w1 [1].')]);
    await holds(() => complete({}));
  });
});

describe('a body', () => {
  const chat = (content: unknown, more: object = {}): string =>
    JSON.stringify({
      models: ['up/plain'],
      store: false,
      messages: [{ role: 'user', content }],
      ...more,
    });
  const large = 31 * megabyte;

  it.each<[string, () => string, number[]]>([
    ['31 MB of `{},`', () => `{"messages":[${'{},'.repeat(large / 3)}{}]}`, [400]],
    ['31 MB of `{},` that are no object', () => '{},'.repeat(large / 3), [400]],
    ['31 MB of `[`', () => '['.repeat(large), [400]],
    ['31 MB of `"",`', () => `{"messages":[${'"",'.repeat(large / 3)}""]}`, [400]],
    ['31 MB of blanks', () => ' '.repeat(large), [400]],
    ['31 MB of numbers', () => `{"messages":[${'1,'.repeat(large / 2)}1]}`, [400]],
    [
      '31 MB of escapes',
      () =>
        `{"models":["up/plain"],"messages":[{"role":"user","content":"${'\\u0041'.repeat(large / 6)}"}]}`,
      [200, 400, 422],
    ],
    ['one text of 30 MB', () => chat(words(30 * megabyte)), [422]],
    ['one text of 30 MB without a blank', () => chat('a'.repeat(30 * megabyte)), [200]],
    ['one text of 6 MB', () => chat(words(6 * megabyte)), [200]],
    [
      'a schema of 480 levels around 400,000 numbers, beside a text of 1 MB',
      () => {
        const level = (): string => `${'['.repeat(480)}${'1,'.repeat(24_000)}1${']'.repeat(480)}`;
        const deep = `[${Array.from({ length: 17 }, level).join(',')}]`;
        const parameters = { type: 'object', default: 'DEEP' };
        const tools = [{ type: 'function', function: { name: 'f', parameters } }];
        const more = { models: ['up/caller'], tools, toolChoice: 'auto' };
        return chat('a '.repeat(megabyte / 2), more).replace('"DEEP"', deep);
      },
      [200],
    ],
    [
      '20 MB of addresses, with a search',
      () => chat(repeated('https://a.example/x ', 5 * megabyte), { search: { mode: 'once' } }),
      [200],
    ],
    [
      '2,000 messages of addresses, with a search',
      () =>
        chat('go', {
          search: { mode: 'once' },
          messages: Array.from({ length: 2_000 }, (_, at) => ({
            role: 'user',
            content: cut(words(1_500, at * 1_000), 30)
              .map((w) => `https://a.example/${w.replace(/\W/g, '')}`)
              .join(' '),
          })),
        }),
      [200],
    ],
    [
      'an argument of 1 MB',
      () =>
        chat('go', {
          models: ['up/caller'],
          messages: [
            { role: 'user', content: 'go' },
            {
              role: 'assistant',
              tool_calls: [callOf('f', JSON.stringify({ text: words(megabyte) }))],
            },
            { role: 'tool', tool_call_id: 'c', content: words(megabyte) },
          ],
        }),
      [200],
    ],
    [
      'an argument of 1 MB of blanks',
      () =>
        chat('go', {
          models: ['up/caller'],
          messages: [
            { role: 'user', content: 'go' },
            { role: 'assistant', tool_calls: [callOf('f', blanks)] },
            { role: 'tool', tool_call_id: 'c', content: 'done' },
          ],
        }),
      [200],
    ],
  ])('of %s', async (_name, make, statuses) => {
    pages(shortPage);
    upstream.script([answer('It is.')]);
    const body = make();
    await holds(() => send('/api/v1/completions', body), statuses);
  });

  it.each<[string, string, () => string, number[]]>([
    [
      'a CSV of 20 MB with an open quote',
      'text/csv',
      () => `prompt,a,b\n"${words(20 * megabyte)}`,
      [400, 422],
    ],
    [
      'a CSV of 20 MB',
      'text/csv',
      () =>
        `prompt,a,b\n${cut(words(20 * megabyte), 200)
          .map((w, at) => `"${w}",${at % 2},1`)
          .join('\n')}`,
      [202, 400, 422],
    ],
    [
      'JSON with 30,000 rows',
      'application/json',
      () =>
        JSON.stringify({
          rows: Array.from({ length: 30_000 }, (_, at) => ({
            prompt: words(300, at),
            scores: { 'up/plain': at % 2, 'up/caller': 1 },
          })),
        }),
      [202, 400, 422],
    ],
    [
      'JSON Lines of 20 MB',
      'application/x-ndjson',
      () =>
        cut(words(20 * megabyte), 200)
          .map((w, at) => JSON.stringify({ prompt: w, scores: { a: at % 2, b: 1 } }))
          .join('\n'),
      [202, 400, 422],
    ],
  ])('of a training: %s', async (_name, type, make, statuses) => {
    const text = make();
    await holds(async () => {
      const created = await fetch(`${gateway.url}/api/v1/preferences`, {
        method: 'POST',
        headers: { ...gateway.auth, 'content-type': 'application/json' },
        body: '{}',
      });
      const { id } = (await created.json()) as { id: string };
      const path = `/api/v1/preferences/${id}/training`;
      const status = await send(path, text, type);
      await fetch(`${gateway.url}${path}`, { method: 'DELETE', headers: gateway.auth });
      return status;
    }, statuses);
  });
});
