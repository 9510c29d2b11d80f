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
      groq: { api: 'groq', baseUrl, apiKey: 'k' },
      mistral: { api: 'mistral', baseUrl, apiKey: 'k' },
      openai: { api: 'openai', baseUrl, apiKey: 'k' },
    },
    limits: { maxRetries: 0 },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const custom = {
  type: 'custom',
  custom: {
    name: 'patch',
    description: 'Changes files.',
    format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
  },
};
const lookup = { type: 'function', function: { name: 'lookup', parameters: { type: 'object' } } };
const earlier = { id: 'call_1', type: 'custom', custom: { name: 'patch', input: 'first "patch"' } };
const body = (model: string, more: object = {}) => ({
  model,
  messages: [
    { role: 'user', content: 'Mend it.' },
    { role: 'assistant', content: null, tool_calls: [earlier] },
    { role: 'tool', tool_call_id: 'call_1', content: 'refused' },
  ],
  tools: [custom, lookup],
  tool_choice: { type: 'custom', custom: { name: 'patch' } },
  ...more,
});
const url = () => `${gateway.url}/v1/chat/completions`;
const headers = { authorization: 'Bearer sk_one' };
const input = '*** Begin Patch\n+ "x"';
const answer = {
  toolCalls: [
    { id: 'call_2', name: 'patch', arguments: { input } },
    { id: 'call_3', name: 'lookup', arguments: { of: 1 } },
  ],
};

describe.each(['anthropic', 'responses', 'gemini', 'bedrock', 'cohere', 'groq', 'mistral'])(
  'a custom tool of chat completions at %s',
  (provider) => {
    const model = `${provider}/m`;

    it('is a function with one text there, and a custom tool for the client', async () => {
      upstream.requests.length = 0;
      upstream.script([answer]);
      const { status, json } = await post(url(), body(model), headers);
      expect(status).toBe(200);
      const sent = JSON.stringify(upstream.requests[0]?.body);
      expect(sent).toContain('Changes files.');
      expect(sent).toContain('must match this grammar (lark)');
      expect(sent).toMatch(/first \\+\"patch\\+\"/);
      expect(sent).not.toContain('"custom"');
      const [{ message, finish_reason }] = (json as Completed).choices;
      expect(finish_reason).toBe('tool_calls');
      expect(message.tool_calls).toMatchObject([
        { type: 'custom', custom: { name: 'patch', input } },
        { type: 'function', function: { name: 'lookup', arguments: '{"of":1}' } },
      ]);
      expect(message.tool_calls[0]).not.toHaveProperty('function');
    });

    it('is called in one chunk of a stream, before its end', async () => {
      upstream.script([answer]);
      const { events } = await postStream(url(), body(model, { stream: true }), { headers });
      const choicesSent = (events as Streamed[]).flatMap(({ choices }) => choices);
      const isCall = ({ delta }: Streamed['choices'][number]) =>
        (delta.tool_calls ?? []).length > 0;
      const end = choicesSent.findIndex(({ finish_reason: reason }) => reason);
      expect(end).toBeGreaterThanOrEqual(choicesSent.findLastIndex(isCall));
      expect(choicesSent.slice(end).map(({ finish_reason: reason }) => reason)).toEqual([
        'tool_calls',
      ]);
      const calls = (events as Streamed[]).flatMap(({ choices }) =>
        choices.flatMap(({ delta }) => delta.tool_calls ?? []),
      );
      expect(calls.filter(({ type }) => type === 'custom')).toMatchObject([
        { custom: { name: 'patch', input } },
      ]);
      const functions = calls.filter(({ custom: of }) => of === undefined);
      expect(functions.map(({ function: of }) => of?.arguments ?? '').join('')).toBe('{"of":1}');
    });
  },
);

it.each(['chat/m', 'openai/gpt-5'])(
  'a custom tool of chat completions stays one for %s, where the provider may take it',
  async (model) => {
    upstream.requests.length = 0;
    await post(url(), body(model), headers);
    expect(upstream.requests).toMatchObject([{ body: { tools: [custom, lookup] } }]);
  },
);

interface Call {
  type?: string;
  custom?: { name: string; input: string };
  function?: { arguments?: string };
}
interface Completed {
  choices: [{ message: { tool_calls: [Call, ...Call[]] }; finish_reason: string }];
}
interface Streamed {
  choices: { delta: { tool_calls?: Call[] }; finish_reason?: string | null }[];
}
