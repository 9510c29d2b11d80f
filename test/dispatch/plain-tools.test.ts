import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { post, postStream } from '../helpers/sse.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const baseUrl = `${upstream.url}/v1`;
  gateway = await startGateway({
    auth: { keys: [{ name: 'one', key: 'sk_one' }] },
    providers: {
      chat: { api: 'openai-compatible', baseUrl },
      anthropic: { api: 'anthropic', baseUrl, apiKey: 'k' },
      responses: { api: 'openai-responses', baseUrl, apiKey: 'k' },
      gemini: { api: 'gemini', baseUrl: upstream.url, apiKey: 'k' },
      bedrock: { api: 'bedrock', baseUrl: upstream.url, region: 'eu-west-1', apiKey: 'k' },
      cohere: { api: 'cohere', baseUrl: upstream.url, apiKey: 'k' },
    },
    limits: { maxRetries: 0 },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const url = () => `${gateway.url}/v1/chat/completions`;
const headers = { authorization: 'Bearer sk_one' };
const question = { role: 'user', content: 'Hi' };
const plain = { type: 'object', properties: { city: { type: 'string' } } };
const tool = (name: string, parameters: unknown = plain) => ({
  type: 'function',
  function: { name, parameters },
});

/** All that a provider got, as text, and the answer. */
async function ask(model: string, body: object): Promise<{ sent: string; json: unknown }> {
  upstream.requests.length = 0;
  const { status, json } = await post(url(), { model, messages: [question], ...body }, headers);
  expect(status, JSON.stringify(json)).toBe(200);
  return { sent: JSON.stringify(upstream.requests[0]?.body), json };
}

const providers = ['chat', 'anthropic', 'responses', 'gemini', 'bedrock', 'cohere'];
const oddNames = ['fs.read', 'mcp/git/log', 'météo 天気', '7zip', `long_${'x'.repeat(80)}`];

describe.each(providers)('at %s', (provider) => {
  const model = `${provider}/m`;
  const namesIn = (sent: string): string[] =>
    [...sent.matchAll(/"name":"([^"]*)"/g)].map(([, name = '']) => name);

  it.each(oddNames)(
    'a tool that providers would refuse to know as %s has another name',
    async (name) => {
      const call = { id: 'call_1', type: 'function', function: { name, arguments: '{}' } };
      const body = {
        messages: [
          question,
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
        ],
        tools: [tool(name)],
        tool_choice: { type: 'function', function: { name } },
      };
      const { sent } = await ask(model, body);
      const names = namesIn(sent);
      expect(names.filter((one) => !/^[a-z_][\w-]{0,63}$/i.test(one))).toEqual([]);
      expect(sent).not.toContain(JSON.stringify(name));
      const [given = ''] = names;
      expect(new Set(names)).toEqual(new Set([given]));

      const calls = [{ id: 'call_2', name: given, arguments: { city: 'Bern' } }];
      upstream.script([{ toolCalls: calls }, { toolCalls: calls }]);
      const { json } = await ask(model, body);
      expect(json).toMatchObject({
        choices: [{ message: { tool_calls: [{ function: { name } }] } }],
      });
      const { events } = await postStream(url(), { model, ...body, stream: true }, { headers });
      expect(namesIn(JSON.stringify(events))).toEqual([name]);
    },
  );

  it.each([
    ['null', null],
    ['nothing', {}],
    ['fields without a type', { properties: plain.properties }],
    ['a list of types', { ...plain, type: ['object', 'null'] }],
    ['a reference', { $ref: '#/$defs/A', $defs: { A: plain } }],
    ['alternatives', { anyOf: [plain, { type: 'object', properties: { town: {} } }] }],
    ['parts', { type: 'object', allOf: [plain, { required: ['city'] }] }],
  ])('parameters that are %s become an object', async (form, parameters) => {
    const { sent } = await ask(model, { tools: [tool('weather', parameters)] });
    expect(sent).toContain('"type":"object"');
    expect(sent).toContain('"properties"');
    expect(sent).not.toMatch(/anyOf|allOf|"\$ref"|"null"|:null/);
    if (!['null', 'nothing'].includes(form)) expect(sent).toContain('city');
    if (form === 'parts') expect(sent).toContain('"required":["city"]');
    if (form === 'alternatives') expect(sent).toContain('town');
  });

  it('a tool that is given twice is sent once', async () => {
    const { sent } = await ask(model, { tools: [tool('weather'), tool('weather')] });
    expect(namesIn(sent)).toEqual(['weather']);
  });
});

describe('a choice of tools in the words of another API', () => {
  const chosen = { type: 'function', function: { name: 'weather' } };
  it.each([
    [{ type: 'any' }, 'required'],
    ['any', 'required'],
    [{ type: 'auto' }, 'auto'],
    [{ type: 'tool', name: 'weather' }, chosen],
    [{ type: 'function', name: 'weather' }, chosen],
    [{ type: 'function', function: { name: 'weather' } }, chosen],
  ])('%j is sent as %j', async (choice, sent) => {
    await ask('chat/m', { tools: [tool('weather')], tool_choice: choice });
    expect(upstream.requests).toMatchObject([{ body: { tool_choice: sent } }]);
  });
});

it('parameters whose references multiply, or with very many fields, are sent at once', async () => {
  const required = Array.from({ length: 60_000 }, (_, index) => `f${index}`);
  for (const parameters of [
    { anyOf: Array.from({ length: 300 }, () => ({ $ref: '#' })) },
    { anyOf: [{ required }, { required: required.toReversed() }] },
  ]) {
    const { sent } = await ask('chat/m', { tools: [tool('weather', parameters)] });
    expect(sent).toContain('"type":"object"');
  }
});

it('an output schema has a name that providers take', async () => {
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  for (const name of [undefined, { type: 'x' }, 7, 'My Schema (v2)!', 'x'.repeat(90)]) {
    await ask('chat/m', {
      response_format: { type: 'json_schema', json_schema: { name, schema } },
    });
    const json_schema = { name: expect.stringMatching(/^[a-z_][\w-]{0,63}$/i) as string };
    expect(upstream.requests).toMatchObject([{ body: { response_format: { json_schema } } }]);
  }
});

it.each(providers)('null in place of calls is no call, at %s', async (provider) => {
  const turn = { role: 'assistant', content: 'Hello', tool_calls: null, refusal: null };
  const { sent } = await ask(`${provider}/m`, { messages: [question, turn, question] });
  expect(sent).toContain('Hello');
});

it('the result of a tool that is an object is sent as its text', async () => {
  upstream.requests.length = 0;
  const call = { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' };
  const result = { type: 'function_call_output', call_id: 'c1', output: { is: 'sunny' } };
  const body = { model: 'chat/m', input: [{ role: 'user', content: 'Hi' }, call, result] };
  await post(`${gateway.url}/v1/responses`, body, headers);
  expect(JSON.stringify(upstream.requests)).toContain('sunny');
});
