import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { asError } from '../../../errors.js';
import { withTimeout } from '../../../async/with-timeout.js';
import type { ToolkitConfig } from '../../../config/toolkit-config.js';
import { jsonFields, parsedJson } from '../../../text/json-values.js';

/** A message with a long result. */
const maxLineBytes = 8 * 1024 * 1024;
/** What a server may write between two answers, such as progress and logs. */
const maxBytesBetweenAnswers = 32 * 1024 * 1024;
const maxMessagesBetweenAnswers = 10_000;
/** What may wait for a server that reads nothing. */
const maxWaitingBytes = 8 * 1024 * 1024;
/** How long a server may take to end: after its input has ended, and again after SIGTERM. */
const endMs = 2_000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * An MCP server as a child process, in place of the client's own transport: that one has no bound
 * for servers that never stop writing, and leaves the processes alone that a starter such as npx
 * has started.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  private child: Child | null = null;
  private ended: Promise<unknown> = Promise.resolve();
  private readonly lines = new LineReader(maxLineBytes);
  private bytesSinceAnswer = 0;
  private messagesSinceAnswer = 0;

  constructor(
    private readonly config: Pick<ToolkitConfig<'mcp-stdio'>, 'command' | 'args' | 'env'>,
    private readonly onErrorOutput: (text: string) => void,
  ) {}

  /** @throws Error if the program cannot be started */
  async start(): Promise<void> {
    const { command, args, env } = this.config;
    const child = spawn(command, args, {
      env: childEnvironment(env),
      stdio: ['pipe', 'pipe', 'pipe'],
      // a process group of its own, so that all that it starts ends with it
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.child = child;
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (chunk: Buffer) => this.read(chunk));
    child.stderr.on('data', (chunk: Buffer) => this.onErrorOutput(chunk.toString('utf8')));
    this.ended = once(child, 'close').catch(() => undefined);
    child.once('close', () => {
      this.child = null;
      this.onclose?.();
    });
    await once(child, 'spawn');
    child.on('error', (error) => this.onerror?.(error));
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (!stdin?.writable) return Promise.reject(new Error('the server has ended'));
    if (stdin.writableLength > maxWaitingBytes)
      return Promise.reject(new Error('the server reads nothing'));
    this.countAnew();
    stdin.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  /** Ends the server's input, then asks it to end, then ends it with all that it has started. */
  async close(): Promise<void> {
    const { child } = this;
    if (child === null) return;
    child.stdin.end();
    if (!(await this.endsInTime())) {
      this.signal(child, 'SIGTERM');
      if (!(await this.endsInTime())) this.signal(child, 'SIGKILL');
    }
    // a process that has left the group may hold the pipes open
    child.stdout.destroy();
    child.stderr.destroy();
  }

  /** Ends the server at once, when it can no longer be asked. */
  kill(): void {
    const { child } = this;
    if (child === null) return;
    this.signal(child, 'SIGKILL');
    child.stdout.destroy();
    child.stderr.destroy();
  }

  private endsInTime(): Promise<boolean> {
    return withTimeout(
      this.ended.then(() => true),
      endMs,
      () => false,
    );
  }

  private signal(child: Child, signal: NodeJS.Signals): void {
    try {
      if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, signal);
      else child.kill(signal);
    } catch {
      // it has ended
    }
  }

  private read(chunk: Buffer): void {
    this.bytesSinceAnswer += chunk.length;
    try {
      if (this.bytesSinceAnswer > maxBytesBetweenAnswers)
        throw new RangeError(`it wrote ${maxBytesBetweenAnswers} bytes without an answer`);
      for (const line of this.lines.read(chunk)) this.deliver(line);
    } catch (error) {
      this.onerror?.(asError(error));
      this.kill();
    }
  }

  /** Lines that are no messages are left out: many servers print to their standard output. */
  private deliver(line: string): void {
    const message = messageOf(line);
    if (message === null) return;
    if ('result' in message || 'error' in message) this.countAnew();
    else if (++this.messagesSinceAnswer > maxMessagesBetweenAnswers)
      throw new RangeError(`it sent ${maxMessagesBetweenAnswers} messages without an answer`);
    if (isWanted(message)) this.onmessage?.(message);
  }

  private countAnew(): void {
    this.bytesSinceAnswer = 0;
    this.messagesSinceAnswer = 0;
  }
}

/** Answers, requests, and notices of changes; not progress and logs, which are not used. */
const isWanted = (message: JSONRPCMessage): boolean =>
  !('method' in message) ||
  'id' in message ||
  /^notifications\/(tools|subscriptions)\//.test(message.method);

function messageOf(line: string): JSONRPCMessage | null {
  const value = line.startsWith('{') ? parsedJson(line) : null;
  return jsonFields(value).jsonrpc === '2.0' ? (value as JSONRPCMessage) : null;
}

/** What a program needs to run; none of it is a secret of the gateway. */
const inherited = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TERM'],
  ...['TMPDIR', 'TEMP', 'TMP'],
  // Windows
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATHEXT', 'PROGRAMDATA'],
  ...['PROGRAMFILES', 'SYSTEMDRIVE', 'SYSTEMROOT', 'USERNAME', 'USERPROFILE', 'WINDIR'],
];

/** The environment of a server that the gateway starts: `env`, and a few of the gateway's own. */
function childEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && inherited.includes(name.toUpperCase()) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(kept), ...env };
}

const newline = 0x0a;

/** Cuts bytes into lines. Refuses one longer than `maxBytes`: nothing after it can be trusted. */
class LineReader {
  private parts: Buffer[] = [];
  private length = 0;

  constructor(private readonly maxBytes: number) {}

  /** The lines that end in this chunk. @throws RangeError for a line that is too long */
  read(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end; (end = chunk.indexOf(newline, start)) >= 0; start = end + 1) {
      this.keep(chunk.subarray(start, end));
      lines.push(Buffer.concat(this.parts).toString('utf8').trimEnd());
      this.parts = [];
      this.length = 0;
    }
    if (start < chunk.length) this.keep(chunk.subarray(start));
    return lines;
  }

  private keep(part: Buffer): void {
    this.length += part.length;
    if (this.length > this.maxBytes) {
      this.parts = [];
      throw new RangeError(`a line is longer than ${this.maxBytes} bytes`);
    }
    this.parts.push(part);
  }
}
