import type { Config, Listener } from '../../config/config.js';
import type { Listening } from './listen.js';

/** What the first lines of a gateway's output tell. */
export interface Greeting {
  readonly config: Config;
  readonly listening: Listening;
  /** The key that was made just now; null: the user has one. */
  readonly key: string | null;
  /** Names. */
  readonly providers: readonly string[];
  readonly isDemo: boolean;
}

/** The lines that show a new key, the only time that it is seen. */
export function keyNotice(made: string | null): string {
  return made === null
    ? ''
    : `\nYour API key, shown this once:\n\n  ${made}\n\n(its hash is kept in the database; signalbox keys create makes another)\n`;
}

/** The address, what answers there, and a command that works as pasted. */
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

/** An address that can be asked from this machine. */
function addressOf({ host, port }: Listener): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
