import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type Conversing, startConversing } from '../helpers/conversing.js';
import { at, listAt, textAt } from '../helpers/json.js';
import { ask } from '../helpers/sse.js';
import { libsqlPlace, type Place } from '../helpers/stores.js';

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const look = { type: 'text', text: 'What is this?' };
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
};
const question = { role: 'user', content: 'How is the weather in Rome?' };
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Rome"}' },
};
const calling = {
  toolCalls: [{ id: 'call_1', name: 'weather', arguments: { city: 'Rome' } }],
};

let place: Place;
let talk: Conversing;
beforeAll(async () => {
  place = libsqlPlace();
  talk = await startConversing(place, {
    models: { 'up/good': { inputPrice: 1, outputPrice: 10, images: true, tools: true } },
  });
});
afterAll(async () => {
  await talk.close();
  await place.remove();
});
beforeEach(() => talk.upstream.script([]));

const models = ['up/good'];
const lastSent = (): unknown => talk.upstream.requests.at(-1)?.body;
const read = async (id: string): Promise<unknown[]> => {
  const { json } = await ask(
    'GET',
    `${talk.gateway.url}/api/v1/conversations/${id}/messages`,
    talk.ann.headers,
  );
  return listAt(json, 'items');
};

it('a document and the asked form of the answer reach the model', async () => {
  const document = {
    type: 'file',
    file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
  };
  const form = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } };
  const { status } = await talk.complete({
    models,
    messages: [{ role: 'user', content: [look, document] }],
    response_format: form,
  });
  expect(status).toBe(200);
  expect(lastSent()).toMatchObject({
    messages: [{ content: [look, document] }],
    response_format: form,
  });
  const { status: withoutFile } = await talk.complete({
    models,
    messages: [{ role: 'user', content: [{ type: 'file' }] }],
  });
  expect(withoutFile).toBe(422);
});

it("an image reaches the model in OpenAI's form, and is shown in the stored conversation", async () => {
  const { json, status } = await talk.complete({
    models,
    messages: [{ role: 'user', content: [look, { ...image, other: 1 }] }],
  });
  expect(status).toBe(200);
  expect(at(lastSent(), 'messages', 0, 'content')).toEqual([look, image]);
  expect(json).toMatchObject({ conversationTitle: 'What is this?' });
  const [sent] = await read(textAt(json, 'conversationId'));
  expectConforms('message.response', sent);
  expect(at(sent, 'content', 1)).toMatchObject(image);
});

it('a single image without text stays an image', async () => {
  await talk.complete({ models, messages: [{ role: 'user', content: [image] }] });
  expect(at(lastSent(), 'messages', 0, 'content')).toEqual([image]);
});

it("tools of the client reach the model, and its calls are the client's to run", async () => {
  talk.upstream.script([calling]);
  const { json } = await talk.complete({
    models,
    messages: [question],
    tools: [weather],
    tool_choice: 'required',
    parallel_tool_calls: false,
  });
  expect(lastSent()).toMatchObject({
    tools: [weather],
    tool_choice: 'required',
    parallel_tool_calls: false,
  });
  expectConforms('completions.response', json);
  expect(json).toMatchObject({ finishReason: 'tool_calls', message: { tool_calls: [call] } });
});

it('without tools a choice of one is not passed on', async () => {
  await talk.complete({ models, messages: [question], tools: [], tool_choice: 'auto' });
  expect(lastSent()).not.toHaveProperty('tools');
  expect(lastSent()).not.toHaveProperty('tool_choice');
});

it('a stream has the calls on its last chunk', async () => {
  talk.upstream.script([calling]);
  const { events } = await talk.stream({ models, messages: [question], tools: [weather] });
  const last = events.at(-1);
  expectConforms('completions.chunk', last);
  expect(last).toMatchObject({ finishReason: 'tool_calls', message: { tool_calls: [call] } });
});

it.each([
  ['null', null],
  ['an empty text', ''],
  ['an empty block', [{ type: 'text', text: '' }]],
])('a turn with calls that is sent back with %s is not stored again', async (_name, content) => {
  talk.upstream.script([calling, { text: ['Sunny.'] }]);
  const first = await talk.complete({ models, messages: [question], tools: [weather] });
  const conversationId = textAt(first.json, 'conversationId');
  await talk.complete({
    models,
    conversationId,
    tools: [weather],
    messages: [
      question,
      { role: 'assistant', content, tool_calls: [{ index: 0, ...call }] },
      { role: 'tool', tool_call_id: 'call_1', content: '24 °C' },
    ],
  });
  const messages = await read(conversationId);
  for (const message of messages) expectConforms('message.response', message);
  expect(messages.map((message) => at(message, 'role'))).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
  expect(messages[1]).toMatchObject({ model: 'good', tool_calls: [call] });
});

it('`auto` alone stands for the configured candidates', async () => {
  const { json } = await talk.complete({ models: ['auto'], messages: [question] });
  expect(json).toMatchObject({ provider: 'up', model: 'good' });
});

it('explains its choice only where it is asked to', async () => {
  const { json } = await talk.complete({ models, messages: [question] });
  expect(json).not.toHaveProperty('decision');
  const explained = await talk.complete({
    models: ['up/good', 'up/other'],
    messages: [question],
    explain: true,
  });
  expectConforms('completions.response', explained.json);
  expect(listAt(explained.json, 'decision', 'candidates')).toHaveLength(2);
});

it('a stream begins with the explanation', async () => {
  const { events } = await talk.stream({ models, messages: [question], explain: true });
  const [first] = events;
  expectConforms('completions.chunk', first);
  expect(first).toMatchObject({
    type: 'plan',
    text: '',
    model: 'good',
    decision: { candidates: [{ label: 'up/good' }] },
  });
});
