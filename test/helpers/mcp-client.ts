import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The generations of MCP that a client can speak. */
export const eras = ['stateless', 'handshake'] as const;
export type Era = (typeof eras)[number];

/** A client as programs of others use it, connected. */
export async function connectMcp(url: string, key: string, era: Era): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: era === 'stateless' ? { pin: '2026-07-28' } : 'legacy' } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  return client;
}

/** What a call of a tool answered. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** Calls a tool whose answer is one text. */
export async function callMcp(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  signal?: AbortSignal,
): Promise<ToolAnswer> {
  const result = await client.callTool({ name, arguments: args }, signal ? { signal } : {});
  const [content] = result.content as { type: string; text?: string }[];
  return { text: content?.text ?? '', isError: result.isError === true };
}
