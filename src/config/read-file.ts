import { readFileSync } from 'node:fs';
import { ConfigError } from './problem.js';

/** The text of a configuration file. @throws ConfigError that says why it cannot be read */
export function readConfigFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(
      path,
      [{ path: [], reason: `cannot be read: ${describe(error)}`, line: null }],
      error,
    );
  }
}

function describe(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    { ENOENT: 'no such file', EACCES: 'permission denied', EISDIR: 'is a folder' }[code] ??
    (code || 'unknown error')
  );
}
