import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import type { Command } from 'commander';
import { version } from '../../version.js';
import { GatewayClient } from './gateway-client.js';
import { completeSchema, selectSchema } from './tool-schemas.js';

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
  const server = await import('@modelcontextprotocol/server');
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const served = serveStdio(() => {
    const made = new server.McpServer({ name: 'signalbox', version });
    addTools(made, gateway, server.fromJsonSchema);
    return made;
  });
  await new Promise((resolve) => process.stdin.once('close', resolve).once('end', resolve));
  await served.close();
}

type FromJsonSchema = typeof import('@modelcontextprotocol/server').fromJsonSchema;

function addTools(server: McpServer, gateway: GatewayClient, fromJsonSchema: FromJsonSchema): void {
  server.registerTool(
    'select_model',
    {
      description: 'Names the best model for a prompt. No model is called.',
      inputSchema: fromJsonSchema<{ prompt: string; models?: string[]; tradeoff?: string }>(
        selectSchema,
      ),
      annotations: { readOnlyHint: true },
    },
    ({ prompt, models, tradeoff }, { mcpReq: { signal } }) =>
      answered(async () => {
        const names = models ?? (await gateway.models(signal));
        return gateway.select({ prompt, models: names, tradeoff }, signal);
      }),
  );
  server.registerTool(
    'complete',
    {
      description: 'Asks a model, by default the best one for the prompt, and returns its answer.',
      inputSchema: fromJsonSchema<{ prompt: string; system?: string; model?: string }>(
        completeSchema,
      ),
    },
    (call, { mcpReq: { signal } }) => answered(() => gateway.complete(call, signal)),
  );
}

/** A failure is a result that the client's model can read. */
async function answered(work: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await work() }] };
  } catch (error) {
    const text = error instanceof Error ? error.message : 'the gateway failed';
    return { content: [{ type: 'text', text }], isError: true };
  }
}
