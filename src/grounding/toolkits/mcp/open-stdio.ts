import type { StdioToolkitConfig } from '../../../config/toolkit-config.js';
import { ErrorOutput } from './error-output.js';
import type { OpenSession } from './mcp-source.js';
import { openSession } from './mcp-session.js';
import { StdioTransport } from './stdio-transport.js';

/**
 * Starts a server and connects to it. With `auto`, the handshake is tried first: a server without
 * it answers with an error, and is started anew for the stateless generation. A probe would start
 * each server twice.
 */
export function stdioSessions(
  config: StdioToolkitConfig,
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
