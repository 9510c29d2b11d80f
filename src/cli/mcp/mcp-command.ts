import type { CallToolResult, ListToolsResult, McpServer } from '@modelcontextprotocol/server';
import type { Command } from 'commander';
import { version } from '../../version.js';
import { GatewayClient } from './gateway-client.js';

interface McpOptions {
  readonly url: string;
}

const defaultUrl = 'http://127.0.0.1:8080';

/** Adds `signalbox mcp`. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('offer a running gateway to MCP clients, over standard input and output')
    .option('--url <address>', 'of the gateway; its key is in SIGNALBOX_API_KEY', defaultUrl)
    .action(async (_options: unknown, command: Command) => {
      const { url } = command.opts<McpOptions>();
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
      const text = error instanceof Error ? error.message : 'the gateway failed';
      return { content: [{ type: 'text', text }], isError: true };
    }
  });
}
