import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectConforms } from '../helpers/conforms.js';
import { type RunningGateway, startGateway } from '../helpers/gateway.js';
import { post, type Reply } from '../helpers/sse.js';
import { everything } from '../helpers/toolkits.js';
import { startUpstream, type Upstream } from '../helpers/upstream.js';

let upstream: Upstream;
let gateway: RunningGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    limits: { maxRetries: 0 },
    providers: { up: { api: 'openai-compatible', baseUrl: `${upstream.url}/v1` } },
    models: { 'up/caller': { inputPrice: 1, outputPrice: 1, contextLength: 9_000, tools: true } },
    auth: {
      keys: [
        { name: 'tools', key: 'sk_tools', toolkits: ['*'] },
        { name: 'plain', key: 'sk_plain' },
        { name: 'poor', key: 'sk_poor', toolkits: ['*'], limits: { dayBudgetUsd: 1 } },
      ],
    },
    toolkits: {
      all: { ...everything, pricePerCall: 0.25 },
      gone: { type: 'mcp-http', url: 'http://127.0.0.1:1/mcp', era: 'handshake' },
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.script([]);
  upstream.requests.length = 0;
});

const ask = (toolkits: unknown, key = 'sk_tools'): Promise<Reply> =>
  post(
    `${gateway.url}/api/v1/completions`,
    { messages: [{ role: 'user', content: 'Add.' }], models: ['up/caller'], toolkits },
    { authorization: `Bearer ${key}` },
  );

describe('a completion with toolkits', () => {
  it('runs the tools that the model calls, and tells what they cost', async () => {
    const called = { id: 'c1', name: 'all__get-sum', arguments: { a: 19, b: 23 } };
    upstream.script([{ toolCalls: [called] }, { text: ['It is 42.'] }]);
    const { json, status } = await ask([{ name: 'all', tools: ['get-*'] }]);
    expect(status).toBe(200);
    expectConforms('completions.response', json);
    expect(json).toMatchObject({
      message: { content: [{ text: 'It is 42.' }] },
      grounding: { toolCalls: 1, costUsd: 0.25 },
    });
    const [first, second] = upstream.requests.map(({ body }) => body) as never as {
      tools: { function: { name: string } }[];
      messages: { role: string; content: string }[];
    }[];
    const names = first!.tools.map((tool) => tool.function.name);
    expect(names).toContain('all__get-sum');
    expect(names.every((name) => name.startsWith('all__get-'))).toBe(true);
    expect(second!.messages.at(-1)).toMatchObject({ role: 'tool' });
    expect(second!.messages.at(-1)!.content).toContain('The sum of 19 and 23 is 42.');
  });

  it('keeps what its answer needs where others spend the same budget: no call is paid for nothing', async () => {
    const called = { id: 'c1', name: 'all__get-sum', arguments: { a: 19, b: 23 } };
    upstream.script([
      ({ body }) =>
        (body!['messages'] as unknown[]).length > 2
          ? { text: ['It is 42.'], delayMs: 20 }
          : { toolCalls: [called], delayMs: 20 },
    ]);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => ask([{ name: 'all' }], 'sk_poor')),
    );
    const served = replies.filter(({ status }) => status === 200);
    expect(served).toHaveLength(3);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    // those that were refused called nothing
    expect(upstream.requests).toHaveLength(2 * served.length);
    for (const { json } of served) expect(json).toMatchObject({ grounding: { toolCalls: 1 } });
    expect((await ask([{ name: 'all' }], 'sk_poor')).status).toBe(429);
  });

  it('may repeat an address that a tool told, and no other', async () => {
    const told = 'Look at https://shop.example/order/7 please';
    const called = { id: 'c1', name: 'all__echo', arguments: { message: told } };
    const text = ['[order](https://shop.example/order/7), [other](https://shop.example/order/8)'];
    upstream.script([{ toolCalls: [called] }, { text }]);
    const { json } = await ask([{ name: 'all', tools: ['echo'] }]);
    expect(json).toMatchObject({
      message: { content: [{ text: '[order](https://shop.example/order/7), other' }] },
    });
  });

  it.each([
    [['all'], 'sk_plain', 422, 'toolkits[0]: this API key may not use the toolkit all'],
    [['nowhere'], 'sk_tools', 422, 'toolkits[0]: there is no toolkit named nowhere'],
    [['gone'], 'sk_tools', 502, 'gone: it could not be reached'],
  ])('that cannot have %s with %s is %i', async (toolkits, key, status, message) => {
    const reply = await ask(toolkits, key);
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ message });
    expect(upstream.requests).toEqual([]);
  });
});
