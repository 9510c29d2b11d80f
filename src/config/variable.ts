import { readFileSync } from 'node:fs';
import { ConfigError } from './problem.js';

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * An environment variable's value, or the text of the file that `<name>_FILE` names, as Docker and
 * systemd pass secrets. A value that is set but blank counts as unset; the variable itself wins.
 * @throws ConfigError if the file cannot be read or is empty
 */
export function variableOf(env: Environment, name: string): string | undefined {
  const value = nonBlank(env, name);
  if (value !== undefined) return value;
  const file = nonBlank(env, `${name}_FILE`);
  return file === undefined ? undefined : readSecret(`${name}_FILE`, file.trim());
}

function nonBlank(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value === undefined || value.trim() === '' ? undefined : value;
}

function readSecret(name: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw refused(name, `names a file that cannot be read: ${(error as Error).message}`);
  }
  if (text === '') throw refused(name, 'names an empty file');
  return text;
}

const refused = (name: string, reason: string): ConfigError =>
  new ConfigError(null, [
    { path: [], reason: `the environment variable ${name} ${reason}`, line: null },
  ]);
