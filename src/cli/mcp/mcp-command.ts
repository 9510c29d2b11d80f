import type { CallToolResult, ListToolsResult, McpServer } from '@modelcontextprotocol/server';
import type { Command } from 'commander';
import { messageOf } from '../../errors.js';
import { jsonFields, parsedJson } from '../../text/json-values.js';
import { version } from '../../version.js';

const defaultUrl = 'http://127.0.0.1:8080';

/** Adds `signalbox mcp`. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('offer a running gateway to MCP clients, over standard input and output')
    .option('--url <address>', 'of the gateway; its key is in SIGNALBOX_API_KEY', defaultUrl)
    .action(async (_options: unknown, command: Command) => {
      const { url } = command.opts<{ readonly url: string }>();
      await serveMcp(new GatewayClient(url, process.env.SIGNALBOX_API_KEY ?? ''));
    });
}

/** Serves both generations of the protocol until the client ends the input. */
async function serveMcp(gateway: GatewayClient): Promise<void> {
  const sdk = await import('@modelcontextprotocol/server');
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const served = serveStdio(() => {
    const capabilities = { tools: { listChanged: false } };
    const server = new sdk.McpServer({ name: 'signalbox', version }, { capabilities });
    passOn(server.server, gateway);
    return server;
  });
  await new Promise((resolve) => process.stdin.once('close', resolve).once('end', resolve));
  await served.close();
}

/** The tools are the gateway's own: which there are depends on its configuration and the key. */
function passOn(server: McpServer['server'], gateway: GatewayClient): void {
  server.setRequestHandler('tools/list', async (_request, { mcpReq: { signal } }) => {
    return (await gateway.ask('tools/list', {}, signal)) as ListToolsResult;
  });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const call = { name: params.name, arguments: params.arguments ?? {} };
    try {
      return (await gateway.ask('tools/call', call, signal)) as CallToolResult;
    } catch (error) {
      // a result that the client's model can read
      const text = messageOf(error);
      return { content: [{ type: 'text', text }], isError: true };
    }
  });
}

/** The tools of a running gateway, as the owner of one key sees them. */
class GatewayClient {
  private readonly url: string;

  constructor(
    url: string,
    private readonly key: string,
  ) {
    this.url = url.replace(/\/+$/, '');
  }

  /**
   * Sends one message to `/mcp`, which needs no session.
   * @returns its result
   * @throws Error with the gateway's own message
   */
  async ask(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    const answer = await fetch(`${this.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(this.key === '' ? {} : { authorization: `Bearer ${this.key}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal,
    }).catch((error: unknown) => {
      throw new Error(`the gateway at ${this.url} could not be reached`, { cause: error });
    });
    const { result, error } = messageIn(await answer.text());
    if (result === undefined)
      throw new Error(error?.message ?? `the gateway answered ${answer.status}`);
    return result;
  }
}

/** The parts of an answer in JSON-RPC that matter here. */
interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

/** The answer in a body, which is JSON or an event stream; empty where there is none. */
function messageIn(body: string): Answer {
  const data = /^data: ?(\{.*)$/m.exec(body)?.[1] ?? body;
  return jsonFields(parsedJson(data));
}
