import type {
  Client,
  jsonSchemaValidator,
  JsonSchemaValidatorResult,
  Transport,
} from '@modelcontextprotocol/client';
import type { ToolkitConfig } from '../../../config/toolkit-config.js';
import { version } from '../../../version.js';
import { unlessAborted } from '../../../async/until-aborted.js';

/** A connection to an MCP server. */
export interface McpSession {
  readonly client: Client;
  /** Ends the connection, and a process of its own. */
  readonly close: () => Promise<void>;
}

/** What a session is opened with. */
export interface SessionOptions {
  readonly era: ToolkitConfig<'mcp-stdio'>['era'];
  /** Bounds the whole of it. */
  readonly timeoutMs: number;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  readonly onClose: () => void;
  readonly onToolsChanged: () => void;
}

/** The first version of the stateless generation. */
const statelessVersion = '2026-07-28';
/** Of the limit; the rest is for the handshake after a probe without an answer. */
const probeShare = 0.4;

/**
 * Connects to a server. The client library is loaded here, at the first use.
 * @throws Error of any kind where that fails; the transport is closed then
 */
export async function openSession(
  transport: Transport,
  { era, timeoutMs, signal, onClose, onToolsChanged }: SessionOptions,
): Promise<McpSession> {
  const { Client: McpClient } = await import('@modelcontextprotocol/client');
  const client = new McpClient(
    { name: 'signalbox', version },
    {
      capabilities: {},
      versionNegotiation: {
        mode: era === 'auto' ? 'auto' : era === 'stateless' ? { pin: statelessVersion } : 'legacy',
        probe: { timeoutMs: Math.ceil(timeoutMs * probeShare) },
      },
      // what tools return is bounded and shown as it is; untrusted schemas are not compiled
      jsonSchemaValidator: acceptEverything,
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    },
  );
  client.onclose = onClose;
  // a failure that matters also fails the request that it belongs to
  client.onerror = () => undefined;
  const timeout = AbortSignal.timeout(timeoutMs);
  const ending = AbortSignal.any([signal, timeout]);
  try {
    await unlessAborted(client.connect(transport, { timeout: timeoutMs, signal: ending }), ending);
  } catch (error) {
    client.onclose = undefined;
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
    throw timeout.aborted ? timeout.reason : error;
  }
  return { client, close: () => client.close() };
}

const acceptEverything: jsonSchemaValidator = {
  getValidator<T>() {
    return (data: unknown): JsonSchemaValidatorResult<T> => ({
      valid: true,
      data: data as T,
      errorMessage: undefined,
    });
  },
};
