import { readFileSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { watch, type FSWatcher } from 'chokidar';
import { ConfigError, wholeError } from './problem.js';
import type { Config } from './shape.js';

/** A watched configuration file. */
export interface ConfigWatch {
  /** Resolves once changes are being watched. */
  readonly ready: Promise<void>;
  /** Reads the file now and reports its content, changed or not (SIGHUP). */
  reload(): void;
  /** Stops watching; nothing is reported after that. */
  close(): Promise<void>;
}

/** The callbacks of a watch, and its delay. */
export interface WatchReports {
  readonly onConfig: (config: Config) => void;
  readonly onError: (error: ConfigError) => void;
  /**
   * The file is read after the folder has not changed for this many ms, or ten times as long after
   * the first change: others may write there all the time.
   */
  readonly debounceMs: number;
}

const maxDebounces = 10;

/** The content of the last read: its text, or the error. */
type Content = { readonly text: string } | { readonly error: ConfigError };

/**
 * Reports each new content of a file once: a valid one to `onConfig`, an invalid or missing one to
 * `onError`. Watches the folders instead of the file, because editors replace the file and
 * Kubernetes replaces a symbolic link in its path. Only the content decides whether something
 * changed.
 */
export function watchFile(
  path: string,
  parse: (text: string) => Config,
  { onConfig, onError, debounceMs }: WatchReports,
): ConfigWatch {
  let last = contentOf(path);
  const folders = new FolderWatch(path);
  const report = () => {
    const content = last;
    const outcome = 'error' in content ? content : orError(() => ({ config: parse(content.text) }));
    if ('error' in outcome) onError(outcome.error);
    else onConfig(outcome.config);
  };
  const check = () => {
    const before = last;
    last = contentOf(path);
    folders.follow();
    if (!isSame(before, last)) report();
  };
  const debounced = new Debounced(check, debounceMs);
  const stirred = () => {
    if (!folders.watcher.closed) debounced.call();
  };
  folders.watcher.on('raw', stirred).on('all', stirred).on('ready', stirred);
  folders.watcher.on('error', (cause) =>
    onError(wholeError(path, 'cannot be watched for changes', cause)),
  );
  return {
    ready: new Promise((done) => folders.watcher.once('ready', done)),
    reload() {
      last = contentOf(path);
      report();
    },
    close() {
      debounced.cancel();
      return folders.watcher.close();
    },
  };
}

/** Delays a call until `ms` have passed without another request for it, and by ten times `ms` at most. */
class Debounced {
  private timer: NodeJS.Timeout | undefined;
  /** When it was first asked for since the last call; null: it was not. */
  private askedAt: number | null = null;

  constructor(
    private readonly run: () => void,
    private readonly ms: number,
  ) {}

  call(): void {
    clearTimeout(this.timer);
    const now = performance.now();
    this.askedAt ??= now;
    const leftMs = this.askedAt + maxDebounces * this.ms - now;
    this.timer = setTimeout(
      () => {
        this.askedAt = null;
        this.run();
      },
      Math.max(0, Math.min(this.ms, leftMs)),
    );
  }

  cancel(): void {
    clearTimeout(this.timer);
  }
}

/** Watches the folder of a file and, where its path has symbolic links, of the real file. */
class FolderWatch {
  readonly watcher: FSWatcher;
  private readonly folders = new Set<string>();

  constructor(private readonly path: string) {
    this.watcher = watch([], {
      depth: 0,
      followSymlinks: false,
      ignoreInitial: true,
      // ignores other files, which would each need a watch; symbolic links may be part of the path
      ignored: (entry, stats) =>
        stats !== undefined &&
        !stats.isSymbolicLink() &&
        !this.folders.has(entry) &&
        resolve(entry) !== resolve(path),
    });
    this.follow();
  }

  /** Resolves the path again, because a link may have changed. */
  follow(): void {
    const current = new Set([dirname(resolve(this.path)), dirname(realPathOf(this.path))]);
    const left = [...this.folders].filter((folder) => !current.has(folder));
    const entered = [...current].filter((folder) => !this.folders.has(folder));
    for (const folder of left) this.folders.delete(folder);
    for (const folder of entered) this.folders.add(folder);
    if (left.length > 0) this.watcher.unwatch(left);
    if (entered.length > 0) this.watcher.add(entered);
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
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
