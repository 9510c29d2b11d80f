import { ref } from '../../api/openapi/components.js';
import { describedPath } from '../../api/openapi/operations.js';

const mcp = { invalid: 400, statuses: [429, 500, 503], errorSchema: 'mcp-error' } as const;

/** The tools for MCP clients. */
export function mcpPath(): object {
  const answer = { schema: ref('mcp.response') };
  return describedPath(
    'MCP',
    '/mcp',
    {
      post: {
        id: 'sendMcpMessage',
        summary: 'Send a message of an MCP client',
        description:
          'Streamable HTTP of both generations of the protocol, without sessions: an MCP client finds the tools `select_model`, `complete` and `search` here, as far as the scopes of the key and the configuration allow. A failed call of a tool is a result with `isError`.',
        request: 'mcp.request',
        example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        answer: {
          description: 'The answer, as one message or as an event stream of messages.',
          content: { 'application/json': answer, 'text/event-stream': answer },
        },
        errors: {
          403: 'The key has none of the scopes `completions` and `model-select`, or a page of another site sent the request.',
        },
      },
    },
    mcp,
  );
}
