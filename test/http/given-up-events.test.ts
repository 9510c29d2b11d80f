import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../helpers/gateway.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { type Plays, startScripted } from '../helpers/plays.js';

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays } = await startScripted((up) => ({
    providers: {
      anthropic: { ...up, api: 'anthropic', apiKey: 'k' },
      responses: { ...up, api: 'openai-responses', apiKey: 'k' },
    },
  })));
});
afterAll(() => gateway.close());

type Event = Readonly<Record<string, unknown>>;

/** Scripts a stream, under a new model. */
function played(events: readonly Event[]): string {
  const model = plays.newModel();
  const frames = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  plays.set(model, { raw: Buffer.from(frames.join('')), contentType: 'text/event-stream' });
  return model;
}
/** A stream with an event that no client could read, before each of its events in turn. */
const givenUp = (events: readonly Event[], odd: Event): [number, string, readonly Event[]][] =>
  events
    .slice(0, -1)
    .map((event, k) => [k, textAt(event, 'type'), events.toSpliced(k, 0, odd)] as const);

const items = [
  {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'I think' }],
    encrypted_content: 'gAAA',
  },
  {
    type: 'message',
    id: 'msg_1',
    status: 'completed',
    role: 'assistant',
    phase: 'commentary',
    content: [{ type: 'output_text', text: 'I patch', annotations: [], logprobs: [] }],
  },
  {
    type: 'message',
    id: 'msg_2',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: ' it', annotations: [], logprobs: [] }],
  },
  {
    type: 'custom_tool_call',
    id: 'ctc_1',
    status: 'completed',
    call_id: 'call_1',
    name: 'apply_patch',
    namespace: 'functions',
    input: '*** "a"\n+\\n',
  },
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } },
  {
    type: 'function_call',
    id: 'fc_1',
    status: 'completed',
    call_id: 'call_2',
    name: 'exec',
    namespace: 'functions',
    arguments: '{"cmd":["ls"]}',
  },
];
const empty: Record<string, unknown> = { summary: [], content: [], arguments: '', input: '' };
const halves = (text: string): string[] => [text.slice(0, 3), text.slice(3)];

function itemEvents(item: Event, output_index: number): Event[] {
  const begun = Object.entries(item).map(([key, value]) => [key, empty[key] ?? value] as const);
  const place = { output_index, item_id: item['id'] };
  const pieces = (type: string, text: string, more = {}): Event[] => [
    ...halves(text).map((delta) => ({ type: `response.${type}.delta`, ...place, ...more, delta })),
  ];
  const inside = (): Event[] => {
    if (item['type'] === 'custom_tool_call') {
      const input = textAt(item, 'input');
      const type = 'custom_tool_call_input';
      return [...pieces(type, input), { type: `response.${type}.done`, ...place, input }];
    }
    if (item['type'] === 'function_call')
      return pieces('function_call_arguments', textAt(item, 'arguments'));
    if (item['type'] === 'reasoning') {
      const where = { ...place, summary_index: 0 };
      const part = { type: 'summary_text', text: '' };
      return [
        { type: 'response.reasoning_summary_part.added', ...where, part },
        ...pieces('reasoning_summary_text', 'I think', { summary_index: 0 }),
      ];
    }
    if (item['type'] !== 'message') return [];
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
    const where = { ...place, content_index: 0 };
    return [
      { type: 'response.content_part.added', ...where, part },
      ...pieces('output_text', textAt(item, 'content', 0, 'text'), {
        ...{ content_index: 0, logprobs: [] },
      }),
    ];
  };
  return [
    { type: 'response.output_item.added', output_index, item: Object.fromEntries(begun) },
    ...inside(),
    { type: 'response.output_item.done', output_index, item },
  ];
}
const begunResponse = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] };
const responseEvents: readonly Event[] = [
  { type: 'response.created', response: { ...begunResponse, status: 'in_progress' } },
  ...items.flatMap(itemEvents),
  {
    type: 'response.completed',
    response: {
      ...begunResponse,
      status: 'completed',
      output: items,
      usage: { input_tokens: 3, output_tokens: 2 },
    },
  },
];
const tools = [
  {
    type: 'namespace',
    name: 'functions',
    description: '',
    tools: [
      { type: 'custom', name: 'apply_patch' },
      { type: 'function', name: 'exec', parameters: { type: 'object' } },
    ],
  },
];

/** What of an item may not change, wherever the events were given up. */
const kept = (item: unknown): unknown => ({
  ...{ type: at(item, 'type'), call_id: at(item, 'call_id'), name: at(item, 'name') },
  ...{ namespace: at(item, 'namespace'), input: at(item, 'input') },
  ...{ arguments: at(item, 'arguments'), text: at(item, 'content', 0, 'text') },
});

describe('Responses of a provider of the same dialect', () => {
  const odd = { type: 'response.surprise.delta', output_index: 99 };
  it.each(givenUp(responseEvents, odd))(
    'are the same where they are given up before event %i, %s',
    async (k, _type, events) => {
      const client = new OpenAI({
        ...{ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 },
      });
      const stream = client.responses.stream({
        model: `responses/${played(events)}`,
        ...({ input: 'Hi', tools, store: false } as { input: string }),
      });
      const heard: unknown[] = [];
      for await (const event of stream) heard.push(event);
      const { output, id } = await stream.finalResponse();
      const hasItem = (item: unknown): boolean =>
        // a message that both were in, before the first was known to the client
        at(item, 'type') !== 'message' && at(item, 'type') !== 'web_search_call';
      expect(output.filter(hasItem).map(kept)).toEqual(items.filter(hasItem).map(kept));
      const texts = output.flatMap((item) => textAt(item, 'content', 0, 'text'));
      expect(texts.join('')).toBe('I patch it');
      const ids = output.map((item) => textAt(item, 'id'));
      expect(new Set(ids).size).toBe(ids.length);
      const done = heard.filter((event) => textAt(event, 'type').endsWith('item.done'));
      expect(done.map((event) => textAt(event, 'item', 'id'))).toEqual(ids);
      if (k > 0) expect(id).toBe('resp_1');
      // what the client has got whole stays as it was
      const ended = responseEvents
        .slice(0, k)
        .filter(({ type }) => type === 'response.output_item.done');
      expect(output).toMatchObject(
        output.map((_item, index) => (index < ended.length ? items[index]! : {})),
      );
      const begun = responseEvents.slice(0, k).some((event) => at(event, 'item', 'id') === 'rs_1');
      if (begun) expect(output[0]).toMatchObject({ id: 'rs_1', encrypted_content: 'gAAA' });
      const input = heard
        .filter((event) => at(event, 'type') === 'response.custom_tool_call_input.delta')
        .map((event) => textAt(event, 'delta'));
      expect(input.join('')).toBe(textAt(items[3], 'input'));
    },
  );

  it('take reasoning back that the gateway has sealed', async () => {
    const model = played(responseEvents.toSpliced(0, 0, odd));
    const ask = (input: unknown) =>
      fetch(`${gateway.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...gateway.auth },
        body: JSON.stringify({ model: `responses/${model}`, stream: true, store: false, input }),
      }).then((reply) => reply.text());
    const last = (await ask('Hi')).split('data: ').at(-1) ?? '';
    const output = listAt(JSON.parse(last), 'response', 'output');
    expect(textAt(output[0], 'encrypted_content')).toMatch(/^sbx1\./);
    await ask([{ role: 'user', content: 'Hi' }, ...output]);
    expect(listAt(plays.of(model)[1]?.body, 'input')[1]).toEqual({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'I think' }],
      encrypted_content: 'gAAA',
    });
  });
});

const blocks: readonly Event[] = [
  { type: 'thinking', thinking: 'I think', signature: 'c2ln' },
  { type: 'redacted_thinking', data: 'cmVk' },
  { type: 'text', text: 'I look' },
  { type: 'tool_use', id: 'toolu_1', name: 'exec', input: { cmd: ['ls'] } },
  { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} },
];
const emptyBlock: Record<string, unknown> = { thinking: '', signature: '', text: '', input: {} };

function blockEvents(block: Event, index: number): Event[] {
  const begun = Object.entries(block).map(
    ([key, value]) => [key, emptyBlock[key] ?? value] as const,
  );
  const deltas = [
    ...halves(textAt(block, 'thinking')).map((thinking) => ({ type: 'thinking_delta', thinking })),
    { type: 'signature_delta', signature: block['signature'] },
    ...halves(textAt(block, 'text')).map((text) => ({ type: 'text_delta', text })),
    ...halves(JSON.stringify(block['input'] ?? {})).map((partial_json) => ({
      ...{ type: 'input_json_delta', partial_json },
    })),
  ];
  const own = deltas.filter(({ type }) => {
    if (block['type'] === 'tool_use') return type === 'input_json_delta' && index === 3;
    if (block['type'] === 'thinking') return /^(thinking|signature)_delta$/.test(type);
    return block['type'] === 'text' && type === 'text_delta';
  });
  return [
    { type: 'content_block_start', index, content_block: Object.fromEntries(begun) },
    ...own.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}
const messageEvents: readonly Event[] = [
  {
    type: 'message_start',
    message: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] },
      ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 3, output_tokens: 1 } },
    },
  },
  ...blocks.flatMap(blockEvents),
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 2 },
  },
  { type: 'message_stop' },
];

describe('Messages of a provider of the same dialect', () => {
  const odd = { type: 'content_block_delta', index: 99, delta: { type: 'text_delta', text: '' } };
  it.each(givenUp(messageEvents, odd))(
    'are the same where they are given up before event %i, %s',
    async (_k, _type, events) => {
      const client = new Anthropic({ apiKey: gateway.key, baseURL: gateway.url, maxRetries: 0 });
      const message = await client.messages
        .stream({
          ...{ model: `anthropic/${played(events)}`, max_tokens: 100 },
          messages: [{ role: 'user', content: 'Hi' }],
        })
        .finalMessage();
      expect(message.content).toMatchObject(blocks as never);
      expect(message.content).toHaveLength(blocks.length);
      expect(message.stop_reason).toBe('tool_use');
    },
  );
});
