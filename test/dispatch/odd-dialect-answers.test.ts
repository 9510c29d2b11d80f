import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningGateway } from '../helpers/gateway.js';
import { ownReaders, readers } from '../helpers/odd-answers.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import type { Step } from '../helpers/steps.js';
import { ask, ways } from '../helpers/ways.js';

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  const apiKey = 'k';
  ({ gateway, plays } = await startScripted((_up, url) => ({
    providers: {
      anthropic: { api: 'anthropic', baseUrl: `${url}/v1`, apiKey },
      responses: { api: 'openai-responses', baseUrl: `${url}/v1`, apiKey },
      openai: { api: 'openai-compatible', baseUrl: `${url}/v1`, apiKey },
      cohere: { api: 'cohere', baseUrl: url, apiKey },
      gemini: { api: 'gemini', baseUrl: `${url}/v1beta`, apiKey },
      aws: { api: 'bedrock', baseUrl: url, apiKey, region: 'eu-west-1' },
    },
  })));
});
afterAll(() => gateway.close());

type Event = Readonly<Record<string, unknown>>;

const rome = { city: 'Rome' };
const oslo = { city: 'Oslo' };
const romeJson = JSON.stringify(rome);

const block = (content_block: object, index: unknown = 0): Event => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (fields: object, index: unknown = 0): Event => ({
  type: 'content_block_delta',
  index,
  delta: fields,
});
const said = (text: unknown, index?: unknown): Event => delta({ type: 'text_delta', text }, index);
const json = (partial_json: unknown, index?: unknown): Event =>
  delta({ type: 'input_json_delta', partial_json }, index);
const stop = (index: unknown = 0): Event => ({ type: 'content_block_stop', index });
const tool = (fields: object, index?: unknown): Event =>
  block({ type: 'tool_use', name: 'weather', input: {}, ...fields }, index);
const message = (
  events: readonly Event[],
  reason: string,
  usage: object = { output_tokens: 2 },
): readonly Event[] => [
  {
    type: 'message_start',
    message: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] },
      ...{ stop_reason: null, stop_sequence: null },
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  },
  ...events,
  { type: 'message_delta', delta: { stop_reason: reason }, usage },
  { type: 'message_stop' },
];
const text = block({ type: 'text', text: '' });

const item = (fields: object, output_index: number): readonly Event[] => {
  const called = { type: 'function_call', name: 'weather', arguments: '', ...fields };
  return [
    { type: 'response.output_item.added', output_index, item: { ...called, arguments: '' } },
    { type: 'response.output_item.done', output_index, item: called },
  ];
};
const begunResponse = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] };
const response = (events: readonly Event[], usage: object): readonly Event[] => [
  { type: 'response.created', response: { ...begunResponse, status: 'in_progress' } },
  ...events,
  { type: 'response.completed', response: { ...begunResponse, status: 'completed', usage } },
];

/** An event inside the only item of an answer. */
const inside = (type: string, fields: object): Event => ({
  type: `response.${type}`,
  ...{ output_index: 0, item_id: 'msg_1', content_index: 0 },
  ...fields,
});
const responseText = (...texts: unknown[]): readonly Event[] => [
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'message', id: 'msg_1', role: 'assistant', content: [] },
  },
  inside('content_part.added', { part: { type: 'output_text', text: '', annotations: [] } }),
  ...texts.map((piece) => inside('output_text.delta', { delta: piece })),
];
const argumentsOf = (kind: string, fields: object): Event =>
  inside(`function_call_arguments.${kind}`, { item_id: 'fc_1', ...fields });
const counts = { input_tokens: 3, output_tokens: 2 };

const cohereCall = (fields: object, index: number): readonly Event[] => [
  { type: 'tool-call-start', index, delta: { message: { tool_calls: fields } } },
  { type: 'tool-call-end', index },
];
const cohere = (events: readonly Event[], reason = 'TOOL_CALL'): readonly Event[] => [
  { type: 'message-start', id: 'c-1', delta: { message: { role: 'assistant' } } },
  ...events,
  {
    type: 'message-end',
    delta: {
      finish_reason: reason,
      usage: { tokens: { input_tokens: '3', output_tokens: '2' } },
    },
  },
];
const named = (args: unknown): object => ({ function: { name: 'weather', arguments: args } });

const candidate = (index: number, said: string, fields: object = {}): object => ({
  index,
  content: { role: 'model', parts: [{ text: said }] },
  ...fields,
});
const finishReason = 'STOP';

const hello = { text: 'Hello', inputs: [] };
const one = { text: '', inputs: [rome] };
const two = { text: '', inputs: [rome, oslo] };

const answers: [string, string, readonly Event[], { text: string; inputs: object[] }][] = [
  ['a block that is not stopped', 'anthropic', message([text, said('Hello')], 'end_turn'), hello],
  [
    'texts that are null',
    'anthropic',
    message([text, said('Hel'), said(null), said('lo'), stop()], 'end_turn'),
    hello,
  ],
  [
    'counts as text',
    'anthropic',
    message([text, said('Hello'), stop()], 'end_turn', { input_tokens: '3', output_tokens: '2' }),
    hello,
  ],
  [
    'citations that are no objects',
    'anthropic',
    message(
      [
        block({ type: 'text', text: '', citations: {} }),
        said('Hello'),
        delta({ type: 'citations_delta', citation: { url: 7 } }),
        stop(),
      ],
      'end_turn',
    ),
    hello,
  ],
  [
    'a call that is not stopped and has its input at the start',
    'anthropic',
    message([tool({ id: 't1', input: rome })], 'tool_use'),
    one,
  ],
  [
    'a call without an id',
    'anthropic',
    message([tool({}), json(romeJson), stop()], 'tool_use'),
    one,
  ],
  [
    'two calls with one id and one index, neither stopped',
    'anthropic',
    message(
      [tool({ id: 't' }), json(romeJson), tool({ id: 't' }), json(JSON.stringify(oslo))],
      'tool_use',
    ),
    two,
  ],
  [
    'calls whose indexes skip',
    'anthropic',
    message(
      [tool({ id: 'a', input: rome }, 4), stop(4), tool({ id: 'b', input: oslo }, 9), stop(9)],
      'tool_use',
    ),
    two,
  ],
  [
    'arguments as objects, ids that are empty, counts as text',
    'responses',
    response(
      [...item({ call_id: '', arguments: rome }, 0), ...item({ call_id: '', arguments: oslo }, 3)],
      { input_tokens: '3', output_tokens: '2', input_tokens_details: { cached_tokens: '0' } },
    ),
    two,
  ],
  [
    'a call whose name comes with its end',
    'responses',
    response(
      item({ id: 'fc_1', call_id: 'c', arguments: romeJson }, 0).map((event, at) =>
        at === 0 ? { ...event, item: { ...(event['item'] as object), name: '' } } : event,
      ),
      counts,
    ),
    one,
  ],
  [
    'lists with null in them',
    'responses',
    response(
      [
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: {
            type: 'message',
            content: [null, { type: 'output_text', text: 'Hello', annotations: [null, {}] }],
          },
        },
      ],
      { input_tokens: 3, output_tokens: 2 },
    ),
    hello,
  ],
  [
    'deltas without a type, in a block without one',
    'anthropic',
    message(
      [block({ text: '' }), delta({ text: 'Hel' }), delta({ text: 'lo' }), stop()],
      'end_turn',
    ),
    hello,
  ],
  [
    'no event that begins it',
    'anthropic',
    message([text, said('Hello')], 'end_turn').slice(1),
    hello,
  ],
  [
    'a part of the text that is a number, behind right ones',
    'anthropic',
    message([text, said('Hel'), said('lo'), said(5), stop()], 'end_turn'),
    { text: 'Hello5', inputs: [] },
  ],
  [
    'a part of the arguments that is no text, behind right ones',
    'anthropic',
    message([tool({ id: 'a' }), json('{"city":'), json(null), json('"Rome"}'), stop()], 'tool_use'),
    one,
  ],
  [
    'a word for its end that no client knows',
    'anthropic',
    message([text, said('Hello'), stop()], 'surprise'),
    hello,
  ],
  [
    'an end for no calls where there are some',
    'anthropic',
    message([tool({ id: 'a' }), json(romeJson), stop()], 'end_turn'),
    one,
  ],
  [
    'no item that it belongs to',
    'responses',
    response(responseText('Hel', 'lo').slice(1), counts),
    hello,
  ],
  [
    'a delta that is null, behind right ones, and an item that is not closed',
    'responses',
    response(responseText('Hel', null, 'lo'), counts),
    hello,
  ],
  [
    'text only in the event that ends a text',
    'responses',
    response([...responseText(), inside('output_text.done', { text: 'Hello' })], counts),
    hello,
  ],
  [
    'a citation of an unknown place',
    'responses',
    response(
      [
        ...responseText('Hello'),
        inside('output_text.annotation.added', {
          annotation: { type: 'url_citation', url: 'https://a.example', title: null },
        }),
      ],
      counts,
    ),
    hello,
  ],
  ...[{ arguments: '' }, { arguments: undefined }].map((none): (typeof answers)[number] => [
    `an event for the end of its arguments that has none: ${JSON.stringify(none)}`,
    'responses',
    response(
      [
        ...item({ id: 'fc_1', call_id: 'c', arguments: romeJson }, 0).slice(0, 1),
        ...['{"city":', '"Rome"}'].map((piece) => argumentsOf('delta', { delta: piece })),
        argumentsOf('done', none),
        ...item({ id: 'fc_1', call_id: 'c', ...none }, 0).slice(1),
      ],
      counts,
    ),
    one,
  ]),
  [
    'hidden thinking without data',
    'anthropic',
    message(
      [
        block({ type: 'redacted_thinking' }),
        stop(),
        block({ type: 'text', text: '' }, 1),
        said('Hello', 1),
        stop(1),
      ],
      'end_turn',
    ),
    hello,
  ],
  ...[
    ['an empty list as its input', [tool({ id: 'a', input: [] }), stop()], {}],
    ['{} before its input', [tool({ id: 'a' }), json('{}'), json(romeJson), stop()], rome],
    [
      'input that is encoded twice',
      [tool({ id: 'a' }), json(''), json(JSON.stringify(romeJson)), stop()],
      rome,
    ],
  ].map(([what, events, input]): (typeof answers)[number] => [
    `a call with ${what as string}`,
    'anthropic',
    message(events as Event[], 'tool_use'),
    { text: '', inputs: [input as object] },
  ]),
  ...[
    ['{} before its arguments', ['{}'], romeJson, rome],
    [
      'arguments that are encoded twice',
      ['', JSON.stringify(romeJson)],
      JSON.stringify(romeJson),
      rome,
    ],
    ['an empty list as its arguments', [''], [], {}],
    ['a text of nothing as its arguments', ['""'], '""', {}],
  ].map(([what, pieces, whole, input]): (typeof answers)[number] => [
    `a call with ${what as string}`,
    'responses',
    response(
      [
        ...item({ id: 'fc_1', call_id: 'c', arguments: '' }, 0).slice(0, 1),
        ...(pieces as string[]).map((piece) => argumentsOf('delta', { delta: piece })),
        argumentsOf('done', { arguments: whole }),
        ...item({ id: 'fc_1', call_id: 'c', arguments: whole }, 0).slice(1),
      ],
      counts,
    ),
    { text: '', inputs: [input as object] },
  ]),
  [
    'text in a part that was not begun',
    'responses',
    response([responseText()[0]!, inside('output_text.delta', { delta: 'Hello' })], counts),
    hello,
  ],
  [
    'an event of its state without one',
    'responses',
    [...response(responseText('Hello'), counts)].toSpliced(1, 0, { type: 'response.in_progress' }),
    hello,
  ],
  [
    'its text in the last event alone',
    'responses',
    [
      response([], counts)[0]!,
      {
        type: 'response.completed',
        response: {
          ...{ ...begunResponse, status: 'completed', usage: counts },
          output: [
            {
              ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
              content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
            },
          ],
        },
      },
    ],
    hello,
  ],
  ...[
    [
      'encoded twice',
      [JSON.stringify(romeJson).slice(0, 4), JSON.stringify(romeJson).slice(4)],
      rome,
    ],
    ['an empty list', ['[]'], {}],
    ['{} before others', ['{}', romeJson], rome],
  ].map(([what, pieces, input]): (typeof answers)[number] => [
    `a call with arguments: ${what as string}`,
    'cohere',
    cohere([
      cohereCall(named(''), 0)[0]!,
      ...(pieces as string[]).map((piece) => ({
        ...{ type: 'tool-call-delta', index: 0 },
        delta: { message: { tool_calls: { function: { arguments: piece } } } },
      })),
      cohereCall({}, 0)[1]!,
    ]),
    { text: '', inputs: [input as object] },
  ]),
  [
    'a word for its end that no client knows',
    'cohere',
    cohere(
      [{ type: 'content-delta', delta: { message: { content: [{ text: 'Hello' }] } } }],
      'SURPRISE',
    ),
    hello,
  ],
  [
    'another candidate that nobody asked for',
    'gemini',
    [
      { candidates: [candidate(0, 'Hel'), candidate(1, 'XX')] },
      { candidates: [candidate(0, 'lo', { finishReason }), candidate(1, 'YY')] },
      { candidates: [candidate(1, 'ZZ', { finishReason: 'MAX_TOKENS' })] },
    ],
    hello,
  ],
  [
    'another number for its only candidate',
    'gemini',
    [{ candidates: [candidate(1, 'Hel')] }, { candidates: [candidate(1, 'lo', { finishReason })] }],
    hello,
  ],
  [
    'reasoning in a part that was not begun',
    'responses',
    response(
      [
        {
          ...{ type: 'response.output_item.added', output_index: 0 },
          item: { type: 'reasoning', id: 'rs_1', summary: [] },
        },
        inside('reasoning_text.delta', { item_id: 'rs_1', delta: 'hm' }),
        {
          ...{ type: 'response.output_item.done', output_index: 0 },
          item: { type: 'reasoning', id: 'rs_1', summary: [] },
        },
        ...responseText('Hello').map((event) => ({ ...event, output_index: 1 })),
      ],
      counts,
    ),
    hello,
  ],
  [
    'calls without ids, with arguments as objects and counts as text',
    'cohere',
    cohere([...cohereCall(named(rome), 1), ...cohereCall(named(oslo), 2)]),
    two,
  ],
];

const reasoned = { type: 'reasoning', id: 'rs_1', summary: [] };
const added = (given: object, output_index = 0): Event => ({
  ...{ type: 'response.output_item.added', output_index },
  item: given,
});
const ended = (given: object, output_index = 0): Event => ({
  ...{ type: 'response.output_item.done', output_index },
  item: given,
});
const called = (args: string, fields: object = {}): object => ({
  ...{ type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: args },
  ...{ status: 'completed', ...fields },
});
const secondCall = called(JSON.stringify(oslo), { id: 'fc_2', call_id: 'call_2' });
const spokenItem = (given: string, id = 'msg_1'): object => ({
  ...{ type: 'message', id, role: 'assistant', status: 'completed' },
  content: [{ type: 'output_text', text: given, annotations: [] }],
});
const completed = (output: readonly object[], fields: object = {}): Event => ({
  type: 'response.completed',
  response: { ...begunResponse, status: 'completed', usage: counts, output, ...fields },
});
const responded = (...events: readonly Event[]): readonly Event[] => [
  { type: 'response.created', response: { ...begunResponse, status: 'in_progress' } },
  ...events,
];
answers.push(
  [
    'a message that its end alone has',
    'responses',
    responded(
      added(reasoned),
      inside('reasoning_summary_text.delta', { item_id: 'rs_1', summary_index: 0, delta: 'hm' }),
      ended({ ...reasoned, summary: [{ type: 'summary_text', text: 'hm' }] }),
      completed([reasoned, spokenItem('Hello')]),
    ),
    hello,
  ],
  [
    'a call that its end alone has, behind a text',
    'responses',
    responded(
      ...responseText('Hello'),
      ended(spokenItem('Hello')),
      completed([spokenItem('Hello'), called(romeJson)]),
    ),
    { text: 'Hello', inputs: [rome] },
  ],
  [
    'a second call that its end alone has',
    'responses',
    responded(
      added(called('')),
      argumentsOf('delta', { delta: romeJson }),
      ended(called(romeJson)),
      completed([called(romeJson), secondCall]),
    ),
    two,
  ],
  [
    'one index for its reasoning and its text',
    'responses',
    responded(
      added(reasoned),
      inside('reasoning_text.delta', { item_id: 'rs_1', delta: 'hm' }),
      ended(reasoned),
      ...responseText('Hel', 'lo'),
      ended(spokenItem('Hello')),
      completed([reasoned, spokenItem('Hello')]),
    ),
    hello,
  ],
  [
    'one index for its two messages',
    'responses',
    responded(
      ...responseText('Hel'),
      ended(spokenItem('Hel')),
      added({ ...spokenItem('', 'msg_2'), content: [] }),
      inside('output_text.delta', { item_id: 'msg_2', delta: 'lo' }),
      ended(spokenItem('lo', 'msg_2')),
      completed([spokenItem('Hel'), spokenItem('lo', 'msg_2')]),
    ),
    hello,
  ],
  [
    'a call whose item ends without the arguments that were told',
    'responses',
    responded(
      added(called('')),
      argumentsOf('done', { arguments: romeJson }),
      ended(called('{}')),
      completed([called('{}')]),
    ),
    one,
  ],
  [
    'a call that is not closed, whose arguments the end of the answer alone has',
    'responses',
    responded(added(called('')), completed([called(romeJson)])),
    one,
  ],
  [
    'two calls, of which the second is not closed',
    'responses',
    responded(
      added(called('')),
      added(called('', { id: 'fc_2', call_id: 'call_2' }), 1),
      argumentsOf('delta', { delta: romeJson }),
      ended(called(romeJson)),
      completed([called(romeJson), secondCall]),
    ),
    two,
  ],
  [
    'a call that is begun twice and closed twice',
    'responses',
    responded(
      added(called('')),
      added(called('')),
      argumentsOf('delta', { delta: romeJson }),
      ended(called(romeJson)),
      ended(called(romeJson)),
      completed([called(romeJson)]),
    ),
    one,
  ],
  [
    'calls at one index that are closed and were not begun',
    'responses',
    responded(ended(called(romeJson)), ended(secondCall), completed([])),
    two,
  ],
  [
    'a second message that its end alone has',
    'responses',
    responded(
      ...responseText('Hel'),
      ended(spokenItem('Hel')),
      completed([spokenItem('Hel'), spokenItem('lo', 'msg_2')]),
    ),
    hello,
  ],
  [
    'events of no response',
    'responses',
    responded(
      { type: 'codex.rate_limits', plan_type: 'pro' },
      ...responseText('Hello'),
      inside('output_text.done', { text: 'Hello' }),
      inside('content_part.done', {
        part: { type: 'output_text', text: 'Hello', annotations: [] },
      }),
      ended(spokenItem('Hello')),
      completed([spokenItem('Hello')]),
    ),
    hello,
  ],
  [
    'its beginning twice',
    'anthropic',
    message([text, said('Hello'), stop()], 'end_turn').flatMap((event, at) =>
      at === 0 ? [event, event] : [event],
    ),
    hello,
  ],
  [
    'arguments at the index of no block',
    'anthropic',
    message([tool({ id: 'a' }, 1), json(romeJson, 0), stop(1)], 'tool_use'),
    one,
  ],
  [
    'a call without a name',
    'anthropic',
    message(
      [
        ...[tool({ id: 'a', name: undefined }), json(romeJson), stop()],
        ...[block({ type: 'text', text: '' }, 1), said('Hello', 1), stop(1)],
      ],
      'tool_use',
    ),
    hello,
  ],
  [
    'a call without a name before one that has it',
    'anthropic',
    message(
      [
        ...[tool({ id: 'a', name: '' }), json('{}'), stop()],
        ...[tool({ id: 'b' }, 1), json(romeJson, 1), stop(1)],
      ],
      'tool_use',
    ),
    one,
  ],
  [
    'an empty name for a call',
    'gemini',
    [
      {
        candidates: [
          {
            content: { parts: [{ text: 'Hello' }, { functionCall: { name: '', args: rome } }] },
            finishReason,
          },
        ],
      },
    ],
    hello,
  ],
  [
    'a text that is an object, and a part that is a text',
    'gemini',
    [
      { candidates: [{ content: { parts: [{ text: { text: 'Hel' } }] } }] },
      { candidates: [{ content: { parts: ['lo'] }, finishReason }] },
    ],
    hello,
  ],
);

const all = { ...readers, ...ownReaders };
const rows = answers.flatMap(([name, provider, ...given]) =>
  Object.keys(all)
    .filter((reader) => reader.endsWith('streamed'))
    .map((reader) => [name, provider, reader, ...given] as const),
);

const played = (events: readonly Event[]) => ({
  raw: Buffer.from(
    events
      .map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
      .join(''),
  ),
  contentType: 'text/event-stream',
});

it.each(rows)(
  '%s: an answer of %s is corrected for %s',
  async (_name, provider, reader, events, expected) => {
    const model = plays.newModel();
    plays.set(model, played(events));
    const { text: heard, calls, finish } = await all[reader]!(gateway, `${provider}/${model}`);
    expect({ text: heard, inputs: calls.map(({ input }) => input) }).toEqual(expected);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
    expect(calls.every(({ id, name }) => id !== '' && name === 'weather')).toBe(true);
    expect(finish).toBe(calls.length > 0 ? 'tool_calls' : 'stop');
  },
);

const spoken = cohere(
  [{ type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hello' } } } }],
  'COMPLETE',
);
/** Events that say their type in the line of their name alone, or nowhere. */
const untyped = (events: readonly Event[], isNamed: boolean) => ({
  raw: Buffer.from(
    events
      .map(({ type, ...event }) => {
        const name = isNamed ? `event: ${String(type)}\n` : '';
        return `${name}data: ${JSON.stringify(event)}\n\n`;
      })
      .join(''),
  ),
  contentType: 'text/event-stream',
});
it.each([
  ['cohere', spoken],
  ['anthropic', message([text, said('Hello'), stop()], 'end_turn')],
  [
    'responses',
    response([...responseText('Hello'), inside('output_text.done', { text: 'Hello' })], counts),
  ],
])(
  'events of %s without a type are read by their names, and are no answer without both',
  async (api, events) => {
    for (const reader of ['natively, streamed', "the AI SDK's Messages, streamed"]) {
      const model = plays.newModel();
      plays.set(model, untyped(events, true));
      const { text: heard, finish } = await all[reader]!(gateway, `${api}/${model}`);
      expect({ heard, finish }).toEqual({ heard: 'Hello', finish: 'stop' });
    }
    const nameless = plays.newModel();
    plays.set(nameless, untyped(events, false));
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...gateway.auth },
      body: JSON.stringify({
        model: `${api}/${nameless}`,
        messages: [{ role: 'user', content: 'Hi' }],
        stream: true,
      }),
    });
    expect(reply.status).toBe(502);
    // it may always answer so, and each call is paid
    expect(plays.of(nameless)).toHaveLength(2);
  },
);

const detail = { detail: 'Something went wrong' };
it.each<readonly [string, string, Step]>([
  ['openai', 'a detail as its whole body', { status: 200, body: detail }],
  ['openai', 'an error without code or type', { status: 200, body: { error: detail } }],
  ['responses', 'a detail as its whole body', { status: 200, body: detail }],
  ...['queued', 'in_progress'].map(
    (status) =>
      [
        'responses',
        `the status ${status}`,
        { status: 200, body: { ...begunResponse, status, output: [] } },
      ] as const,
  ),
  ['anthropic', 'a detail as its whole body', { status: 200, body: detail }],
  [
    'cohere',
    'an event of an error behind some text',
    played([
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hel' } } } },
      { type: 'error', message: 'went wrong' },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
    ]),
  ],
  ['cohere', 'a message as its whole body', { status: 200, body: { message: 'went wrong' } }],
  ['openai', 'a detail as its only event', untyped([detail], false)],
  [
    'aws',
    'a word for output that could not be read',
    {
      status: 200,
      body: { output: { message: { content: [] } }, stopReason: 'malformed_tool_use' },
    },
  ],
  [
    'anthropic',
    'a stop reason and no end',
    played(message([text, said('Hello'), stop()], 'end_turn').slice(0, -1)),
  ],
])('an answer of %s with %s costs two calls', async (api, _what, step) => {
  const model = plays.newModel();
  plays.set(model, step);
  const heard = await ask(gateway, ways[1]!, { models: [`${api}/${model}`] });
  expect(heard.ended).not.toBe('whole');
  expect(plays.of(model)).toHaveLength(2);
});

it.each<readonly [string, string, readonly Event[]]>([
  ['anthropic', 'without a type', [...message([text, said('Hel')], 'end_turn').slice(0, -2)]],
  ['responses', 'in the end of the answer', responded(...responseText('Hel'))],
])('an error of %s %s, behind some text, is told', async (api, _what, events) => {
  const error = { code: 'server_error', type: 'api_error', message: 'it broke' };
  const last =
    api === 'responses'
      ? completed([], { status: 'failed', error })
      : ({ error } satisfies Event as Event);
  const model = plays.newModel();
  plays.set(model, played([...events, last, { type: 'message_stop' }]));
  const heard = await ask(gateway, ways[0]!, { models: [`${api}/${model}`] });
  expect(heard).toMatchObject({ ended: 'broken' });
  expect(heard.message).toContain('it broke');
});

const wholeMessage = (fields: object): object => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' },
  ...{ stop_sequence: null, usage: counts, ...fields },
});
const wholes: [string, string, string, object][] = [
  ['a content that is a text', 'anthropic', 'the Anthropic SDK, whole', { content: 'Hello' }],
  [
    'counts that are missing',
    'anthropic',
    'the Anthropic SDK, whole',
    { content: [{ type: 'text', text: 'Hello' }], usage: null },
  ],
  [
    'an output with null in it and no status',
    'responses',
    "the openai SDK's Responses, whole",
    {
      output: [null, { type: 'message', content: 'Hello' }],
      status: undefined,
    },
  ],
  [
    'a status that no client knows',
    'responses',
    "the openai SDK's Responses, whole",
    {
      output: [
        {
          ...{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' },
          content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
        },
      ],
      status: 'surprise',
    },
  ],
];

it.each(wholes)('%s: a whole answer of %s is corrected for %s', async (_name, api, reader, odd) => {
  const model = plays.newModel();
  const body = api === 'anthropic' ? wholeMessage(odd) : { ...begunResponse, ...odd };
  plays.set(model, { raw: Buffer.from(JSON.stringify(body)), contentType: 'application/json' });
  const { text: heard, finish } = await all[reader]!(gateway, `${api}/${model}`);
  expect({ heard, finish }).toEqual({ heard: 'Hello', finish: 'stop' });
});

it.each([
  ['anthropic', '/v1/messages', { max_tokens: 100, speed: 'fast' }],
  ['responses', '/v1/responses', { input: 'Hi', truncation: 'auto' }],
])(
  'names nothing as left out of an answer of %s that was only corrected',
  async (api, path, asked) => {
    const model = plays.newModel();
    const output = [{ type: 'message', content: 'Hello' }];
    const body =
      api === 'anthropic' ? wholeMessage({ content: 'Hello' }) : { ...begunResponse, output };
    plays.set(model, { raw: Buffer.from(JSON.stringify(body)), contentType: 'application/json' });
    const reply = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...gateway.auth },
      body: JSON.stringify({
        ...{ model: `${api}/${model}`, messages: [{ role: 'user', content: 'Hi' }], ...asked },
      }),
    });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-signalbox-dropped')).toBeNull();
    expect(await reply.json()).not.toHaveProperty('warnings');
  },
);

it('ends passing on where more text comes for a block that has ended', async () => {
  const model = plays.newModel();
  const more = [tool({ id: 'a' }, 1), said('o'), json(romeJson, 1), stop(1)];
  plays.set(model, played(message([text, said('Hel'), said('l'), stop(), ...more], 'tool_use')));
  const reader = all["the AI SDK's Messages, streamed"]!;
  const { text: heard, calls } = await reader(gateway, `anthropic/${model}`);
  expect(heard).toBe('Hello');
  expect(calls).toMatchObject([{ id: 'a', input: rome }]);
});

it('passes on events as they come until the first that a client could not read', async () => {
  const model = plays.newModel();
  const first = { ...said('Hel'), unknown: 7 };
  plays.set(model, played(message([text, first, said(['lo']), said('lo'), stop()], 'end_turn')));
  const reply = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...gateway.auth },
    body: JSON.stringify({
      ...{ model: `anthropic/${model}`, max_tokens: 100, stream: true },
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  });
  const heard = await reply.text();
  expect(heard).toContain(`data: ${JSON.stringify(first)}\n`);
  expect(heard).not.toContain('["lo"]');
  // it goes on in the same block
  expect(heard.match(/content_block_start/g)).toHaveLength(2);
  expect(heard.match(/event: message_start/g)).toHaveLength(1);
  expect(heard).toContain(`data: ${JSON.stringify(said('lo'))}\n`);
});

it('counts what a stream of Claude began with where it ends with 0', async () => {
  const model = plays.newModel();
  const last = { input_tokens: 0, output_tokens: 2, cache_read_input_tokens: 0 };
  plays.set(model, played(message([text, said('Hello'), stop()], 'end_turn', last)));
  const { usage } = await ask(gateway, ways[1]!, { models: [`anthropic/${model}`] });
  expect(usage).toMatchObject({ promptTokens: 3, completionTokens: 2 });
});

it.each([
  [
    'a refusal in a message that begins with an empty text',
    "the openai SDK's Responses, streamed",
    [
      added(spokenItem('')),
      inside('content_part.added', { part: { type: 'refusal', refusal: '' } }),
      inside('refusal.delta', { delta: 'No' }),
    ],
  ],
  [
    'a call of a custom tool without a status',
    "the AI SDK's Responses, streamed",
    ['added', 'done'].map((type) => ({
      ...{ type: `response.output_item.${type}`, output_index: 0 },
      item: {
        ...{ type: 'custom_tool_call', id: 'ct_1', call_id: 'call_1', name: 'weather' },
        input: type === 'done' ? 'Rome' : '',
      },
    })),
  ],
])('%s can be read by %s', async (_what, reader, events) => {
  const model = plays.newModel();
  plays.set(model, played(responded(...events, completed([]))));
  expect(await all[reader]!(gateway, `responses/${model}`)).toMatchObject({ text: '' });
});
