import { readFileSync, unwatchFile, watchFile as watchStats } from 'node:fs';
import { ConfigError, wholeError } from './problem.js';
import type { Config } from './shape.js';

/** A watched configuration file. */
export interface ConfigWatch {
  /** Reads the file now and reports its content, changed or not (SIGHUP). */
  reload(): void;
  /** Stops watching; nothing is reported after that. */
  close(): void;
}

/** The callbacks of a watch, and its delay. */
export interface WatchReports {
  readonly onConfig: (config: Config) => void;
  readonly onError: (error: ConfigError) => void;
  /** Its path is looked at this often, and read when it has not changed for as long, in ms. */
  readonly debounceMs: number;
}

/** The content of the last read: its text, or the error. */
type Content = { readonly text: string } | { readonly error: ConfigError };

/**
 * Reports each new content of a file once: a valid one to `onConfig`, an invalid or missing one to
 * `onError`. Looks at the path again and again instead of waiting for events, because editors
 * replace the file, Kubernetes replaces a symbolic link in its path, and network file systems tell
 * of no change. Only the content decides whether something changed.
 */
export function watchFile(
  path: string,
  parse: (text: string) => Config,
  { onConfig, onError, debounceMs }: WatchReports,
): ConfigWatch {
  let last = contentOf(path);
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    const content = last;
    const outcome = 'error' in content ? content : orError(() => ({ config: parse(content.text) }));
    if ('error' in outcome) onError(outcome.error);
    else onConfig(outcome.config);
  };
  const check = () => {
    const before = last;
    last = contentOf(path);
    if (!isSame(before, last)) report();
  };
  const stirred = () => {
    clearTimeout(timer);
    timer = setTimeout(check, debounceMs);
  };
  watchStats(path, { interval: debounceMs, persistent: false }, stirred);
  stirred(); // it may have changed before the first look
  return {
    reload() {
      last = contentOf(path);
      report();
    },
    close() {
      clearTimeout(timer);
      unwatchFile(path, stirred);
    },
  };
}

const contentOf = (path: string): Content => orError(() => ({ text: readConfigFile(path) }));

/** The text of a configuration file. @throws ConfigError that says why it cannot be read */
export function readConfigFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw wholeError(path, `cannot be read: ${describe(error)}`, error);
  }
}

function describe(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    { ENOENT: 'no such file', EACCES: 'permission denied', EISDIR: 'is a folder' }[code] ??
    (code || 'unknown error')
  );
}

function isSame(a: Content, b: Content): boolean {
  if ('text' in a && 'text' in b) return a.text === b.text;
  return 'error' in a && 'error' in b && a.error.message === b.error.message;
}

function orError<T>(make: () => T): T | { readonly error: ConfigError } {
  try {
    return make();
  } catch (error) {
    if (error instanceof ConfigError) return { error };
    throw error;
  }
}
