import { describe, expect, it } from 'vitest';
import { callAnswer } from '../helpers/raw-provider.js';
import { type Body, surfacesGateway } from '../helpers/sent-on-surfaces.js';

const { raw, sent } = surfacesGateway();

const parameters = { type: 'object', properties: { a: { type: 'number' } } };
const functions = [
  { name: 'f', description: 'Does it', parameters },
  { name: 'g', parameters },
];
const fields = { functions, function_call: { name: 'f' } };

/** What a client of OpenAI's older API reads, from a provider that calls `f`. */
async function answered(model: string, stream: boolean): Promise<Body> {
  raw.provider.answer(() => ({ json: callAnswer(model.split('/')[0]!, '{"a":1}') }));
  const response = await fetch(`${raw.gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...raw.gateway.auth, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }], functions, stream }),
  });
  const text = await response.text();
  expect(text).not.toContain('tool_calls');
  const frames = stream
    ? [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => json)
    : [text];
  const choices = frames.flatMap((json) => (JSON.parse(json) as { choices: Body[] }).choices);
  const calls = choices.map(({ message, delta }) => (message ?? delta) as Body);
  return {
    called: calls.find((one) => one['function_call'])?.['function_call'],
    finish: choices.at(-1)?.['finish_reason'],
  };
}

describe("OpenAI's older functions", () => {
  it('are tools of every provider, of which the named one is called', async () => {
    expect(await sent('chat', 'chat/m', fields)).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      tools: functions.map((one) => ({ type: 'function', function: one })),
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
    });
    expect(await sent('chat', 'claude/claude-sonnet-4-5', fields)).toMatchObject({
      tools: [
        { name: 'f', description: 'Does it', input_schema: parameters },
        { name: 'g', input_schema: parameters },
      ],
      tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
    });
    expect(await sent('chat', 'answers/m', fields)).toMatchObject({
      tools: [
        { type: 'function', name: 'f', parameters },
        { type: 'function', name: 'g', parameters },
      ],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
    });
    expect(await sent('chat', 'google/gemini-2.5-pro', fields)).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    });
    expect(await sent('chat', 'aws/anthropic.claude-sonnet-4-5', fields)).toMatchObject({
      toolConfig: {
        tools: [{ toolSpec: { name: 'f' } }, { toolSpec: { name: 'g' } }],
        toolChoice: { tool: { name: 'f' } },
      },
    });
    expect(await sent('chat', 'coral/m', fields)).toMatchObject({
      tools: [{ function: { name: 'f' } }],
    });
  });

  it.each(['auto', 'none'])('may be chosen by %s', async (function_call) => {
    const { tool_choice: choice } = await sent('chat', 'answers/m', { functions, function_call });
    expect(choice).toBe(function_call);
  });

  it.each([
    'chat/m',
    'claude/claude-sonnet-4-5',
    'answers/m',
    'google/gemini-2.5-pro',
    'aws/m',
    'coral/m',
  ])('are called as functions, also where the provider calls a tool: %s', async (model) => {
    for (const stream of [false, true])
      expect(await answered(model, stream)).toEqual({
        called: { name: 'f', arguments: '{"a":1}' },
        finish: 'function_call',
      });
  });
});
