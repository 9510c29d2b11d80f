import type { Config, Listener } from '../../config/config.js';
import type { Listening } from './listen.js';

/** What the lines printed at the start show. */
export interface Greeting {
  readonly config: Config;
  readonly listening: Listening;
  /** The key that was created at this start; null if there was one before. */
  readonly key: string | null;
  /** Names. */
  readonly providers: readonly string[];
  readonly isDemo: boolean;
}

/** The lines that show a new key; it is never shown again. Empty for null. */
export function keyNotice(key: string | null): string {
  return key === null
    ? ''
    : `\nYour API key, shown this once:\n\n  ${key}\n\n(the database stores only its hash; signalbox keys create makes another key)\n`;
}

/** The gateway's URL, its providers, and a curl command to try it. */
export function greeting({ config, listening, key, providers, isDemo }: Greeting): string {
  const address = addressOf(listening.common);
  const answering = isDemo
    ? 'with the demo provider: no provider is configured'
    : `with ${providers.join(', ')}`;
  const alone = Object.entries(listening.surfaces).map(
    ([surface, listener]) => `  ${surface} alone ${addressOf(listener)}\n`,
  );
  const { required } = config.auth;
  return `
Signalbox listens on ${address} ${answering}
${required && key === null ? '\nWith your key in SIGNALBOX_API_KEY:\n' : ''}
  curl ${address}/v1/chat/completions \\
    ${required ? `-H "Authorization: Bearer ${key ?? '$SIGNALBOX_API_KEY'}" ` : ''}-H "Content-Type: application/json" \\
    -d '{"model": "${isDemo ? 'demo/demo-large' : 'auto'}", "messages": [{"role": "user", "content": "Hello"}]}'

  metrics ${address}/metrics   API ${address}/docs
${alone.join('')}
`;
}

/** A URL that can be reached from this machine. */
function addressOf({ host, port }: Listener): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
