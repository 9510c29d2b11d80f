import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepingLogger, type RunningGateway } from '../helpers/gateway.js';
import { ownReaders, readers, type Understood } from '../helpers/odd-answers.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import { post, ask as fetchPage } from '../helpers/sse.js';
import type { Step } from '../helpers/steps.js';
import { ask, streamedRows, wayRows, ways } from '../helpers/ways.js';

let gateway: RunningGateway;
let plays: Plays;
let log: ReturnType<typeof keepingLogger>;
beforeAll(async () => {
  log = keepingLogger();
  ({ gateway, plays } = await startScripted(
    (up) => ({ providers: { up, good: up, deepseek: { ...up, api: 'deepseek', apiKey: 'k' } } }),
    { logger: log.logger },
  ));
});
afterAll(() => gateway.close());

type Fields = Record<string, unknown>;

const frame = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;
const chunk = (choice: object): object => ({
  id: 'c-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: null, ...choice }],
});
const text = (content: string): object => chunk({ delta: { content } });
const role = chunk({ delta: { role: 'assistant', content: '' } });
const end = (reason: unknown, delta: object = {}): object =>
  chunk({ delta, finish_reason: reason });
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const usageChunk = { ...chunk({}), choices: [], usage };
const call = (...tool_calls: object[]): object => chunk({ delta: { tool_calls } });
const piece = (fields: object, name?: unknown, args?: unknown): object => ({
  ...fields,
  function: {
    ...(name === undefined ? {} : { name }),
    ...(args === undefined ? {} : { arguments: args }),
  },
});
const stream = (chunks: readonly object[], done = true): Step => ({
  raw: Buffer.from(chunks.map(frame).join('') + (done ? 'data: [DONE]\n\n' : '')),
  contentType: 'text/event-stream',
});
const whole = (choice: Fields): Step => ({
  raw: Buffer.from(
    JSON.stringify({
      id: 'c-1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, ...choice }],
      usage,
    }),
  ),
  contentType: 'application/json',
});

async function understood(reader: string, ...steps: Step[]): Promise<Understood> {
  const model = plays.newModel();
  plays.set(model, ...steps);
  return readers[reader]!(gateway, `up/${model}`);
}

const streamedAnswers: [string, readonly object[]][] = [
  [
    'each event in an envelope of a relay',
    [role, text('Hel'), text('lo'), end('stop'), usageChunk].map((one) => ({ code: 0, data: one })),
  ],
  ['an event that is null', [role, text('Hel'), null as never, text('lo'), end('stop')]],
  [
    'events that only keep the connection alive',
    [role, true as never, text('Hel'), '' as never, text('lo'), 7 as never, end('stop')],
  ],
  [
    'several chunks in one event',
    [
      [role, text('Hel')],
      [text('lo'), end('stop'), usageChunk],
    ],
  ],
  [
    'reasoning of other types',
    [
      role,
      chunk({ delta: { reasoning_details: 'hm', reasoning: { text: 'hm' } } }),
      chunk({ delta: { content: 'Hel', reasoning_details: { text: 'hm' } } }),
      chunk({ delta: { content: 'lo', reasoning_details: [null], annotations: {} } }),
      end('stop'),
    ],
  ],
  ['text in place of deltas', [chunk({ delta: 'Hel' }), chunk({ delta: 'lo' }), end('stop')]],
  [
    'an older call that is none, and an error that is none',
    [
      { ...role, error: { message: null, code: '' } },
      chunk({ delta: { content: 'Hel', function_call: {} } }),
      chunk({ delta: { content: 'lo', function_call: { name: '', arguments: '' } } }),
      end('stop'),
      { base_resp: { status_code: 0, status_msg: 'success' } },
    ],
  ],
  [
    'a choice that nobody asked for',
    [
      role,
      text('Hel'),
      chunk({ index: 1, delta: { content: 'XX' } }),
      text('lo'),
      end('stop'),
      chunk({ index: 1, delta: {}, finish_reason: 'length' }),
    ],
  ],
  [
    'another number for its only choice',
    [role, text('Hel'), text('lo'), end('stop')].map((one) => ({
      ...one,
      choices: (one as { choices: object[] }).choices.map((choice) => ({ ...choice, index: 1 })),
    })),
  ],
  [
    'counts as text in the details of usage',
    [
      role,
      text('Hel'),
      text('lo'),
      end('stop'),
      { ...usageChunk, usage: { ...usage, prompt_tokens_details: { cached_tokens: '2' } } },
    ],
  ],
  ...['finishReason', 'stop_reason'].map((field): [string, object[]] => [
    `its finish reason in ${field}`,
    [role, text('Hel'), text('lo'), { ...role, choices: [{ index: 0, [field]: 'end_turn' }] }],
  ]),
  [
    'beside its finish reason what the text was stopped by',
    [
      role,
      chunk({ delta: { content: 'Hello' }, stop_reason: null }),
      chunk({ delta: {}, finish_reason: 'stop', stop_reason: 128_001 }),
    ],
  ],
  [
    'its finish reason in the delta',
    [role, text('Hello'), chunk({ delta: { finish_reason: 'stop' } })],
  ],
  [
    'its finish reason beside the choices',
    [role, text('Hello'), { ...role, finish_reason: 'stop' }],
  ],
  [
    'the whole answer so far beside each delta',
    ['Hel', 'lo'].map((content, at) =>
      chunk({
        delta: { content },
        message: { content: 'Hello'.slice(0, 3 + at * 2) },
        finish_reason: at === 1 ? 'stop' : null,
      }),
    ),
  ],
  ['its text in deltas by another name', [role, chunk({ delta: { text: 'Hello' } }), end('stop')]],
  ['a time with a fraction', [text('Hello'), end('stop')].map((one) => ({ ...one, created: 1.5 }))],
  ['its finish reason twice', [role, text('Hel'), text('lo'), end('stop'), end('stop')]],
  [
    'negative counts',
    [
      role,
      text('Hel'),
      text('lo'),
      end('stop'),
      { ...usageChunk, usage: { prompt_tokens: -1, completion_tokens: -1, total_tokens: -2 } },
    ],
  ],
  ['no [DONE]', []],
  ['no role', [text('Hel'), text('lo'), end('stop'), usageChunk]],
  [
    'no delta in a chunk of the content filter',
    [
      role,
      chunk({ delta: undefined, content_filter_offsets: {} }),
      text('Hel'),
      text('lo'),
      end('stop'),
    ],
  ],
  [
    'a delta that is null',
    [
      role,
      chunk({ delta: null }),
      text('Hel'),
      text('lo'),
      chunk({ delta: null, finish_reason: 'stop' }),
    ],
  ],
  [
    'an empty finish reason in each chunk',
    [
      role,
      ...['Hel', 'l', 'o'].map((content) => chunk({ delta: { content }, finish_reason: '' })),
      end('stop'),
    ],
  ],
  [
    'a choice that is null',
    [role, { ...chunk({}), choices: [null] }, text('Hel'), text('lo'), end('stop')],
  ],
  ['no choices', [{ ...chunk({}), choices: null }, role, text('Hel'), text('lo'), end('stop')]],
  [
    'a message in place of deltas',
    [
      chunk({ message: { role: 'assistant', content: 'Hel' } }),
      chunk({ message: { content: 'lo' } }),
      end('stop'),
    ],
  ],
  [
    'no index',
    [
      role,
      { choices: [{ delta: { content: 'Hel' } }] },
      { choices: [{ delta: { content: 'lo' } }] },
      end('stop'),
    ],
  ],
  [
    'an id, a time and a model of other types',
    [role, text('Hel'), text('lo'), end('stop'), usageChunk].map((one) => ({
      ...one,
      id: 12,
      created: '2026-01-01T00:00:00Z',
      model: 4,
    })),
  ],
  [
    'a time after all dates, and errors that are none',
    [
      { ...role, created: 1e21, error: null },
      { ...text('Hel'), error: {} },
      { ...text('l'), error: '' },
      { ...text('o'), error: { code: 0, message: 'success' } },
      end('stop'),
    ],
  ],
  [
    'another role in each chunk',
    ['model', '', 'ASSISTANT', 'user']
      .map((name) =>
        chunk({ delta: { role: name, content: { model: 'Hel', user: 'lo' }[name] ?? '' } }),
      )
      .concat(end('stop')),
  ],
  [
    'usage as text',
    [
      role,
      text('Hel'),
      text('lo'),
      end('stop'),
      { ...usageChunk, usage: { prompt_tokens: '3', completion_tokens: '2', total_tokens: '5' } },
    ],
  ],
  [
    'details of usage of another type',
    [
      role,
      text('Hel'),
      text('lo'),
      end('stop'),
      { ...usageChunk, usage: { ...usage, prompt_tokens_details: [] } },
    ],
  ],
  [
    'contents that are lists and objects of other dialects',
    [
      role,
      chunk({ delta: { content: [null, { type: 'output_text', text: 'H' }, 'e'] } }),
      chunk({ delta: { content: { text: 'l' } } }),
      text('lo'),
      end('stop'),
    ],
  ],
  [
    'all of it again in a message at its end',
    [
      role,
      text('Hel'),
      text('lo'),
      chunk({ message: { content: 'Hello' }, finish_reason: 'stop' }),
    ],
  ],
  [
    'all of it again in a whole answer behind its end',
    [role, text('Hel'), text('lo'), end('stop'), chunk({ message: { content: 'Hello' } })],
  ],
  [
    'log probabilities without lists of others, and without numbers',
    [
      role,
      chunk({ delta: { content: 'Hel' }, logprobs: { content: [{ token: 'Hel', logprob: -1 }] } }),
      chunk({ delta: { content: 'lo' }, logprobs: { content: [{ token: 'lo', logprob: null }] } }),
      end('stop'),
    ],
  ],
  [
    'a parsed file among its annotations, and a citation that is flat',
    [
      role,
      chunk({ delta: { content: 'Hel', annotations: [{ type: 'file', file: { hash: 'x' } }] } }),
      chunk({
        delta: {
          content: 'lo',
          annotations: [{ type: 'url_citation', url: 'https://a.example', title: 'A' }],
        },
      }),
      end('stop'),
    ],
  ],
  [
    'a word of the provider behind it beside its finish reason',
    [role, text('Hello'), chunk({ delta: {}, finish_reason: 'stop', native_finish_reason: 'eos' })],
  ],
  ['bare text in its choices', [chunk({ text: 'Hel' }), chunk({ text: 'lo' }), end('stop')]],
  [
    'annotations that are none, and one without its place',
    [
      role,
      text('Hel'),
      chunk({
        delta: {
          content: 'lo',
          annotations: [null, { type: 'url_citation', url_citation: { url: 'https://a.example' } }],
        },
      }),
      end('stop'),
    ],
  ],
  [
    'the text "null" as finish reason until the end',
    [
      role,
      ...['Hel', 'lo'].map((content) => chunk({ delta: { content }, finish_reason: 'null' })),
      end('stop'),
    ],
  ],
  ['the text "None" as its only finish reason', [role, text('Hel'), text('lo'), end('None')]],
  ['a finish reason for calls, and none', [role, text('Hel'), text('lo'), end('tool_calls')]],
  [
    'calls without a name',
    [
      role,
      chunk({ delta: { content: 'Hel', tool_calls: [{}] } }),
      chunk({ delta: { content: 'lo', tool_calls: [{ index: 0, function: {} }] } }),
      end('stop'),
    ],
  ],
  ...['STOP', 'eos', 'end_turn', 'COMPLETE', 'stop_sequence', 'surprise', 7].map(
    (reason): [string, object[]] => [
      `the finish reason ${String(reason)}`,
      [role, text('Hel'), text('lo'), end(reason)],
    ],
  ),
];

const hello = [role, text('Hel'), text('lo'), end('stop'), usageChunk];
const pretty = (sse: string, prefix: string): string =>
  sse.replace(/data: (\{.*\})/g, (_event, json: string) =>
    JSON.stringify(JSON.parse(json), null, 2).replace(/^/gm, prefix),
  );
const utf16 = (text: string, isBig = false): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};
const framed: [string, (sse: string) => string | Buffer, string?][] = [
  ['events of many lines', (sse) => pretty(sse, 'data: ')],
  [
    'events of many lines, of which the first alone is called data',
    (sse) => pretty(sse, '').replace(/^\{/gm, 'data: {'),
  ],
  ['events of many lines that are not called so', (sse) => pretty(sse, '')],
  ['events of many lines that are called JSON', (sse) => pretty(sse, ''), 'application/x-ndjson'],
  ['UTF-16', (sse) => utf16(sse)],
  ['UTF-16, the other way round', (sse) => utf16(sse, true)],
  ['lines that end in CR', (sse) => sse.replaceAll('\n', '\r')],
  ['lines that end in CR and LF', (sse) => sse.replaceAll('\n', '\r\n')],
  ['an end marker of another form', (sse) => sse.replace('[DONE]', 'DONE')],
  ['an end marker that is JSON', (sse) => sse.replace('[DONE]', 'null')],
  [
    'lines of JSON in place of events',
    (sse) => sse.replaceAll(/data: (\[DONE\])?/g, '').replaceAll('\n\n', '\n'),
    'application/x-ndjson',
  ],
  [
    'lines of JSON that are called events',
    (sse) => sse.replaceAll(/data: (\[DONE\])?/g, '').replaceAll('\n\n', '\n'),
  ],
  ['blanks and NULs before its lines', (sse) => sse.replaceAll('data: ', '\0 \tdata: ')],
  [
    'words that keep the connection alive',
    (sse) => sse.replaceAll('data: ', 'data: ping\n\ndata: '),
  ],
  ['one newline between its events', (sse) => sse.replaceAll('\n\n', '\n')],
  ['control characters that are not escaped', (sse) => sse.replaceAll('"m"', '"m\t\u001b[0m"')],
  [
    'numbers that only Python writes',
    (sse) => sse.replace('"finish_reason":null', '"finish_reason":null,"n":[NaN,-Infinity,"NaN"]'),
  ],
];

describe.each(Object.keys(readers))('an odd answer, read by %s,', (reader) => {
  it.each(streamedAnswers)('is a text where the stream has %s', async (what, chunks) => {
    const sent =
      what === 'no [DONE]'
        ? stream([role, text('Hel'), text('lo'), end('stop'), usageChunk], false)
        : stream(chunks);
    expect(await understood(reader, sent)).toEqual({ text: 'Hello', calls: [], finish: 'stop' });
  });

  it.each(framed)('is a text where the stream has %s', async (_what, write, label) => {
    const sent = {
      raw: Buffer.from(write(`${hello.map(frame).join('')}data: [DONE]\n\n`) as string),
      contentType: label ?? 'text/event-stream',
    };
    expect(await understood(reader, sent)).toEqual({ text: 'Hello', calls: [], finish: 'stop' });
  });

  it.each<[string, string, object]>([
    ['length', 'max_tokens', end('max_tokens')],
    ['length', 'model_length', end('model_length')],
    ['length', 'finishReason', chunk({ finish_reason: undefined, finishReason: 'MAX_TOKENS' })],
  ])('ends with %s where the stream says %s', async (finish, _written, last) => {
    expect(await understood(reader, stream([role, text('Hi'), last]))).toMatchObject({ finish });
  });

  const made = expect.stringMatching(/^\w{6,}/) as string;
  const city = (name: string): object => ({ city: name });
  const twice = JSON.stringify(JSON.stringify(city('Rome')));
  it.each<[string, object[], Understood['calls']]>([
    [
      'empty ids',
      [
        call(piece({ index: 0, id: '', type: 'function' }, 'weather', '{"city":"Rome"}')),
        call(piece({ index: 1, id: '', type: 'function' }, 'weather', '{"city":"Oslo"}')),
      ],
      [
        { id: made, name: 'weather', input: city('Rome') },
        { id: made, name: 'weather', input: city('Oslo') },
      ],
    ],
    [
      'no ids, types or indices',
      [
        call(piece({}, 'weather', '{"city":"Rome"}')),
        call(piece({}, 'weather', '{"city":"Oslo"}')),
      ],
      [
        { id: made, name: 'weather', input: city('Rome') },
        { id: made, name: 'weather', input: city('Oslo') },
      ],
    ],
    [
      'id and name in each piece',
      [
        ...['', '{"ci', 'ty":"Ro', 'me"}'].map((args) =>
          call(piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather', args)),
        ),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'arguments as an object',
      [call(piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather', city('Rome')))],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'arguments that are encoded twice',
      [
        call(piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather', twice.slice(0, 1))),
        call(piece({ index: 0 }, undefined, twice.slice(1, 6))),
        call(piece({ index: 0 }, undefined, twice.slice(6))),
        call(piece({ index: 1, id: 'call_abc2', type: 'function' }, 'weather', twice)),
        call(piece({ index: 2, id: 'call_abc3', type: 'function' }, 'weather', '"Rome"')),
      ],
      [
        { id: 'call_abc1', name: 'weather', input: city('Rome') },
        { id: 'call_abc2', name: 'weather', input: city('Rome') },
        { id: 'call_abc3', name: 'weather', input: expect.anything() },
      ],
    ],
    [
      'nothing behind arguments, and others for none',
      [
        call(piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather', '')),
        call(piece({ index: 0 }, undefined, '{"city":"Rome"}')),
        call(piece({ index: 0 }, undefined, '{}')),
        call(piece({ index: 0 }, undefined, 'null')),
        call(piece({ index: 1, id: 'call_abc2', type: 'function' }, 'weather', [])),
        call(piece({ index: 2, id: 'call_abc3', type: 'function' }, 'weather', '""')),
      ],
      [
        { id: 'call_abc1', name: 'weather', input: city('Rome') },
        { id: 'call_abc2', name: 'weather', input: {} },
        { id: 'call_abc3', name: 'weather', input: {} },
      ],
    ],
    ...[
      ['', '{"city":"Ro', '{"city":"Ro', '{"city":"Rome"}', '{"city":"Rome"}'],
      ['{', '{"', '{"city', '{"city":', '{"city":"Rome"', '{"city":"Rome"}'],
      ['{"city":', '{"city":"Rome"}'],
      ['{"city":', '"Ro', 'me"}', '{"city":"Rome"}'],
    ].flatMap((pieces) =>
      [{ id: 'call_abc1' }, {}].map((own): [string, object[], Understood['calls']] => [
        `all arguments so far in each piece, ${own.id ? 'with' : 'without'} an id: ${pieces.join(' ')}`,
        pieces.map((args, at) =>
          call(piece({ index: 0, ...own }, at === 0 || own.id ? 'weather' : undefined, args)),
        ),
        [{ id: own.id ?? made, name: 'weather', input: city('Rome') }],
      ]),
    ),
    [
      'an object inside arguments that begins as they do',
      [
        call(piece({ index: 0, id: 'call_abc1' }, 'weather', '{"city":')),
        call(piece({ index: 0 }, undefined, '{"city":{"city":')),
        call(piece({ index: 0 }, undefined, '1}}}')),
        call(piece({ index: 1, id: 'call_abc2' }, 'weather', '{"city":')),
        call(piece({ index: 1 }, undefined, '{"city":1}}')),
      ],
      [
        { id: 'call_abc1', name: 'weather', input: { city: { city: { city: 1 } } } },
        { id: 'call_abc2', name: 'weather', input: { city: { city: 1 } } },
      ],
    ],
    ...[{}, { id: '' }].map((none): [string, object[], Understood['calls']] => [
      `pieces of calls that have one index and ${'id' in none ? 'empty ids' : 'no ids'}`,
      [
        call(piece({ index: 0, ...none }, 'weather', '')),
        call(piece({ index: 0, ...none }, undefined, '{"city":')),
        call(piece({ index: 0, ...none }, undefined, '"Rome"}')),
        call(piece({ index: 0, ...none }, 'weather', '')),
        call(piece({ index: 0, ...none }, '', '{"city":"Oslo"}')),
        call(piece({ index: 0, ...none }, 'time', '')),
        call(piece({ index: 0, ...none }, undefined, '{}')),
      ],
      [
        { id: made, name: 'weather', input: city('Rome') },
        { id: made, name: 'weather', input: city('Oslo') },
        { id: made, name: 'time', input: {} },
      ],
    ]),
    [
      'indexes as text',
      [
        call(piece({ index: '0', id: 'call_abc1' }, 'weather', '')),
        call(piece({ index: '1', id: 'call_abc2' }, 'weather', '')),
        call(piece({ index: '0' }, undefined, '{"city":"Rome"}')),
        call(piece({ index: '1' }, undefined, '{"city":"Oslo"}')),
      ],
      [
        { id: 'call_abc1', name: 'weather', input: city('Rome') },
        { id: 'call_abc2', name: 'weather', input: city('Oslo') },
      ],
    ],
    [
      'pieces of two calls by their ids alone',
      [
        call(piece({ id: 'call_abc1', type: 'function' }, 'weather', '')),
        call(piece({ id: 'call_abc2', type: 'function' }, 'weather', '')),
        call(piece({ id: 'call_abc1' }, undefined, '{"city":"Rome"}')),
        call(piece({ id: 'call_abc2' }, undefined, '{"city":"Oslo"}')),
      ],
      [
        { id: 'call_abc1', name: 'weather', input: city('Rome') },
        { id: 'call_abc2', name: 'weather', input: city('Oslo') },
      ],
    ],
    [
      'pieces without a function',
      [
        call(piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather', '{"city":"Rome"}')),
        call({ index: 0, function: null }, { index: 0, function: [] }, { index: 0 }),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      "a call in OpenAI's older form",
      [
        chunk({ delta: { function_call: { name: 'weather', arguments: '' } } }),
        chunk({ delta: { function_call: { arguments: '{"city":"Rome"}' } } }),
      ],
      [{ id: made, name: 'weather', input: city('Rome') }],
    ],
    [
      'one call that is no list',
      [chunk({ delta: { tool_calls: piece({ id: 'call_abc1' }, 'weather', '{"city":"Rome"}') } })],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'an id that comes late',
      [
        call(piece({ index: 0, id: '' }, 'weather', '')),
        call(piece({ index: 0, id: 'call_late' }, '', '{"city":"Rome"}')),
      ],
      [{ id: made, name: 'weather', input: city('Rome') }],
    ],
    [
      'another id with each piece',
      [
        call(piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather', '{"city":')),
        call(piece({ index: 0, id: 'call_abc2' }, null, '"Rome"}')),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'one id for two calls',
      [
        call(piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather', '{"city":"Rome"}')),
        call(piece({ index: 1, id: 'call_abc1', type: 'function' }, 'weather', '{"city":"Oslo"}')),
      ],
      [
        { id: 'call_abc1', name: 'weather', input: city('Rome') },
        { id: made, name: 'weather', input: city('Oslo') },
      ],
    ],
    [
      'objects as arguments, each at index 0',
      [
        call(
          piece({ index: 0 }, 'weather', city('Rome')),
          piece({ index: 0 }, 'weather', city('Oslo')),
        ),
      ],
      [
        { id: made, name: 'weather', input: city('Rome') },
        { id: made, name: 'weather', input: city('Oslo') },
      ],
    ],
    [
      'all of the arguments again at the end',
      [
        call(piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather', '{"city":')),
        call(piece({ index: 0 }, undefined, '"Rome"}')),
        call(piece({ index: 0, id: 'call_abc1' }, 'weather', '{"city":"Rome"}')),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'a second call begun at the index of the first, which goes on at its own',
      [
        call(piece({ index: 0, id: 'call_abc1' }, 'weather', '')),
        call(piece({ index: 0 }, undefined, '{"city":"Rome"}')),
        call(piece({ index: 0, id: 'call_abc2' }, 'weather', '')),
        call(piece({ index: 1 }, undefined, '{"city":')),
        call(piece({ index: 1 }, undefined, '"Oslo"}')),
      ],
      [
        { id: 'call_abc1', name: 'weather', input: city('Rome') },
        { id: 'call_abc2', name: 'weather', input: city('Oslo') },
      ],
    ],
    ...[undefined, null].map((index): [string, object[], Understood['calls']] => [
      `${String(index)} as the index where its last call goes on`,
      [
        call(piece({ index: 0, id: 'call_abc1' }, 'weather', '{"city":"Rome"}')),
        call(piece({ index: 1, id: 'call_abc2' }, 'weather', '')),
        call(piece({ index }, undefined, '{"city":')),
        call(piece({ index }, undefined, '"Oslo"}')),
      ],
      [
        { id: 'call_abc1', name: 'weather', input: city('Rome') },
        { id: 'call_abc2', name: 'weather', input: city('Oslo') },
      ],
    ]),
    [
      'no index where two calls go on in one list',
      [
        call(piece({ id: 'call_abc1' }, 'weather', ''), piece({ id: 'call_abc2' }, 'weather', '')),
        call(piece({}, undefined, '{"city":"Rome"}'), piece({}, undefined, '{"city":"Oslo"}')),
      ],
      [
        { id: 'call_abc1', name: 'weather', input: city('Rome') },
        { id: 'call_abc2', name: 'weather', input: city('Oslo') },
      ],
    ],
    [
      'another index where its only call goes on',
      [
        call(piece({ index: 1, id: 'call_abc1' }, 'weather', '')),
        call(piece({ index: 0 }, undefined, '{"city":"Rome"}')),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'another id and the name in each piece',
      ['', '{"city":', '"Rome"}'].map((args, at) =>
        call(piece({ index: 0, id: `call_abc${at + 1}` }, 'weather', args)),
      ),
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'its calls again in a message at its end',
      [
        call(piece({ index: 0, id: 'call_abc1' }, 'weather', '{"city":"Rome"}')),
        chunk({
          message: { tool_calls: [piece({ id: 'call_abc1' }, 'weather', '{"city":"Rome"}')] },
        }),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'empty arguments before the real ones',
      [
        call(piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather', '{}')),
        call(piece({ index: 0 }, undefined, '{"city":"Rome"}')),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'no arguments',
      [call(piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather', ''))],
      [{ id: 'call_abc1', name: 'weather', input: {} }],
    ],
    [
      'the name late',
      [
        call({ index: 0, id: 'call_abc1', type: 'function', function: null }),
        call(piece({ index: 0 }, 'weather', '{"city":"Rome"}')),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'name and arguments beside the id, and another type',
      [call({ index: 0, id: 'call_abc1', type: 'call', name: 'weather', arguments: city('Rome') })],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'white space around the name',
      [call(piece({ index: 0, id: 'call_abc1' }, ' weather\n', '{"city":"Rome"}'))],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'marks of its format behind the name',
      [
        call(
          piece({ index: 0, id: 'call_abc1' }, 'weather<|channel|>commentary', '{"city":"Rome"}'),
        ),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'calls beside the delta',
      [
        chunk({
          delta: {},
          tool_calls: [piece({ id: 'call_abc1' }, 'weather', '{"city":"Rome"}')],
        }),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'its arguments behind a finish reason',
      [
        call(piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather', '')),
        end('tool_calls'),
        call(piece({ index: 0 }, undefined, '{"city":"Rome"}')),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'a finish reason in the middle of its arguments, and no other',
      [
        call(piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather', '{"city":')),
        end('tool_calls'),
        { ...chunk({}), choices: [] },
        call(piece({ index: 0 }, undefined, '"Rome"}')),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'line breaks in its arguments that are not escaped',
      [
        call(piece({ index: 0, id: 'call_abc1' }, 'weather', '{\n\t"city":"Ro\n')),
        call(piece({ index: 0 }, undefined, 'me\\')),
        call(piece({ index: 0 }, undefined, '"\t\u0001"\n}')),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Ro\nme"\t\u0001') }],
    ],
    [
      'all its arguments again at the end, with line breaks that are not escaped',
      [
        call(piece({ index: 0, id: 'call_abc1' }, 'weather', '{"city":"Ro\n')),
        call(piece({ index: 0 }, undefined, 'me"}')),
        call(piece({ index: 0 }, undefined, '{"city":"Ro\nme"}')),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Ro\nme') }],
    ],
    [
      'a finish reason in each chunk',
      [
        end('tool_calls', {
          tool_calls: [piece({ index: 0, id: 'call_abc1', type: 'function' }, 'weather')],
        }),
        end('tool_calls', { content: '' }),
        ...['{"ci', 'ty":"Rome"}'].map((args) =>
          end('tool_calls', { tool_calls: [piece({ index: 0 }, undefined, args)] }),
        ),
      ],
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'a number for its id',
      [call(piece({ index: 0, id: 1234567 }, 'weather', '{"city":"Rome"}'))],
      [{ id: '1234567', name: 'weather', input: city('Rome') }],
    ],
  ])('has its calls where the stream has %s and ends with stop', async (_name, pieces, calls) => {
    const read = await understood(reader, stream([role, ...pieces, end('stop')]));
    expect(read).toEqual({ text: '', calls, finish: 'tool_calls' });
    expect(new Set(read.calls.map(({ id }) => id)).size).toBe(calls.length);
  });

  it.each<[string, Fields, Understood['calls']]>([
    [
      'empty ids',
      {
        tool_calls: ['Rome', 'Oslo'].map((name) =>
          piece({ id: '', type: 'function' }, 'weather', JSON.stringify(city(name))),
        ),
      },
      ['Rome', 'Oslo'].map((name) => ({ id: made, name: 'weather', input: city(name) })),
    ],
    [
      'no type, and arguments as an object',
      { tool_calls: [piece({ id: 'call_abc1' }, 'weather', city('Rome'))] },
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'arguments that are encoded twice',
      { tool_calls: [piece({ id: 'call_abc1', type: 'function' }, 'weather', twice)] },
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'one id for two calls',
      {
        tool_calls: ['Rome', 'Oslo'].map((name) =>
          piece({ id: 'call_abc1', type: 'function' }, 'weather', JSON.stringify(city(name))),
        ),
      },
      [
        { id: 'call_abc1', name: 'weather', input: city('Rome') },
        { id: made, name: 'weather', input: city('Oslo') },
      ],
    ],
    ...['parameters', 'input', 'args'].map((field): [string, Fields, Understood['calls']] => [
      `another name for the arguments: ${field}`,
      {
        tool_calls: [
          { id: 'call_abc1', function: { name: 'weather', [field]: city('Rome') } },
          { id: 'call_abc2', name: 'weather', [field]: JSON.stringify(city('Oslo')) },
        ],
      },
      ['Rome', 'Oslo'].map((name, at) => ({
        id: `call_abc${at + 1}`,
        name: 'weather',
        input: city(name),
      })),
    ]),
    [
      "OpenAI's older form of a call beside the newer",
      {
        function_call: { name: 'weather', arguments: '{"city":"Rome"}' },
        tool_calls: [piece({ id: 'call_abc1', type: 'function' }, 'weather', '{"city":"Rome"}')],
      },
      [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
    ],
    [
      'an empty list as arguments, and blanks',
      {
        tool_calls: [
          piece({ id: 'call_abc1', type: 'function' }, 'weather', []),
          piece({ id: 'call_abc2', type: 'function' }, 'weather', '[]'),
          piece({ id: 'call_abc3', type: 'function' }, 'weather', ' '),
        ],
      },
      [1, 2, 3].map((at) => ({ id: `call_abc${at}`, name: 'weather', input: {} })),
    ],
    [
      'line breaks in its arguments that are not escaped',
      { tool_calls: [piece({ id: 'call_abc1' }, 'weather', '{\n"city":"Ro\n\tme"}')] },
      [{ id: 'call_abc1', name: 'weather', input: city('Ro\n\tme') }],
    ],
    [
      'no arguments, and a call without a name',
      { tool_calls: [{}, piece({ id: 'call_abc1', type: 'function' }, 'weather', '')] },
      [{ id: 'call_abc1', name: 'weather', input: {} }],
    ],
  ])('has its calls where the body has %s', async (_name, message, calls) => {
    const body = whole({
      message: { role: 'assistant', content: null, ...message },
      finish_reason: 'stop',
    });
    expect(await understood(reader, body)).toEqual({ text: '', calls, finish: 'tool_calls' });
  });

  it.each(['\n\ndata: [DONE]\n\n', '\ndata:[DONE]', '\r\n\r\ndata: [DONE]\r\n\r\n'])(
    'is a text where the end of a stream follows the body: %j',
    async (end) => {
      const choice = { message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' };
      const { raw, ...step } = whole(choice) as { raw: Buffer; contentType: string };
      const sent = { ...step, raw: Buffer.concat([raw, Buffer.from(end)]) };
      expect(await understood(reader, sent)).toEqual({ text: 'Hello', calls: [], finish: 'stop' });
    },
  );

  it('is a text where the body is UTF-16', async () => {
    const choice = { message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' };
    const { raw, contentType } = whole(choice) as { raw: Buffer; contentType: string };
    for (const isBig of [true, false])
      expect(
        await understood(reader, { raw: utf16(raw.toString(), isBig), contentType }),
      ).toMatchObject({ text: 'Hello', finish: 'stop' });
  });

  it('has U+FFFD for what is not UTF-8', async () => {
    const choice = { message: { role: 'assistant', content: 'Olé!' }, finish_reason: 'stop' };
    const { raw } = whole(choice) as { raw: Buffer };
    const streamed = [role, text('Olé!'), end('stop')].map(frame).join('');
    for (const [sent, contentType] of [
      [raw.toString(), 'application/json'],
      [streamed, 'text/event-stream'],
    ] as const)
      expect(
        await understood(reader, { raw: Buffer.from(sent, 'latin1'), contentType }),
      ).toMatchObject({ text: 'Ol\ufffd!' });
  });

  it.each([
    ['in the message', { message: { content: 'Hi', finish_reason: 'length' } }, {}],
    ['beside the choices', { message: { content: 'Hi' } }, { finish_reason: 'length' }],
  ])('ends with length where the body says so %s', async (_where, choice, envelope) => {
    const { raw, contentType } = whole(choice) as { raw: Buffer; contentType: string };
    const body = JSON.stringify({ ...(JSON.parse(raw.toString()) as object), ...envelope });
    expect(await understood(reader, { raw: Buffer.from(body), contentType })).toMatchObject({
      text: 'Hi',
      finish: 'length',
    });
  });

  it.each<[string, Fields, object?]>([
    ['no finish reason', { finish_reason: null }],
    ['another index, and no role', { index: '1', message: { content: 'Hello' } }],
    ['bare text', { message: undefined, text: 'Hello' }],
    ['odd log probabilities', { logprobs: [] }],
    ['annotations that are none', { message: { content: 'Hello', annotations: [null] } }],
    ['a content that is an object', { message: { content: { text: 'Hello' } } }],
    ['a number that only Python writes', { logprobs: { n: 'NaN!' } }],
    ['usage as text', {}, { usage: { prompt_tokens: '3', completion_tokens: '2.0' } }],
    ['an odd envelope', {}, { id: 7, created: '1', model: null, error: {} }],
    ['negative counts', {}, { usage: { prompt_tokens: -1, completion_tokens: -1 } }],
  ])('is a text where the body has %s', async (_name, choice, envelope = {}) => {
    const { raw } = whole({
      message: { role: 'assistant', content: 'Hello' },
      finish_reason: 'stop',
      ...choice,
    }) as { raw: Buffer };
    const body = { ...(JSON.parse(raw.toString()) as object), ...envelope };
    const json = JSON.stringify(body).replace('"NaN!"', 'NaN');
    const sent = { raw: Buffer.from(json), contentType: 'application/json' };
    expect(await understood(reader, sent)).toEqual({ text: 'Hello', calls: [], finish: 'stop' });
  });

  it.each(['data', 'result', 'response', 'output', 'body'])(
    'is a text where a relay has put the body into %s',
    async (field) => {
      const { raw } = whole({
        message: { role: 'assistant', content: 'Hello' },
        finish_reason: 'stop',
      }) as { raw: Buffer };
      const body = { code: 0, message: 'success', [field]: JSON.parse(raw.toString()) as object };
      const inText = JSON.stringify({ statusCode: 200, [field]: raw.toString() });
      for (const json of [JSON.stringify(body), `[${raw.toString()}]`, inText])
        expect(
          await understood(reader, { raw: Buffer.from(json), contentType: 'application/json' }),
        ).toEqual({ text: 'Hello', calls: [], finish: 'stop' });
    },
  );

  it('has its text and its calls where they are in choices of their own', async () => {
    const called = piece({ id: 'call_abc1', type: 'function' }, 'weather', '{"city":"Rome"}');
    const { raw } = whole({ message: { role: 'assistant', content: 'Hello' } }) as { raw: Buffer };
    const body = JSON.parse(raw.toString()) as { choices: object[] };
    const calling = { message: { role: 'assistant', tool_calls: [called] } };
    body.choices.push({ ...calling, finish_reason: 'tool_calls' });
    const sent = { raw: Buffer.from(JSON.stringify(body)), contentType: 'application/json' };
    expect(await understood(reader, sent)).toEqual({
      text: 'Hello',
      calls: [{ id: 'call_abc1', name: 'weather', input: city('Rome') }],
      finish: 'tool_calls',
    });
  });

  it('is a text where the body has a finish reason that nobody knows', async () => {
    const body = whole({
      message: { role: 'assistant', content: 'Hello' },
      finish_reason: 'surprise',
    });
    expect(await understood(reader, body)).toEqual({ text: 'Hello', calls: [], finish: 'stop' });
  });
});

/** Those that send tools. */
const tooled = Object.entries({ ...readers, ...ownReaders }).filter(([name]) =>
  /AI SDK/.test(name),
);
describe.each(tooled)('the name of a call, read by %s,', (_reader, read) => {
  const own = { index: 0, id: 'call_abc1', type: 'function' };
  const args = piece({ index: 0 }, undefined, '{"city":"Rome"}');
  it.each<[string, object[]]>([
    ['in pieces', [piece(own, 'wea', ''), piece({ index: 0 }, 'ther', ''), args]],
    ['in pieces without ids', [piece({}, 'we'), piece({}, 'ath'), piece({}, 'er'), args]],
    [
      'in pieces, the last with arguments',
      [piece(own, 'wea'), piece({ index: 0 }, 'ther', '{"city":"Rome"}')],
    ],
    ['behind its arguments', [piece(own, '', '{"city":"Rome"}'), piece({ index: 0 }, 'weather')]],
    [
      'in a piece and then whole',
      [piece(own, 'wea', ''), piece({ index: 0 }, 'weather', ''), args],
    ],
  ])('is told whole where it comes %s', async (_what, pieces) => {
    const model = plays.newModel();
    plays.set(model, stream([role, ...pieces.map((one) => call(one)), end('tool_calls')]));
    expect(await read(gateway, `up/${model}`)).toMatchObject({
      calls: [{ name: 'weather', input: { city: 'Rome' } }],
      finish: 'tool_calls',
    });
  });

  it('is told as it is where it stays a part of a tool and has no arguments', async () => {
    const model = plays.newModel();
    plays.set(model, stream([role, call(piece(own, 'wea', '')), end('tool_calls')]));
    expect(await read(gateway, `up/${model}`)).toMatchObject({
      calls: [{ name: 'wea' }],
      finish: 'tool_calls',
    });
  });

  it('is not told where the limit of the answer has cut it', async () => {
    const model = plays.newModel();
    plays.set(model, stream([role, text('Hello'), call(piece(own, 'wea', '')), end('length')]));
    const heard = { text: 'Hello', calls: [], finish: 'length' };
    expect(await read(gateway, `up/${model}`)).toEqual(heard);
  });
});

describe('each frame of a corrected stream', () => {
  it('is what the SDK expects, and none is the frame that was corrected', async () => {
    const model = plays.newModel();
    plays.set(
      model,
      stream([
        chunk({ delta: undefined, content_filter_offsets: {} }),
        chunk({ delta: { role: 'assistant', content: 'Hel' }, finish_reason: '' }),
        chunk({ delta: { content: 'lo' }, finish_reason: '' }),
        call(piece({ id: '' }, 'weather', { city: 'Rome' })),
        end('eos'),
      ]),
    );
    const { frames } = await ask(gateway, ways[2]!, { models: [`up/${model}`] });
    const choices = frames.flatMap(({ data }) => {
      const parsed = data === '[DONE]' ? {} : (JSON.parse(data ?? '{}') as { choices?: Fields[] });
      return parsed.choices ?? [];
    });
    expect(choices.length).toBeGreaterThan(3);
    for (const choice of choices) {
      expect(choice['delta']).toEqual(expect.any(Object));
      expect([null, 'tool_calls']).toContain(choice['finish_reason']);
    }
  });
});

it('no client gets a finish reason twice, or counts below 0', async () => {
  const model = plays.newModel();
  const counts = { prompt_tokens: -1, completion_tokens: -1, total_tokens: -2 };
  const last = { ...usageChunk, usage: counts };
  plays.set(model, stream([role, text('Hi'), end('stop'), end('stop'), last]));
  const { frames } = await ask(gateway, ways[2]!, { models: [`up/${model}`] });
  const sent = frames.map(({ data }) => data ?? '').join('');
  expect(sent.match(/"finish_reason":"stop"/g)).toHaveLength(1);
  expect(sent).not.toContain(':-');
});

it('arguments that were encoded twice and cut off are told as far as they came', async () => {
  const model = plays.newModel();
  const cut = call(piece({ index: 0, id: 'call_1' }, 'weather', '"{\\"city\\":\\"Ro'));
  plays.set(model, stream([role, cut, end('length')]));
  const { frames } = await ask(gateway, ways[2]!, { models: [`up/${model}`] });
  const args = frames.map(
    ({ data = '' }) => /"arguments":("(?:[^"\\]|\\.)*")/.exec(data)?.[1] ?? '""',
  );
  expect(args.map((text) => JSON.parse(text) as string).join('')).toBe('{"city":"Ro');
});

describe('a body that is not what its headers say', () => {
  const choice = { message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' };
  const { raw: json } = whole(choice) as { raw: Buffer };
  const sse = Buffer.from(hello.map(frame).join(''));
  const refusal = Buffer.from('{"error":{"message":"bad temperature"}}');
  it.each<[string, Buffer, string, number?]>([
    ['JSON called gzip', json, 'gzip'],
    ['a stream called br', sse, 'br'],
    ['JSON called zstd', json, 'zstd'],
    ['gzip called nothing', gzipSync(json), ''],
    ['gzip called br', gzipSync(json), 'br'],
    ['JSON called by another word', json, 'application/json'],
    ['an error called gzip', refusal, 'gzip', 400],
  ])('is read by its first bytes: %s', async (_name, raw, encoding, status = 200) => {
    for (const way of ways) {
      const model = plays.newModel();
      const contentType = raw === sse ? 'text/event-stream' : 'application/json';
      plays.set(model, { raw, contentType, status, headers: { 'content-encoding': encoding } });
      const heard = await ask(gateway, way, { models: [`up/${model}`] });
      if (status === 200) expect(heard).toMatchObject({ ended: 'whole', text: 'Hello' });
      else expect(heard.message).toContain('bad temperature');
      expect(plays.of(model)).toHaveLength(1);
    }
  });
});

it.each([
  ['no event at all', ''],
  ['comments alone', ': ping\n\n'],
  ['words alone', 'data: Internal Server Error\n\n'],
])('a stream with %s is asked for once more', async (_name, text) => {
  for (const way of ways) {
    const model = plays.newModel();
    plays.set(model, { raw: Buffer.from(text), contentType: 'text/event-stream' });
    expect((await ask(gateway, way, { models: [`up/${model}`] })).ended).toBe('refused');
    expect(plays.of(model)).toHaveLength(2);
  }
});

it("reads the older form of llama.cpp's errors", async () => {
  const model = plays.newModel();
  const raw = Buffer.from(
    'error: {"code":400,"message":"too long","type":"invalid_request_error"}\n\n',
  );
  plays.set(model, { raw, contentType: 'text/event-stream' });
  const heard = await ask(gateway, ways[2]!, { models: [`up/${model}`] });
  expect(heard).toMatchObject({
    ended: 'refused',
    message: expect.stringContaining('too long') as string,
  });
  expect(plays.of(model)).toHaveLength(1);
});

describe('an event that is named an error', () => {
  it.each([
    ['words', 'upstream failed', 'upstream failed'],
    ['a status and a reason', '{"status":500,"reason":"none"}', 'an error without a message'],
  ])('fails the answer and is told, where it has %s', async (_what, data, told) => {
    const model = plays.newModel();
    const sent = `${[role, text('Hel')].map(frame).join('')}event: error\ndata: ${data}\n\n`;
    plays.set(model, {
      raw: Buffer.from(`${sent}${frame(end('stop'))}data: [DONE]\n\n`),
      contentType: 'text/event-stream',
    });
    const heard = await ask(gateway, ways[0]!, { models: [`up/${model}`] });
    expect(heard).toMatchObject({ ended: 'broken' });
    expect(heard.message).toContain(told);
  });
});

it('a refusal that comes as an event is told as one', async () => {
  const model = plays.newModel();
  const error = { code: 'context_length_exceeded', message: 'no room' };
  const raw = Buffer.from(`event: error\ndata: ${JSON.stringify({ error })}\n\ndata: [DONE]\n\n`);
  plays.set(model, { status: 400, raw, contentType: 'text/event-stream' });
  const heard = await ask(gateway, ways[2]!, { models: [`up/${model}`] });
  expect(heard).toMatchObject({ ended: 'refused', error: { code: 'context_length_exceeded' } });
  expect(heard.message).toBe('up answered 400: no room (context_length_exceeded)');
});

describe('a provider that says that it broke off', () => {
  it.each(['network_error', 'MALFORMED_FUNCTION_CALL'])(
    'is asked once more where the one behind it said %s',
    async (native) => {
      const model = plays.newModel();
      const broken = chunk({ delta: {}, finish_reason: 'stop', native_finish_reason: native });
      plays.set(model, stream([role, broken]));
      const heard = await ask(gateway, ways[1]!, { models: [`up/${model}`] });
      expect(heard.ended).not.toBe('whole');
      expect(plays.of(model)).toHaveLength(2);
    },
  );

  it.each([
    ...['error', 'network_error', 'engine_error', 'insufficient_system_resource', 'abort'],
    ...['UNEXPECTED_TOOL_CALL', 'function_call_filter: MALFORMED_FUNCTION_CALL'],
    'network_error: timeout',
  ])(
    'with the finish reason %s is asked once more before the commit, and then the next one',
    async (reason) => {
      for (const way of ways) {
        const [model, good] = [plays.newModel(), plays.newModel()];
        plays.set(model, stream([role, end(reason)]));
        if (!way.streamed && way.surface === 'openai')
          plays.set(
            model,
            whole({ message: { role: 'assistant', content: 'Hal' }, finish_reason: reason }),
          );
        const models = [`up/${model}`, `good/${good}`];
        expect(await ask(gateway, way, { models })).toMatchObject({ ended: 'whole', model: good });
        expect(plays.of(model)).toHaveLength(2);
      }
    },
  );

  it.each(streamedRows)('after its first text breaks the stream, asked %s', async (_name, way) => {
    const model = plays.newModel();
    plays.set(model, stream([role, text('Hel'), end('network_error')]));
    expect(await ask(gateway, way, { models: [`up/${model}`] })).toMatchObject({
      ended: 'broken',
      message: 'up broke off its answer with the finish reason network_error',
    });
  });
});

describe('an answer without a finish reason', () => {
  it.each(wayRows.filter(([, { streamed, surface }]) => streamed || surface === 'native'))(
    'is a fault, [DONE] or not, asked %s',
    async (_name, way) => {
      for (const done of [true, false]) {
        const model = plays.newModel();
        plays.set(model, stream([role, text('Hel')], done));
        const heard = await ask(gateway, way, { models: [`up/${model}`] });
        expect(heard.ended).toBe(way.streamed ? 'broken' : 'refused');
        // not three calls that are paid for
        expect(plays.of(model)).toHaveLength(way.streamed ? 1 : 2);
      }
    },
  );
});

it("a filter's finish reason is told as one where Google puts its own word behind it", async () => {
  const model = plays.newModel();
  plays.set(model, stream([role, text('Hi'), end('content_filter: OTHER')]));
  const { last } = await ask(gateway, ways[0]!, { models: [`up/${model}`] });
  expect(last).toMatchObject({ finishReason: 'content_filter' });
});

describe('a finish reason that nobody knows', () => {
  it('is logged once and counted', async () => {
    const model = plays.newModel();
    plays.set(model, stream([role, text('Hi'), end('sudden_rain')]));
    const counted = async (): Promise<number> => {
      const { text: page } = await fetchPage('GET', `${gateway.url}/metrics`, {});
      return Number(/unknown_finish_reasons_total\{provider="up"\} (\d+)/.exec(page)?.[1] ?? 0);
    };
    const before = await counted();
    const body = { model: `up/${model}`, messages: [{ role: 'user', content: 'Hi' }] };
    for (const stream of [true, false, true])
      await post(`${gateway.url}/v1/chat/completions`, { ...body, stream }, gateway.auth);
    expect((await counted()) - before).toBe(3);
    expect(log.lines.filter(({ msg }) => String(msg).includes('sudden_rain'))).toHaveLength(1);
  });
});

describe('a native stream', () => {
  it('that breaks within a call, before anything was written, is retried and falls back', async () => {
    const [model, good] = [plays.newModel(), plays.newModel()];
    const opened = [
      role,
      call(piece({ index: 0, id: 'call_1', type: 'function' }, 'weather', '{"city')),
    ];
    plays.set(model, stream(opened, false));
    plays.set(good, { toolCalls: [{ name: 'other', arguments: {} }] });
    const models = [`up/${model}`, `good/${good}`];
    const heard = await ask(gateway, ways[0]!, { models });
    expect(heard).toMatchObject({
      ended: 'whole',
      model: good,
      last: { message: { tool_calls: [{ function: { name: 'other' } }] } },
    });
    expect(heard.errorTrace).toHaveLength(plays.of(model).length);
    expect(plays.of(model).length).toBeGreaterThan(1);
  });

  it('that breaks after reasoning was written does not', async () => {
    const [model, good] = [plays.newModel(), plays.newModel()];
    plays.set(model, stream([role, chunk({ delta: { reasoning_content: 'Hm' } })], false));
    const models = [`up/${model}`, `good/${good}`];
    expect(await ask(gateway, ways[0]!, { models })).toMatchObject({ ended: 'broken' });
  });
});

describe('the reasoning of a native answer', () => {
  it('goes back with its calls as reasoning_content', async () => {
    const model = plays.newModel();
    plays.set(model, { reasoning: ['Hm, ', 'yes'], toolCalls: [{ name: 'f', arguments: {} }] }, {});
    const first = await ask(gateway, ways[1]!, { models: [`up/${model}`] });
    const { message } = first.last as { message: { tool_calls: { id: string }[] } };
    expect(message).toMatchObject({ reasoning: 'Hm, yes' });
    const messages = [
      { role: 'user', content: 'Hi' },
      message,
      { role: 'tool', tool_call_id: message.tool_calls[0]?.id, content: '1' },
    ];
    const { status } = await post(
      `${gateway.url}/api/v1/completions`,
      { models: [`deepseek/${model}`], messages },
      gateway.auth,
    );
    expect(status).toBe(200);
    expect(plays.of(model)[1]?.body?.['messages']).toMatchObject([
      {},
      { role: 'assistant', reasoning_content: 'Hm, yes' },
      {},
    ]);
  });
});

it('reasoning that is a list or an object is told as a text', async () => {
  for (const reasoning of [[{ type: 'text', text: 'Hm' }], { text: 'Hm' }]) {
    const model = plays.newModel();
    plays.set(model, stream([role, chunk({ delta: { reasoning } }), text('Hi'), end('stop')]));
    const { last } = await ask(gateway, ways[1]!, { models: [`up/${model}`] });
    expect(last).toMatchObject({ message: { reasoning: 'Hm' } });
  }
});

describe('usage of a stream', () => {
  const asked = { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 };
  const told = { promptTokens: 30, completionTokens: 20 };
  const cached = { ...told, cachedTokens: 10 };
  const written = { ...cached, cacheWriteTokens: 5 };
  it.each<[string, object[], object]>([
    [
      'is its last where it is counted so far in each chunk',
      [{ ...text('l'), usage: { prompt_tokens: 30, completion_tokens: 1 } }, { usage: asked }],
      told,
    ],
    [
      'is not what comes with counts of 0 behind it',
      [{ usage: asked }, { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }],
      told,
    ],
    ['is found in the last delta', [{ choices: [{ index: 0, delta: { usage: asked } }] }], told],
    [
      'has cached tokens by the names of LiteLLM',
      [{ usage: { ...asked, cache_read_input_tokens: 10, cache_creation_input_tokens: 5 } }],
      written,
    ],
    [
      'has written tokens by another name',
      [
        {
          usage: {
            ...asked,
            prompt_tokens_details: { cached_tokens: 10, cache_creation_tokens: 5 },
          },
        },
      ],
      written,
    ],
    [
      'includes cached tokens where it has the names of Anthropic',
      [
        {
          usage: {
            ...{ input_tokens: 15, output_tokens: 20 },
            ...{ cache_read_input_tokens: 10, cache_creation_input_tokens: 5 },
          },
        },
      ],
      written,
    ],
    [
      'has the details of Responses',
      [
        {
          usage: {
            ...{ input_tokens: 30, output_tokens: 20 },
            ...{ input_tokens_details: { cached_tokens: 10 } },
            ...{ output_tokens_details: { reasoning_tokens: 7 } },
          },
        },
      ],
      { ...cached, reasoningTokens: 7 },
    ],
    [
      'includes cached tokens that only the total includes',
      [
        {
          usage: {
            ...{ prompt_tokens: 20, completion_tokens: 20, total_tokens: 50 },
            prompt_tokens_details: { cached_tokens: 10 },
          },
        },
      ],
      cached,
    ],
    [
      'includes cached tokens that are more than its prompt, where no total says otherwise',
      [
        {
          usage: {
            ...{ prompt_tokens: 5, completion_tokens: 20 },
            prompt_tokens_details: { cached_tokens: 25 },
          },
        },
      ],
      { promptTokens: 30, cachedTokens: 25 },
    ],
    [
      'includes them where the total is null',
      [
        {
          usage: {
            ...{ prompt_tokens: 5, completion_tokens: 20, total_tokens: null },
            prompt_tokens_details: { cached_tokens: 25 },
          },
        },
      ],
      { promptTokens: 30, cachedTokens: 25 },
    ],
    [
      'includes reasoning that only the total includes, as of Gemini',
      [{ usage: { ...asked, completion_tokens: 5 } }],
      { ...told, reasoningTokens: 15 },
    ],
    [
      'is the rest of the total where nothing else is told',
      [{ usage: { prompt_tokens: 30, total_tokens: 50 } }],
      told,
    ],
    [
      'is estimated where a count is absurd',
      [{ usage: { prompt_tokens: 1e300 } }],
      { estimated: true },
    ],
  ])('%s', async (_what, chunks, expected) => {
    const model = plays.newModel();
    const last = { ...usageChunk, usage: undefined };
    plays.set(
      model,
      stream([role, text('H'), end('stop'), ...chunks.map((one) => ({ ...last, ...one }))]),
    );
    const { usage: heard } = await ask(gateway, ways[1]!, { models: [`up/${model}`] });
    expect(heard).toMatchObject(expected);
  });

  it.each([0, 1])('is estimated for 2,000 characters of %s tokens', async (completion_tokens) => {
    const model = plays.newModel();
    const told = { ...usageChunk, usage: { ...asked, completion_tokens, total_tokens: null } };
    plays.set(model, stream([role, text('word '.repeat(400)), end('stop'), told]));
    const { usage: heard } = await ask(gateway, ways[1]!, { models: [`up/${model}`] });
    expect(heard).toMatchObject({ promptTokens: 30, completionTokens: 500, estimated: true });
  });

  it("has OpenAI's names for its clients, whatever names its server has", async () => {
    const model = plays.newModel();
    const named = { ...usageChunk, usage: { input_tokens: 30, output_tokens: 20 } };
    plays.set(model, stream([role, text('H'), end('stop'), named]));
    const { frames } = await ask(gateway, ways[2]!, {
      models: [`up/${model}`],
      more: { stream_options: { include_usage: true } },
    });
    expect(frames.map(({ data }) => data).join('')).toContain('"prompt_tokens":30');
  });

  it.each<[string, object, string]>([
    ['null', { completion_tokens: null, total_tokens: null }, '"completion_tokens":0'],
    ['missing', { total_tokens: 50 }, '"completion_tokens":20'],
  ])('has numbers for its clients where counts are %s', async (_what, counts, expected) => {
    const model = plays.newModel();
    const odd = { ...usageChunk, usage: { prompt_tokens: 30, ...counts } };
    plays.set(model, stream([role, text('H'), end('stop'), odd]));
    const { frames } = await ask(gateway, ways[2]!, {
      models: [`up/${model}`],
      more: { stream_options: { include_usage: true } },
    });
    expect(frames.map(({ data }) => data).join('')).toContain(expected);
  });
});
