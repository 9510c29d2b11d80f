import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { backoffMs } from '../../../async/backoff.js';
import type { ToolkitConfig } from '../../../config/toolkit-config.js';
import { GatewayError } from '../../../errors.js';
import { abortError, unlessAborted } from '../../../async/until-aborted.js';
import type { OfferedTool, ToolAnswer, ToolOffer, ToolSource } from '../tool-source.js';
import type { McpSession, SessionOptions } from './mcp-session.js';
import { answerOf } from './result-text.js';
import { type Json, textIn, table } from '../../../text/is-object.js';
import { jsonFields } from '../../../text/json-values.js';
import { networkReasons } from '../http-call.js';
import { cutText } from '../../../text/cut-text.js';

/** How long a list of tools holds, also of servers that never say that it has changed. */
const offerMs = 60_000;
/** The wait from the second failure in a row on: after the first, it connects again at once. */
const restart = { firstMs: 1_000, maxMs: 60_000, jitter: 0.2 };

/** What opens a session: starts a process, or connects. */
export type OpenSession = (options: Omit<SessionOptions, 'era'>) => Promise<McpSession>;

/** The tools of an MCP server. One connection serves all requests. */
export class McpSource implements ToolSource {
  private session: Promise<McpSession> | null = null;
  private listed: { readonly offer: Promise<ToolOffer>; readonly until: number } | null = null;
  private readonly running = new Set<Promise<unknown>>();
  private failures = 0;
  private restUntil = 0;
  private readonly closing = new AbortController();

  constructor(
    private readonly config: ToolkitConfig<'mcp-stdio' | 'mcp-http'>,
    private readonly open: OpenSession,
    /** Removes secrets from messages of failures. */
    private readonly withoutSecrets: (text: string) => string,
  ) {}

  async offer(signal: AbortSignal): Promise<ToolOffer> {
    const now = performance.now();
    if (this.listed === null || this.listed.until < now) {
      const offer = this.list();
      const listed = { offer, until: now + offerMs };
      this.listed = listed;
      offer.catch(() => {
        if (this.listed === listed) this.listed = null;
      });
    }
    return unlessAborted(this.listed.offer, signal);
  }

  async call(tool: string, args: Json, signal: AbortSignal): Promise<ToolAnswer> {
    try {
      const result = await this.onSession(({ client }) => {
        const params = { name: tool, arguments: { ...args } };
        const { timeoutMs: timeout } = this.config;
        return client.callTool(params, { signal, timeout, maxTotalTimeout: timeout });
      }, signal);
      return answerOf(result, this.config.maxResultChars);
    } catch (error) {
      if (signal.aborted) throw abortError(signal);
      return { text: `The tool failed: ${this.explained(error)}.`, isError: true };
    }
  }

  async close(): Promise<void> {
    this.closing.abort(new Error('the toolkit was closed'));
    const { session } = this;
    this.session = null;
    this.listed = null;
    await (await session?.catch(() => null))?.close().catch(() => undefined);
  }

  private async list(): Promise<ToolOffer> {
    try {
      const { timeoutMs } = this.config;
      const never = new AbortController().signal;
      const offer = await this.onSession(({ client }) => listTools(client, timeoutMs), never);
      this.failures = 0;
      return offer;
    } catch (error) {
      const { name } = this.config;
      throw new GatewayError('connection_failed', `${name}: ${this.explained(error)}`, {
        cause: error,
      });
    }
  }

  /** Does something on the session; once more on a new one where the server has forgotten it. */
  private async onSession<T>(
    work: (session: McpSession) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const opened = this.connected();
    const session = await unlessAborted(opened, signal);
    try {
      return await this.counted(work(session));
    } catch (error) {
      if (!isSessionLost(error) || signal.aborted) throw error;
      if (this.session === opened) {
        this.session = null;
        // others are about to learn the same of the old one
        void Promise.allSettled(this.running).then(() => session.close().catch(() => undefined));
      }
      return this.counted(work(await unlessAborted(this.connected(), signal)));
    }
  }

  private async counted<T>(work: Promise<T>): Promise<T> {
    this.running.add(work);
    try {
      return await work;
    } finally {
      this.running.delete(work);
    }
  }

  private connected(): Promise<McpSession> {
    if (this.closing.signal.aborted) return Promise.reject(new Error('the toolkit was closed'));
    if (this.session !== null) return this.session;
    const restMs = this.restUntil - performance.now();
    if (restMs > 0) {
      const seconds = Math.ceil(restMs / 1_000);
      const reason = `it failed ${this.failures} times in a row and is tried again in ${seconds} s`;
      return Promise.reject(new Error(reason));
    }
    const opening: Promise<McpSession> = this.open({
      timeoutMs: this.config.timeoutMs,
      signal: this.closing.signal,
      onClose: () => this.lost(opening),
      onToolsChanged: () => void (this.listed = null),
    });
    opening.catch(() => this.lost(opening));
    this.session = opening;
    return opening;
  }

  private lost(session: Promise<McpSession>): void {
    if (this.session !== session) return;
    this.session = null;
    this.listed = null;
    this.failures++;
    this.restUntil =
      performance.now() + (this.failures < 2 ? 0 : backoffMs(this.failures - 1, restart));
  }

  private explained(error: unknown): string {
    return this.withoutSecrets(mcpFailureReason(error, this.config.timeoutMs));
  }
}

const maxPages = 32;
const maxTools = 512;

/** Accepts any result, so that one tool that violates the protocol does not hide the others. */
const anyResult: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'signalbox', validate: (value) => ({ value }) },
};

/**
 * All tools that a server lists, over all pages, within `timeoutMs`.
 * @throws Error of any kind where the server does not list them
 */
async function listTools(client: Client, timeoutMs: number): Promise<ToolOffer> {
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
  const { name, description, inputSchema } = jsonFields(tool);
  if (typeof name !== 'string' || name === '') {
    warnings.push('lists a tool without a name, which is left out');
    return;
  }
  tools.push({ name, description: textIn(description), parameters: inputSchema });
}

const maxLength = 300;

const reasons: Readonly<Record<string, string>> = table({
  CONNECTION_CLOSED: 'the server ended the connection',
  NOT_CONNECTED: 'the server ended the connection',
  INVALID_RESULT: 'its answer is not what the protocol says',
  ENOENT: 'its command was not found',
  EACCES: 'its command may not be run',
  ...networkReasons,
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the time allowed',
});

/** Why a server could not be asked, in a few words; may repeat what the server said. */
function mcpFailureReason(error: unknown, timeoutMs: number): string {
  const { name, code, message, cause } = jsonFields(error);
  if (code === 'REQUEST_TIMEOUT' || name === 'TimeoutError')
    return `no answer within ${timeoutMs} ms`;
  const status = statusOf(error);
  if (status !== null) return `it answered ${status}`;
  return reasons[String(code)] ?? reasons[String(jsonFields(cause).code)] ?? saidBy(message);
}

/** Whether the server does not know the session, so that it did nothing. Some say 400, not 404. */
function isSessionLost(error: unknown): boolean {
  const status = statusOf(error);
  return status === 404 || (status === 400 && /session/i.test(String(jsonFields(error).message)));
}

function saidBy(message: unknown): string {
  const text = textIn(message).replace(/\s+/g, ' ').trim();
  if (text === 'fetch failed') return 'it could not be reached';
  return text === '' ? 'it failed' : cutText(text, maxLength).replace(/\.$/, '');
}

function statusOf(error: unknown): number | null {
  const { name, data } = jsonFields(error);
  if (name === 'UnauthorizedError') return 401;
  const { status } = jsonFields(name === 'SdkHttpError' ? data : null);
  return typeof status === 'number' ? status : null;
}
