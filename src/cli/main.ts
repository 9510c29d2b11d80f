#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram } from './program.js';

try {
  await createProgram().parseAsync();
} catch (error) {
  // help and version end by an error of code 0
  if (!(error instanceof CommanderError && error.exitCode === 0)) {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${message.replace(/^error: /, '')}\n`);
    process.exitCode = 1;
  }
}
