import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../src/completion.js';
import type { ModelCall } from '../../src/providers/adapter.js';
import { dialects } from '../../src/providers/index.js';
import { isObject } from '../../src/text/is-object.js';

const mark = { cache_control: { type: 'ephemeral' } };
const weather = { type: 'function', function: { name: 'weather', parameters: {} } } as const;
const chat: ChatRequest = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
    { role: 'user', content: 'three' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'weather', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'rain' },
  ],
  tools: [weather],
};

async function sent(
  api: 'anthropic' | 'bedrock' | 'openrouter',
  call: Partial<ModelCall>,
  cacheBreakpoints = true,
): Promise<Record<string, unknown>> {
  const settings = { name: 'p', api, region: 'eu-west-1', cacheBreakpoints };
  const adapter = dialects.get(api)!.create(settings);
  const model =
    api === 'bedrock' ? 'anthropic.claude-sonnet-4-5-20250929-v1:0' : 'claude-sonnet-4-5';
  const { body } = await adapter.buildRequest(
    { request: chat, model, stream: false, ...call },
    'k',
  );
  return JSON.parse(body.toString()) as Record<string, unknown>;
}

describe('cache breakpoints', () => {
  it("mark the instructions and the user's last two turns for Anthropic", async () => {
    const { system, tools, messages } = await sent('anthropic', {});
    expect(system).toEqual([{ type: 'text', text: 'Be brief.', ...mark }]);
    expect(tools).toMatchObject([{ name: 'weather' }]);
    expect(JSON.stringify(tools)).not.toContain('cache_control');
    expect(messages).toMatchObject([
      { role: 'user', content: [{ text: 'one' }] },
      { role: 'assistant' },
      { role: 'user', content: [{ text: 'three', ...mark }] },
      { role: 'assistant' },
      { role: 'user', content: [{ type: 'tool_result', content: [{ text: 'rain' }], ...mark }] },
    ]);
    expect(JSON.stringify(messages).match(/cache_control/g)).toHaveLength(2);
  });

  it("mark a client's own Messages body that is forwarded", async () => {
    const body = {
      model: 'm',
      max_tokens: 9,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'one' }],
      unknown: 1,
    };
    const original = { dialect: 'messages', body, headers: {}, query: '' } as const;
    expect(await sent('anthropic', { original })).toEqual({
      ...body,
      model: 'claude-sonnet-4-5',
      stream: false,
      system: [{ type: 'text', text: 'Be brief.', ...mark }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'one', ...mark }] }],
    });
  });

  it('mark the tools where there are no instructions', async () => {
    const { tools } = await sent('anthropic', {
      request: { messages: [{ role: 'user', content: 'one' }], tools: [weather] },
    });
    expect(tools).toMatchObject([{ name: 'weather', ...mark }]);
  });

  it('become cache points on Bedrock', async () => {
    const { system, messages } = await sent('bedrock', {});
    const point = { cachePoint: { type: 'default' } };
    expect(system).toEqual([{ text: 'Be brief.' }, point]);
    expect(messages).toMatchObject([
      { content: [{ text: 'one' }] },
      {},
      { content: [{ text: 'three' }, point] },
      {},
      { content: [{ toolResult: {} }, point] },
    ]);
  });

  it("leave a request alone that has marks of the client's, or whose provider does not ask", async () => {
    const own = [{ role: 'user', content: [{ type: 'text', text: 'one', ...mark }] }];
    const { messages } = await sent('anthropic', {
      request: { messages: [...own, { role: 'user', content: 'two' }] },
    });
    expect(JSON.stringify(messages).match(/cache_control/g)).toHaveLength(1);
    expect(JSON.stringify(await sent('anthropic', {}, false))).not.toContain('cache_control');
    expect(JSON.stringify(await sent('bedrock', {}, false))).not.toContain('cachePoint');
  });
});

describe("a client's marks beyond the four that Claude takes", () => {
  const text = (name: string) => ({ type: 'text', text: name, ...mark });
  const tool = (name: string) => ({ ...weather, function: { name, parameters: {} }, ...mark });
  const users = ['u1', 'u2', 'u3', 'u4', 'u5'];
  const systems = ['s1', 's2', 's3'];
  const said = (names: readonly string[]) =>
    names.flatMap((name) => [
      { role: 'user', content: [text(name)] },
      { role: 'assistant', content: `to ${name}` },
    ]);
  const nameIn = (value: unknown) =>
    /"(?:text|name)":"(\w+)"/.exec(JSON.stringify(value))?.[1] ?? '';
  /** The texts and names that are marked, in Anthropic's form or Bedrock's. */
  function markedIn(value: unknown): string[] {
    if (Array.isArray(value))
      return value.flatMap((each: unknown, at) =>
        isObject(each) && 'cachePoint' in each ? [nameIn(value[at - 1])] : markedIn(each),
      );
    if (!isObject(value)) return [];
    return 'cache_control' in value ? [nameIn(value)] : Object.values(value).flatMap(markedIn);
  }

  it.each([
    [['t1'], systems, users, ['s2', 's3', 'u4', 'u5']],
    [[], ['s1'], users, ['s1', 'u3', 'u4', 'u5']],
    [[], [], users, ['u2', 'u3', 'u4', 'u5']],
    [['t1', 't2'], systems, ['u1'], ['s1', 's2', 's3', 'u1']],
    [['t1', 't2', 't3', 't4', 't5'], [], [], ['t2', 't3', 't4', 't5']],
    [['t1'], ['s1'], ['u1', 'u2'], ['t1', 's1', 'u1', 'u2']],
  ])('%j, %j and %j leave %j, wherever they go', async (tools, system, turns, left) => {
    const messages = [...said(turns), { role: 'user', content: 'now' }];
    const request = {
      messages: [
        ...(system.length > 0 ? [{ role: 'system', content: system.map(text) }] : []),
        ...messages,
      ],
      tools: tools.map(tool),
    } as ChatRequest;
    for (const api of ['anthropic', 'bedrock', 'openrouter'] as const) {
      const { toolConfig, tools: named, ...body } = await sent(api, { request });
      const sections = [
        named ?? (toolConfig as { tools?: unknown } | undefined)?.tools,
        body['system'],
        body['messages'],
      ];
      expect([api, ...markedIn(sections)]).toEqual([api, ...left]);
      const adapter = dialects.get(api)!.create({ name: 'p', api, region: 'eu-west-1' });
      const lost = adapter.leftOut?.(request, 'claude-sonnet-4-5');
      expect(lost?.includes('cache_control')).toBe(tools.length + system.length + turns.length > 4);
    }
    const own = {
      max_tokens: 9,
      system: system.map(text),
      messages,
      tools: tools.map((name) => ({ name, input_schema: {}, ...mark })),
    };
    const given = JSON.stringify(own);
    const original = { dialect: 'messages', body: own, headers: {}, query: '' } as const;
    const forwarded = await sent('anthropic', { original });
    expect(markedIn([forwarded['tools'], forwarded['system'], forwarded['messages']])).toEqual(
      left,
    );
    expect(JSON.stringify(own)).toBe(given);
  });

  it('count once where a message and its last part both have one', async () => {
    const marked = (name: string) => ({ role: 'user', content: [text(name)], ...mark });
    const turns = ['u1', 'u2', 'u3'].flatMap((name) => [
      marked(name),
      { role: 'assistant', content: 'yes' },
    ]);
    const system = { role: 'system', content: [text('s1')], ...mark };
    const request = { messages: [system, ...turns, { role: 'user', content: 'now' }] };
    for (const api of ['anthropic', 'bedrock'] as const) {
      const body = await sent(api, { request: request });
      expect(markedIn([body['system'], body['messages']])).toEqual(['s1', 'u1', 'u2', 'u3']);
      const adapter = dialects.get(api)!.create({ name: 'p', api, region: 'eu-west-1' });
      const lost = adapter.leftOut?.(request, 'claude-sonnet-4-5');
      expect(lost).not.toContain('cache_control');
    }
  });

  it('count with the one of the whole request, and those within a result of a tool', async () => {
    const within = { type: 'tool_result', tool_use_id: 'c', content: [text('r1')], ...mark };
    const messages = [...said(['u1']), { role: 'user', content: [within, text('u2')] }];
    const body = { max_tokens: 9, messages, ...mark };
    const original = { dialect: 'messages', body, headers: {}, query: '' } as const;
    const forwarded = JSON.stringify((await sent('anthropic', { original }))['messages']);
    expect(forwarded.match(/cache_control/g)).toHaveLength(3);
    expect(forwarded).toContain(JSON.stringify(within));
  });
});
