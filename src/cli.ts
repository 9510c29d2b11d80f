#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { check, start } from './start.js';
import { version } from './version.js';

const usage = `signalbox: a gateway for language models

  signalbox [start] [--config FILE]   start the gateway (the default)
  signalbox check [--config FILE]     check a configuration and exit
  signalbox --help | --version

  PORT, HOST, SIGNALBOX_CONFIG, SIGNALBOX_DATA_DIR and SIGNALBOX_API_KEY are read from the environment.
`;

interface Arguments {
  readonly command: string;
  readonly config: string | undefined;
  readonly help: boolean;
  readonly version: boolean;
}

/** @throws Error that says what is wrong, and the usage */
function readArguments(): Arguments {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { config: { type: 'string', short: 'c' }, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    });
    const [command = 'start', ...rest] = positionals;
    if (rest.length > 0) throw new Error(`${command} takes no arguments, but there is ${JSON.stringify(rest[0])}`);
    if (command !== 'start' && command !== 'check') throw new Error(`there is no command ${JSON.stringify(command)}`);
    return { command, config: values.config, help: values.help ?? false, version: values.version ?? false };
  } catch (error) {
    // Node's own advice after the first sentence is for programmers
    throw new Error(`${(error as Error).message.split('. ')[0] ?? ''}\n\n${usage}`, { cause: error });
  }
}

async function main(): Promise<void> {
  const given = readArguments();
  if (given.help) process.stdout.write(usage);
  else if (given.version) process.stdout.write(`${version}\n`);
  else if (given.command === 'check') process.stdout.write(`${check(given.config).join('\n')}\n`);
  else await start(given.config);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
