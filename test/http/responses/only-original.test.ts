import { describe, expect, it } from 'vitest';
import type { ResponsesBody } from '../../../src/http/surfaces/responses/body.js';
import { fates, onlyOriginal } from '../../../src/http/surfaces/responses/only-original.js';

const hello = { role: 'user', content: 'Hi' };
type Kind = keyof typeof fates;

/** A request with one thing of a kind, and how its warning names it. */
const requests: Record<Kind, (name: string) => [body: ResponsesBody, field: string]> = {
  field: (name) => [{ model: 'm', input: [hello], [name]: { some: 'thing' } }, name],
  tool: (type) => [{ model: 'm', input: [hello], tools: [{ type, name: 'x' }] }, `tools: ${type}`],
  item: (type) => [{ model: 'm', input: [hello, { type }] }, `input: ${type}`],
  part: (type) => [{ model: 'm', input: [{ ...hello, content: [{ type }] }] }, `input: ${type}`],
};
// what these hold is looked at by itself
const structured = ['model', 'input', 'tools', 'tool_choice'];
const rows = (Object.keys(fates) as Kind[]).flatMap((kind) =>
  [...fates[kind].known, ['new_thing', fates[kind].unlisted] as const]
    .filter(([name]) => !structured.includes(name))
    .map(([name, fate]) => [kind, name, fate] as const),
);

describe('what a request has', () => {
  it.each(rows)('the %s %s is %s where another dialect answers', (kind, name, fate) => {
    const [body, field] = requests[kind](name);
    const { needs, dropped } = onlyOriginal(body);
    expect(needs).toBe(fate === 'needed' ? field : null);
    expect([...dropped]).toEqual(fate === 'dropped' ? [field] : []);
  });

  it.each([
    ['a tool in a namespace', { tools: [{ type: 'namespace', tools: [{ type: 'mcp' }] }] }],
    [
      'a tool that an item brings',
      { input: [{ type: 'additional_tools', tools: [{ type: 'mcp' }] }] },
    ],
    [
      'a picture by its id',
      { input: [{ ...hello, content: [{ type: 'input_image', file_id: 'f' }] }] },
    ],
    ['a forced hosted tool', { tool_choice: { type: 'web_search' } }],
  ])('%s needs a provider of this dialect', (_what, body) => {
    expect(onlyOriginal({ model: 'm', input: [hello], ...body }).needs).toBeTypeOf('string');
  });

  it.each([
    ['null', { truncation: null }],
    ['the default', { truncation: 'disabled' }],
    ['false', { background: false }],
    ['an empty list', { context_management: [] }],
  ])('%s asks for nothing', (_what, body) => {
    expect(onlyOriginal({ model: 'm', input: [hello], ...body })).toEqual({
      needs: null,
      dropped: new Set(),
    });
  });
});
