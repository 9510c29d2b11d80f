import { describe, expect, it } from 'vitest';
import { at, textAt } from '../helpers/json.js';
import { surfacesGateway } from '../helpers/sent-on-surfaces.js';

const { raw, sent } = surfacesGateway();

/** A conversation whose tool returned that, as Anthropic's clients say it. */
const returned = (content: unknown, isError = true) => ({
  messages: [
    { role: 'user', content: 'What is the weather?' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_a1', name: 'f', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'call_a1', content, is_error: isError }],
    },
  ],
  tools: [{ name: 'f', input_schema: { type: 'object' } }],
});

/** What providers whose dialect has no field for it get as the result, by dialect. */
const results: Record<string, (body: Record<string, unknown>) => unknown> = {
  'chat/m': (body) => at(body, 'messages', 2, 'content'),
  'answers/m': (body) => at(body, 'input', 2, 'output'),
  'coral/command-a': (body) => at(body, 'messages', 2, 'content'),
  'aws/amazon.nova-pro-v1:0': (body) =>
    at(body, 'messages', 2, 'content', 0, 'toolResult', 'content', 0, 'text'),
};

describe.each(Object.entries(results))('that a tool failed is told %s', (model, resultIn) => {
  const got = async (content: unknown, isError = true): Promise<unknown> =>
    resultIn(await sent('Messages', model, returned(content, isError)));
  const flat = (result: unknown): string =>
    Array.isArray(result) ? result.map((part) => textAt(part, 'text')).join('|') : String(result);

  it('in front of the text', async () => {
    expect(flat(await got('no such city'))).toBe('Error: no such city');
  });
  it('also where the result is a list of parts', async () => {
    const parts = ['no such', 'city'].map((text) => ({ type: 'text', text }));
    expect(flat(await got(parts))).toMatch(/^Error: ?\|?\n?no such/);
  });
  it('also where the result is empty or a picture', async () => {
    expect(flat(await got(''))).toBe('Error');
    expect(flat(await got([]))).toBe('Error');
  });
  it.each([
    'Error: no such city',
    '[ERROR] no such city',
    '<tool_use_error>no such city</tool_use_error>',
    'TypeError: x is not a function',
    '{"error":"no such city"}',
  ])('only once: %s', async (text) => {
    expect(flat(await got(text))).toBe(text);
  });
  it('and nothing of a tool that did not', async () => {
    expect(flat(await got('sunny', false))).toBe('sunny');
  });
});

it.each([
  ['claude/claude-sonnet-4-5', ['messages', 2, 'content', 0, 'is_error'], true],
  [
    'google/gemini-2.5-flash',
    ['contents', 2, 'parts', 0, 'functionResponse', 'response'],
    { error: 'no such city' },
  ],
  [
    'aws/anthropic.claude-sonnet-4-5-v1:0',
    ['messages', 2, 'content', 0, 'toolResult', 'status'],
    'error',
  ],
] as const)('%s is told in its own field', async (model, path, value) => {
  const body = await sent('Messages', model, returned('no such city'));
  expect(at(body, ...path)).toEqual(value);
  expect(raw.provider.texts.at(-1)).not.toContain('Error: no such city');
});
