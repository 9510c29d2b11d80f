import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import type { OfferedTool, ToolOffer } from '../tool-source.js';

const maxPages = 32;
const maxTools = 512;

/** Takes any result: one tool that violates the protocol does not take the others with it. */
const anyResult: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'signalbox', validate: (value) => ({ value }) },
};

/**
 * All tools that a server lists, over all pages, within `timeoutMs`.
 * @throws Error of any kind where the server does not list them
 */
export async function listTools(client: Client, timeoutMs: number): Promise<ToolOffer> {
  const end = performance.now() + timeoutMs;
  const tools: OfferedTool[] = [];
  const warnings: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages && tools.length < maxTools; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const timeout = Math.max(1, Math.ceil(end - performance.now()));
    const result = await client.request({ method: 'tools/list', params }, anyResult, { timeout });
    const { tools: listed, nextCursor } = result as { tools?: unknown; nextCursor?: unknown };
    if (!Array.isArray(listed)) throw new Error('its list of tools is no list');
    for (const tool of listed as unknown[]) readTool(tool, tools, warnings);
    if (typeof nextCursor !== 'string' || nextCursor === '' || nextCursor === cursor)
      return { tools, warnings };
    cursor = nextCursor;
  }
  return {
    tools: tools.slice(0, maxTools),
    warnings: [
      ...warnings,
      `lists more than ${maxTools} tools or ${maxPages} pages; the rest is left out`,
    ],
  };
}

function readTool(tool: unknown, tools: OfferedTool[], warnings: string[]): void {
  const { name, description, inputSchema } = (tool ?? {}) as Partial<Record<string, unknown>>;
  if (typeof name !== 'string' || name === '') {
    warnings.push('lists a tool without a name, which is left out');
    return;
  }
  const text = typeof description === 'string' ? description : '';
  tools.push({ name, description: text, parameters: inputSchema });
}
