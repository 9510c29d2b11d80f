import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A program that runs. */
export interface RunningProgram {
  readonly child: ChildProcess;
  /** Resolves with the code of its exit. */
  readonly ended: Promise<number | null>;
  /** What it has printed so far. */
  output(): string;
}

/** Runs a program that imports the package by its name, and has only the given variables. */
export function startProgram(code: string, env: Record<string, string> = {}): RunningProgram {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: fileURLToPath(new URL('../examples/', import.meta.url)),
    env: { PATH: process.env.PATH, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, output: () => output };
}
