import type { ToolkitConfig } from '../../../config/toolkit-config.js';
import type { OpenSession } from './mcp-source.js';
import { openSession } from './mcp-session.js';
import { StdioTransport } from './stdio-transport.js';

/**
 * Starts a server and connects to it. With `auto`, the handshake is tried first: a server without
 * it answers with an error, and is started anew for the stateless generation. A probe would start
 * each server twice.
 */
export function stdioSessions(
  config: ToolkitConfig<'mcp-stdio'>,
  onErrorLine: (line: string) => void,
): OpenSession {
  const { era } = config;
  return async (options) => {
    const start = (tried: 'handshake' | 'stateless') => {
      const output = new ErrorOutput(onErrorLine);
      const transport = new StdioTransport(config, (text) => output.write(text));
      return openSession(transport, { ...options, era: tried });
    };
    if (era !== 'auto') return start(era);
    try {
      return await start('handshake');
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ProtocolError') throw error;
      return start('stateless');
    }
  };
}

const maxLines = 20;
const perMs = 60_000;
const maxLineLength = 500;

/** Passes on whole lines of a server's standard error: 20 a minute, cut at 500 characters. */
class ErrorOutput {
  private line = '';
  private passed = 0;
  private skipped = 0;
  private since = -perMs;

  constructor(private readonly onLine: (line: string) => void) {}

  write(text: string): void {
    for (const [place, part] of text.split('\n').entries()) {
      if (place > 0) this.end();
      if (this.line.length < maxLineLength) this.line += part.slice(0, maxLineLength);
    }
  }

  private end(): void {
    const line = this.line.trim().slice(0, maxLineLength);
    this.line = '';
    const now = performance.now();
    if (now - this.since >= perMs) {
      if (this.skipped > 0) this.onLine(`${this.skipped} more lines`);
      this.since = now;
      this.passed = 0;
      this.skipped = 0;
    }
    if (line === '') return;
    if (++this.passed <= maxLines) this.onLine(line);
    else this.skipped++;
  }
}
