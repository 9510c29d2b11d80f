#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { commands, options, type Values } from './commands.js';
import { loadConfig } from '../config/config.js';
import { rules } from '../gateway.js';
import { check, start } from './serve/start.js';
import { databaseUrlOf } from './serve/databases.js';
import { openStore } from '../store/open-store.js';
import { version } from '../version.js';

const usage = `signalbox: a gateway for language models

  signalbox [start] [--config FILE]     start the gateway (the default)
  signalbox check [--config FILE]       check a configuration and exit

  signalbox keys create --name NAME [--account MAIL] [--scopes completions,model-select,admin] [--models GLOB,…] [--expires DATE]
                        [--requests-per-minute N] [--tokens-per-minute N] [--day-budget USD] [--month-budget USD]
  signalbox keys list
  signalbox keys revoke ID|PREFIX       takes effect in running gateways within a second
  signalbox accounts create MAIL [--role admin|member]
                                        creates an account and prints a link that sets its password
  signalbox accounts promote MAIL       makes an account an administrator
  signalbox accounts claim-code         prints a code that claims a gateway that nobody has claimed
  signalbox accounts reset MAIL         prints a link that sets a new password
  signalbox train FILE --preference ID [--account MAIL] [--prompt-column NAME] [--minimize]
                                        trains the preference's own router from evaluations: CSV or JSON Lines
  signalbox db migrate                  migrates the database, as every start does
  signalbox db backup FILE              copies the embedded database while it is in use
  signalbox --help | --version

  --config FILE names the configuration for every command.
  PORT, HOST, SIGNALBOX_CONFIG, SIGNALBOX_DATA_DIR, SIGNALBOX_API_KEY, SIGNALBOX_DATABASE_URL and SIGNALBOX_REDIS_URL are read from
  the environment.
`;

interface Arguments {
  readonly command: string;
  readonly word: string | undefined;
  readonly values: Values;
}

/** @throws Error with what is wrong and the usage */
function readArguments(): Arguments {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const [first = 'start', second, ...rest] = positionals;
    const command = commands[`${first} ${second ?? ''}`] ? `${first} ${second ?? ''}` : first;
    const words = command === first ? positionals.slice(1) : rest;
    if (command === first && first !== 'start' && first !== 'check' && !commands[first])
      throw new Error(
        `unknown command ${JSON.stringify([first, second].filter(Boolean).join(' '))}`,
      );
    refuseUnknownArguments(command, words, values);
    return { command, word: words[0], values };
  } catch (error) {
    // after its first sentence, Node's message advises programmers
    throw new Error(`${(error as Error).message.split('. ')[0] ?? ''}\n\n${usage}`, {
      cause: error,
    });
  }
}

function refuseUnknownArguments(command: string, words: readonly string[], values: Values): void {
  const { maxWords = 0, options: accepted = [] } = commands[command] ?? {};
  const extra = words[maxWords];
  if (extra !== undefined)
    throw new Error(
      `${command} takes ${maxWords === 0 ? 'no arguments' : 'one argument'}; unexpected: ${JSON.stringify(extra)}`,
    );
  const known = ['config', 'help', 'version', ...accepted];
  const unknown = Object.keys(values).find((option) => !known.includes(option));
  if (unknown !== undefined) throw new Error(`${command} has no option --${unknown}`);
}

/** Runs a command on the configuration's database. */
async function administer({ command, word, values }: Arguments): Promise<string> {
  const config = loadConfig({ ...rules, ...(values.config ? { path: values.config } : {}) });
  const store = await openStore(databaseUrlOf(config), { poolSize: 2 });
  try {
    return (await commands[command]?.run(store, values, word, config)) ?? '';
  } finally {
    await store.close();
  }
}

async function main(): Promise<void> {
  const given = readArguments();
  const { command, values } = given;
  if (values.help) process.stdout.write(usage);
  else if (values.version) process.stdout.write(`${version}\n`);
  else if (command === 'check') process.stdout.write(`${check(values.config).join('\n')}\n`);
  else if (command === 'start') await start(values.config);
  else process.stdout.write(await administer(given));
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
