import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { resolveConfig, type ConfigInput } from '../../src/config/config.js';
import type { GatewayTool, ToolResult } from '../../src/grounding/tools/gateway-tool.js';
import type { RetirementTerms } from '../../src/grounding/toolkits/retiring-source.js';
import { Toolkits } from '../../src/grounding/toolkits/toolkits.js';

type WrittenToolkits = NonNullable<ConfigInput['toolkits']>;

/** The toolkits of a configuration, and what their servers write to standard error. */
export function toolkitsOf(
  written: WrittenToolkits,
  terms?: RetirementTerms,
): { toolkits: Toolkits; lines: string[] } {
  const lines: string[] = [];
  const { toolkits } = resolveConfig({ toolkits: written }, {});
  return { toolkits: new Toolkits(toolkits, (line) => void lines.push(line), terms), lines };
}

/** The program of a server that npm has installed. */
export function serverProgram(name: 'server-everything' | 'server-filesystem'): string {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(manifest), 'dist/index.js');
}

/** Example servers over standard input and output. */
export const everything = {
  type: 'mcp-stdio',
  command: process.execPath,
  args: [serverProgram('server-everything'), 'stdio'],
} as const;

export const signal = (): AbortSignal => new AbortController().signal;

/** The tool of that name. */
export function toolOf(tools: readonly GatewayTool[], name: string): GatewayTool {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`there is no ${name} among ${tools.map((one) => one.name).join()}`);
  return tool;
}

/** Opens one toolkit, calls one of its tools, and returns the result. */
export async function callOnce(
  toolkits: Toolkits,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolResult> {
  const [toolkit = ''] = name.split('__');
  const { tools } = await toolkits.open([{ name: toolkit }], ['*'], signal());
  return toolOf(tools, name).run(args, { signal: signal() });
}
