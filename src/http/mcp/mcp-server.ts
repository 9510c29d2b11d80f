import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import type { GatewayRequest } from '../../pipeline/request.js';
import { recordFailure } from '../../telemetry/observed-request.js';
import { version } from '../../version.js';
import { asGatewayError } from '../error-handler.js';
import { type McpTool, mcpTools } from './mcp-tools.js';

/** Loads the library, and compiles the tools' schemas once. */
async function load() {
  const sdk = await import('@modelcontextprotocol/server');
  const schemas = new Map(
    mcpTools.map((tool) => [tool, sdk.fromJsonSchema<object>(tool.inputSchema)]),
  );
  return { sdk, schemas };
}

let loaded: ReturnType<typeof load> | null = null;

/**
 * Answers one message of an MCP client, of either generation of the protocol, without sessions.
 * The library is loaded by the first call.
 * @param tools those that the caller may call
 * @param message the parsed body of `asked`
 */
export async function answerMessage(
  parts: GatewayParts,
  request: GatewayRequest,
  tools: readonly McpTool[],
  asked: Request,
  message: unknown,
): Promise<Response> {
  const { sdk, schemas } = await (loaded ??= load());
  const handler = sdk.createMcpHandler(
    () => {
      const server = new sdk.McpServer(
        { name: 'signalbox', version },
        { capabilities: { tools: { listChanged: false } } },
      );
      for (const tool of tools) {
        const { name, description, isReadOnly } = tool;
        const annotations = { readOnlyHint: isReadOnly, openWorldHint: true };
        const inputSchema = schemas.get(tool)!;
        server.registerTool(name, { description, inputSchema, annotations }, async (args) => {
          request.surface = tool.surface;
          const { record } = request;
          try {
            return { content: [{ type: 'text', text: await tool.run(parts, request, args) }] };
          } catch (thrown) {
            // a result that the client's model can read
            const error = asGatewayError(thrown);
            if (error.code === 'internal') parts.log.failure(request, error);
            recordFailure(record, error);
            record.status = error.status;
            return { content: [{ type: 'text', text: error.forClients().message }], isError: true };
          }
        });
      }
      return server;
    },
    // nothing changes during a connection, and a subscription would keep it open
    { maxSubscriptions: 0 },
  );
  return handler.fetch(asked, { parsedBody: message });
}
