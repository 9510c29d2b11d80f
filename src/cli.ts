#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { dialects } from './providers/index.js';
import { loadConfig } from './config.js';
import { start } from './start.js';
import { version } from './version.js';

const usage = `signalbox: a gateway for language models

  signalbox [start] [--config FILE]   start the gateway (the default)
  signalbox check [--config FILE]     check a configuration and exit
  signalbox --help | --version

  PORT, HOST, SIGNALBOX_CONFIG, SIGNALBOX_DATA_DIR and SIGNALBOX_API_KEY are read from the environment.
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { config: { type: 'string', short: 'c' }, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
  });
  const command = positionals[0] ?? 'start';
  if (values.help) process.stdout.write(usage);
  else if (values.version) process.stdout.write(`${version}\n`);
  else if (command === 'start') await start(values.config);
  else if (command === 'check') check(values.config);
  else throw new Error(`there is no command ${JSON.stringify(command)}\n\n${usage}`);
}

function check(path: string | undefined): void {
  const config = loadConfig({ knownApis: [...dialects.keys()], ...(path ? { path } : {}) });
  for (const warning of config.warnings) process.stdout.write(`warning: ${warning}\n`);
  process.stdout.write(`${config.file ?? 'the configuration'} is valid: ${Object.keys(config.providers).length} providers\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
