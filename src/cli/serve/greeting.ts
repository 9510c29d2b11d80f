import { basename, relative } from 'node:path';
import type { Config, Listener } from '../../config/config.js';
import type { FirstSecrets } from './first-secrets.js';
import type { Listening } from './listen.js';

/** What the lines printed at the start show. */
export interface Greeting {
  readonly config: Config;
  readonly listening: Listening;
  /** What this start has issued. */
  readonly secrets: FirstSecrets;
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

/** For a terminal: the new secrets, the gateway's URL, its providers, and a curl command to try it. */
export function greeting(shown: Greeting, command = commandOf()): string {
  const { config, listening, secrets, isUnclaimed, isDemo } = shown;
  const { key } = secrets;
  const address = addressOf(listening.common);
  const alone = aloneLines(listening).map((line) => `  ${line}\n`);
  const { required } = config.auth;
  const hint = isUnclaimed && secrets.claimCode === null ? `\n(${unclaimedLine(command)})\n` : '';
  const claimedAt = config.dashboard === false ? null : `${address}/claim`;
  return `${secretsNotice(secrets, claimedAt, address, command)}
${listensLine(shown)}
${required && key === null ? `\nWith your key in SIGNALBOX_API_KEY (if it is lost: ${newKeyCommand(command)}):\n` : ''}
  curl ${address}/v1/chat/completions \\
    ${required ? `-H "Authorization: Bearer ${key ?? '$SIGNALBOX_API_KEY'}" ` : ''}-H "Content-Type: application/json" \\
    -d '{"model": "${isDemo ? 'demo/demo-large' : 'auto'}", "messages": [{"role": "user", "content": "Hello"}]}'

${config.dashboard === false ? '' : `  dashboard ${address}/\n`}  metrics ${address}/metrics   API ${address}/docs
${alone.join('')}${hint}
`;
}

function secretsNotice(
  { key, claimCode }: FirstSecrets,
  claimedAt: string | null,
  address: string,
  command: string,
): string {
  const keyLines =
    key === null
      ? ''
      : `\nYour API key, shown this once:\n\n  ${key}\n\n(the database stores only its hash; if it is lost: ${newKeyCommand(command)})\n`;
  const codeLines =
    claimCode === null
      ? ''
      : `\nThe code that makes you administrator, shown this once:\n\n  ${claimCode}\n\n(${claimedAt ? `open ${claimedAt} and enter it there` : `POST ${address}/api/v1/auth/claim {"code", "email", "password"}`}; if it is lost: ${command} accounts claim-code)\n`;
  return keyLines + codeLines;
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
