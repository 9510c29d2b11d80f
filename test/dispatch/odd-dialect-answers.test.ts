import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { readers } from '../helpers/odd-answers.js';
import { type Plays, scriptByModel } from '../helpers/plays.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  upstream = await startUpstream();
  plays = scriptByModel(upstream);
  const apiKey = 'k';
  gateway = await startGateway({
    providers: {
      anthropic: { api: 'anthropic', baseUrl: `${upstream.url}/v1`, apiKey },
      responses: { api: 'openai-responses', baseUrl: `${upstream.url}/v1`, apiKey },
      cohere: { api: 'cohere', baseUrl: upstream.url, apiKey },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

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
    message: { id: 'msg_1', model: 'm', content: [], usage: { input_tokens: 3, output_tokens: 1 } },
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
const response = (events: readonly Event[], usage: object): readonly Event[] => [
  { type: 'response.created', response: { id: 'resp_1', model: 'm', output: [] } },
  ...events,
  { type: 'response.completed', response: { id: 'resp_1', status: 'completed', usage } },
];

const cohereCall = (fields: object, index: number): readonly Event[] => [
  { type: 'tool-call-start', index, delta: { message: { tool_calls: fields } } },
  { type: 'tool-call-end', index },
];
const cohere = (events: readonly Event[]): readonly Event[] => [
  { type: 'message-start', id: 'c-1', delta: { message: { role: 'assistant' } } },
  ...events,
  {
    type: 'message-end',
    delta: {
      finish_reason: 'TOOL_CALL',
      usage: { tokens: { input_tokens: '3', output_tokens: '2' } },
    },
  },
];
const named = (args: unknown): object => ({ function: { name: 'weather', arguments: args } });

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
    'calls without ids, with arguments as objects and counts as text',
    'cohere',
    cohere([...cohereCall(named(rome), 1), ...cohereCall(named(oslo), 2)]),
    two,
  ],
];

// not those of the providers' own dialects, which get most events as they come
const translated = ['the openai SDK, streamed', 'the AI SDK, streamed', 'natively, streamed'];

const rows = answers.flatMap(([name, provider, ...given]) =>
  translated.map((reader) => [name, provider, reader, ...given] as const),
);

it.each(rows)(
  '%s: an answer of %s is corrected for %s',
  async (_name, provider, reader, events, expected) => {
    const model = plays.newModel();
    plays.set(model, {
      raw: Buffer.from(
        events
          .map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
          .join(''),
      ),
      contentType: 'text/event-stream',
    });
    const { text: heard, calls, finish } = await readers[reader]!(gateway, `${provider}/${model}`);
    expect({ text: heard, inputs: calls.map(({ input }) => input) }).toEqual(expected);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
    expect(calls.every(({ id, name }) => id !== '' && name === 'weather')).toBe(true);
    expect(finish).toBe(calls.length > 0 ? 'tool_calls' : 'stop');
  },
);
