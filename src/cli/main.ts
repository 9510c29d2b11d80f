#!/usr/bin/env node
import { CommanderError } from 'commander';
import { messageOf } from '../errors.js';
import { createProgram } from './program.js';

// a reader that has had enough, as `| head`, is no failure and no reason to stop
process.stdout.on('error', () => undefined);
try {
  await createProgram().parseAsync();
} catch (error) {
  // help and version end by an error of code 0
  if (!(error instanceof CommanderError && error.exitCode === 0)) {
    const message = messageOf(error);
    process.stderr.write(`${message.replace(/^error: /, '')}\n`);
    process.exitCode = 1;
  }
}
