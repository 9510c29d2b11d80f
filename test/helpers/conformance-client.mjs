// The MCP client of toolkits as the conformance suite starts it: it opens the server at the address
// of its last argument, and calls each of its tools once.
import { register } from 'node:module';

register(new URL('./typescript-hooks.mjs', import.meta.url));
const { resolveConfig } = await import('../../src/config/config.ts');
const { Toolkits } = await import('../../src/grounding/toolkits/toolkits.ts');

const { client_id: clientId, client_secret: clientSecret } = JSON.parse(
  process.env.MCP_CONFORMANCE_CONTEXT ?? '{}',
);
const auth = clientSecret && { type: 'client_credentials', clientId, clientSecret };
const url = process.argv.at(-1);
const server = { type: 'mcp-http', url, era: 'handshake', ...(auth ? { auth } : {}) };
const { toolkits: configured } = resolveConfig({ toolkits: { server } }, {});
const toolkits = new Toolkits(configured, (line) => console.error(line));
const { signal } = new AbortController();
try {
  const { tools } = await toolkits.open([{ name: 'server' }], ['*'], signal);
  for (const tool of tools) console.error(await tool.run({ a: 2, b: 3 }, { signal }));
} catch (error) {
  // a server without tools is of no use to a request; the suite judges by what the server saw
  console.error(String(error));
} finally {
  await toolkits.close();
}
