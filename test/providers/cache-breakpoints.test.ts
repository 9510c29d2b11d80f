import { describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../src/completion.js';
import type { ModelCall } from '../../src/providers/adapter.js';
import { dialects } from '../../src/providers/index.js';

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
  api: 'anthropic' | 'bedrock',
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
