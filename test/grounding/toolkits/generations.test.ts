import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { callOnce, signal, toolkitsOf } from '../../helpers/toolkits.js';

const program = fileURLToPath(new URL('../../helpers/current-mcp.mjs', import.meta.url));
const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

function open(written: Parameters<typeof toolkitsOf>[0]) {
  const { toolkits } = toolkitsOf(written);
  ending.push(() => toolkits.close());
  return toolkits;
}

/** A server at an address; `legacy`: whether it also serves the handshake. */
async function start(legacy: 'stateless' | 'reject'): Promise<string> {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'current', version: '1' });
      const inputSchema = fromJsonSchema<{ text: string }>({
        type: 'object',
        properties: { text: { type: 'string' } },
      });
      server.registerTool('echo', { inputSchema }, ({ text }) => ({
        content: [{ type: 'text', text: `Again: ${text}` }],
      }));
      return server;
    },
    { legacy },
  );
  const server = createServer((request, response) => {
    const hasBody = request.method === 'POST';
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    const asked = new Request(`http://127.0.0.1${request.url ?? ''}`, {
      method: request.method,
      headers: headers,
      ...(hasBody ? { body: Readable.toWeb(request), duplex: 'half' } : {}),
    });
    void handler.fetch(asked).then((answer) => {
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body === null) response.end();
      else Readable.fromWeb(answer.body).pipe(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe('a server that speaks', () => {
  it.each([
    ['serve', 'auto'],
    ['serve', 'handshake'],
    ['serve', 'stateless'],
    ['reject', 'auto'],
    ['reject', 'stateless'],
  ] as const)('both or one generation (%s) is understood as %s, started', async (legacy, era) => {
    const toolkits = open({
      now: { type: 'mcp-stdio', command: process.execPath, args: [program, legacy], era },
    });
    expect((await callOnce(toolkits, 'now__echo', { text: 'x' })).text).toBe('Again: x');
  });

  it.each([
    ['stateless', 'auto'],
    ['stateless', 'handshake'],
    ['stateless', 'stateless'],
    ['reject', 'auto'],
    ['reject', 'stateless'],
  ] as const)('both or one generation (%s) is understood as %s, over HTTP', async (legacy, era) => {
    const toolkits = open({ now: { type: 'mcp-http', url: await start(legacy), era } });
    expect((await callOnce(toolkits, 'now__echo', { text: 'x' })).text).toBe('Again: x');
  });

  it('the other generation than configured fails the request with status 502', async () => {
    const toolkits = open({
      now: {
        type: 'mcp-stdio',
        command: process.execPath,
        args: [program, 'reject'],
        era: 'handshake',
      },
    });
    await expect(toolkits.open([{ name: 'now' }], ['*'], signal())).rejects.toMatchObject({
      status: 502,
    });
  });
});
