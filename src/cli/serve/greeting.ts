import { basename, relative } from 'node:path';
import type { Config, Listener } from '../../config/config.js';
import type { FirstSecret } from './first-secrets.js';
import type { Listening } from './listen.js';

/** What the lines printed at the start show. */
export interface Greeting {
  readonly config: Config;
  readonly listening: Listening;
  /** What this start has issued; null: nothing. */
  readonly secret: FirstSecret | null;
  /** The gateway is unclaimed, and people with browsers could claim it. */
  readonly isUnclaimed: boolean;
  /** Names. */
  readonly providers: readonly string[];
  readonly isDemo: boolean;
}

/** Where the gateway listens and who answers, in one line. */
export function listensLine({
  listening,
  providers,
  isDemo,
}: Pick<Greeting, 'listening' | 'providers' | 'isDemo'>): string {
  const answering = isDemo
    ? 'with the demo provider: no provider is configured'
    : `with ${providers.join(', ')}`;
  return `Signalbox listens on ${addressOf(listening.common)} ${answering}`;
}

/** Where single surfaces listen, a line each. */
export const aloneLines = ({ surfaces }: Pick<Listening, 'surfaces'>): string[] =>
  Object.entries(surfaces).map(([surface, listener]) => `${surface} alone ${addressOf(listener)}`);

/** How to claim an unclaimed gateway. */
export const unclaimedLine = (command = commandOf()): string =>
  `this gateway has no administrator yet: enter the first key or the code of "${command} accounts claim-code" on the dashboard's page /claim, or send it to POST /api/v1/auth/claim, to become the administrator`;

/** For a terminal: who answers, the new secret, a curl command, and the address to open. */
export function greeting(shown: Greeting, command = commandOf()): string {
  const { config, listening, secret, isDemo } = shown;
  const key = secret?.kind === 'key' ? secret.text : null;
  const address = addressOf(listening.common);
  const alone = aloneLines(listening).map((line) => `  ${line}\n`);
  const { required } = config.auth;
  return `
${listensLine(shown)}
${secretNotice(secret, command)}${required && key === null ? `\nWith your key in SIGNALBOX_API_KEY (if it is lost: ${newKeyCommand(command)}):\n` : ''}
  curl ${address}/v1/chat/completions \\
    ${required ? `-H "Authorization: Bearer ${key ?? '$SIGNALBOX_API_KEY'}" ` : ''}-H "Content-Type: application/json" \\
    -d '{"model": "${isDemo ? 'demo/demo-large' : 'auto'}", "messages": [{"role": "user", "content": "Hello"}]}'

  metrics ${address}/metrics   API ${address}/docs
${alone.join('')}
${nextStep(shown, address, command)}
`;
}

/** What to open, or how to claim a gateway that has no dashboard. */
function nextStep(
  { config, secret, isUnclaimed }: Greeting,
  address: string,
  command: string,
): string {
  const hasDashboard = config.dashboard !== false;
  if (!isUnclaimed || secret === null)
    return `${isUnclaimed ? `(${unclaimedLine(command)})\n\n` : ''}${hasDashboard ? 'Dashboard:' : 'The API is at'} ${address}/`;
  const name = secret.kind === 'key' ? 'key' : 'code';
  return hasDashboard
    ? `Open the dashboard and become its administrator with this ${name}: ${address}/`
    : `Become the administrator with this ${name}: POST ${address}/api/v1/auth/claim {"code", "email", "password"}`;
}

function secretNotice(secret: FirstSecret | null, command: string): string {
  if (secret === null) return '';
  const [what, lost] =
    secret.kind === 'key'
      ? ['Your API key', newKeyCommand(command)]
      : ['The code that makes you administrator', `${command} accounts claim-code`];
  return `\n${what}, shown this once:\n\n  ${secret.text}\n\n(the database stores only its hash; if it is lost: ${lost})\n`;
}

const newKeyCommand = (command: string): string =>
  `${command} keys create --name new --scopes completions,model-select,admin`;

/** How this process's commands are called from the current folder. */
function commandOf(): string {
  const script = process.argv[1] ?? 'signalbox';
  return basename(script).startsWith('signalbox')
    ? 'signalbox'
    : `node ${relative(process.cwd(), script) || script}`;
}

/** A URL that can be reached from this machine. */
function addressOf({ host, port }: Listener): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
