// An MCP server of the present generation over standard input and output; `legacy` as its argument
// says: whether it also serves the handshake.
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const legacy = process.argv[2] === 'reject' ? 'reject' : 'serve';
const inputSchema = fromJsonSchema({ type: 'object', properties: { text: { type: 'string' } } });

serveStdio(
  () => {
    const server = new McpServer(
      { name: 'current', version: '1' },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.registerTool('echo', { description: 'Says it again.', inputSchema }, ({ text }) => ({
      content: [{ type: 'text', text: `Again: ${text}` }],
    }));
    return server;
  },
  { legacy },
);
