import { describe, expect, it } from 'vitest';
import { callAnswer, rawGateway } from '../helpers/raw-provider.js';

const long = '2512292042121000001';
const args = `{"id":${long}}`;
const models = {
  claude: 'claude/claude-sonnet-4-6',
  google: 'google/gemini-3-pro-preview',
  aws: 'aws/anthropic.claude-sonnet-4-6',
  chat: 'chat/m',
  answers: 'answers/gpt-4o',
  coral: 'coral/command-a-03-2025',
};
const rows = Object.entries(models);

const raw = rawGateway();

async function send(path: string, json: string): Promise<string> {
  const response = await fetch(raw.gateway.url + path, {
    method: 'POST',
    headers: { ...raw.gateway.auth, 'content-type': 'application/json' },
    body: json,
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

const chatBody = (model: string): string =>
  `{"model":"${model}","seed":${long},"messages":[{"role":"user","content":"Hi"},` +
  `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}]},` +
  `{"role":"tool","tool_call_id":"a","content":${JSON.stringify(args)}}],` +
  `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"id":{"type":"integer","maximum":9223372036854775807}}}}}]}`;
const messagesBody = (model: string): string =>
  `{"model":"${model}","max_tokens":99,"messages":[{"role":"user","content":"Hi"},` +
  `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":${args}}]},` +
  `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"}]}],` +
  `"tools":[{"name":"f","input_schema":{"type":"object","properties":{"id":{"maximum":9223372036854775807}}}}]}`;

describe.each(rows)('integers of 19 digits to and from %s', (name, model) => {
  it('keep their digits in arguments, results and schemas', async () => {
    raw.provider.answer(() => ({ json: callAnswer(name, args) }));
    await send('/v1/chat/completions', chatBody(model));
    const sent = raw.provider.texts.at(-1) ?? '';
    expect(sent.split(long).length - 1).toBeGreaterThanOrEqual(2);
    expect(sent).toContain('9223372036854775807');
  });

  it('keep them in a seed, or become one that the provider takes', async () => {
    raw.provider.answer(() => ({ json: callAnswer(name, args) }));
    await send('/v1/chat/completions', chatBody(model));
    const sent = raw.provider.texts.at(-1) ?? '';
    const seed = /"seed":(-?\d+)/.exec(sent)?.[1];
    const taken: Record<string, string> = {
      chat: long,
      coral: String(Number(long)),
      google: String(BigInt.asIntN(32, BigInt(Number(long)))),
    };
    expect(seed).toBe(taken[name]);
  });

  it('keep them in what a client of Messages sends', async () => {
    raw.provider.answer(() => ({ json: callAnswer(name, args) }));
    await send('/v1/messages', messagesBody(model));
    expect(raw.provider.texts.at(-1)).toContain(long);
    expect(raw.provider.texts.at(-1)).toContain('9223372036854775807');
  });

  it.each([
    ['/v1/chat/completions', chatBody(model), JSON.stringify(args)],
    ['/v1/messages', messagesBody(model), `"input":${args}`],
    [
      '/v1/responses',
      JSON.stringify({ model, input: 'Hi', store: false }),
      `"arguments":${JSON.stringify(args)}`,
    ],
    [
      '/api/v1/chat/completions',
      JSON.stringify({
        models: [model],
        messages: [{ role: 'user', content: 'Hi' }],
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      }),
      long,
    ],
  ])('keep them in the answer of %s', async (path, body, expected) => {
    raw.provider.answer(() => ({ json: callAnswer(name, args) }));
    expect(await send(path, body)).toContain(expected);
  });
});

it.each(['answers/gpt-4o', models.aws, models.claude])(
  'integers of 19 digits keep their digits in a schema that is closed for %s',
  async (model) => {
    const schema = `{"type":"object","required":["id"],"properties":{"id":{"maximum":${long},"enum":[${long}]}}}`;
    const format = `{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":${schema}}}`;
    const name = Object.keys(models).find((key) => models[key as keyof typeof models] === model);
    raw.provider.answer(() => ({ json: callAnswer(name ?? '', args) }));
    const body = `{"model":"${model}","messages":[{"role":"user","content":"Hi"}],"response_format":${format}}`;
    await send('/v1/chat/completions', body);
    const sent = raw.provider.texts.at(-1) ?? '';
    expect(sent.split(long)).toHaveLength(3);
    expect(sent).toContain('additionalProperties');
  },
);

it('integers of 19 digits keep their digits in arguments that a server sends as an object', async () => {
  const call = `{"id":"a","type":"function","function":{"name":"f","arguments":${args}}}`;
  const message = `{"role":"assistant","content":null,"tool_calls":[${call}]}`;
  const json = `{"id":"c","choices":[{"index":0,"finish_reason":"tool_calls","message":${message}}]}`;
  raw.provider.answer(() => ({ json }));
  const body = JSON.stringify({ model: models.chat, messages: [{ role: 'user', content: 'Hi' }] });
  expect(await send('/v1/chat/completions', body)).toContain(`"arguments":${JSON.stringify(args)}`);
});

it.each(['claude', 'google', 'aws', 'chat'] as const)(
  'numbers beyond all that JavaScript has are no null in schemas to %s and arguments of it',
  async (name) => {
    raw.provider.answer(() => ({ json: callAnswer(name, '{"a":[1e400,-2.5E+999]}') }));
    const body = chatBody(models[name]).replace('9223372036854775807', '1e400');
    expect(await send('/v1/chat/completions', body)).toContain('[1e400,-2.5E+999]');
    expect(raw.provider.texts.at(-1)).toContain('"maximum":1e400');
  },
);

describe('integers of 19 digits in a stored response', () => {
  it('keep their digits in its items, and in the turn that goes on from it', async () => {
    raw.provider.answer(() => ({ json: callAnswer('chat', args) }));
    const { chat: model } = models;
    const body =
      `{"model":"${model}","input":[{"role":"user","content":"Hi"},` +
      `{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},` +
      `{"type":"function_call_output","call_id":"a","output":${args}}]}`;
    const { id } = JSON.parse(await send('/v1/responses', body)) as { id: string };
    const items = await fetch(`${raw.gateway.url}/v1/responses/${id}/input_items`, {
      headers: raw.gateway.auth,
    });
    // the API has a text there
    expect(await items.text()).toContain(JSON.stringify(args));
    await send(
      '/v1/responses',
      JSON.stringify({ model, input: 'Go on', previous_response_id: id }),
    );
    expect(raw.provider.texts.at(-1)).toContain(JSON.stringify(args));
  });
});
