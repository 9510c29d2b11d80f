import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The user that a program runs as; absent: this process's own. */
export interface User {
  uid: number;
  gid: number;
}

/**
 * A new folder, and the program that runs in it. Both end with this process, even if it is killed.
 */
export interface GuardedFolder {
  path: string;
  /**
   * Starts a program there, without this process's environment and terminal; its output goes to the
   * log. One at a time.
   */
  start(program: string, args: readonly string[]): ChildProcess;
  /** The programs' output. */
  log(): string;
  /** Ends the program and removes the folder. */
  remove(): Promise<void>;
}

// The guard reads process ids from a pipe. The pipe closes when the test's process ends, even when
// it
// is killed; then the guard ends the program. A paused program reacts to no signal but KILL, hence
// CONT first; after ten seconds the guard kills it.
const guardScript = `
program=
while read -r line; do program=$line; done
if [ -n "$program" ]; then
  kill -s CONT "$program"; kill -s "$2" "$program"
  turns=0
  while kill -0 "$program" && [ $turns -lt 100 ]; do sleep 0.1; turns=$((turns + 1)); done
  kill -s KILL "$program"
fi 2>/dev/null
rm -rf -- "$1"`;

/**
 * Makes a folder under `parent` that only `user` may enter. `signal` ends a program that is still
 * running there.
 */
export function guardFolder(
  parent: string,
  name: string,
  signal: 'KILL' | 'QUIT',
  user?: User,
): GuardedFolder {
  const path = mkdtempSync(join(parent, `signalbox-${name}-`));
  // a session of its own, so that Ctrl-C does not reach it
  const guard = spawn('sh', ['-c', guardScript, 'guard', path, signal], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const isOver = new Promise<void>((resolve) => guard.once('close', () => resolve()));
  guard.stdin.on('error', () => undefined);
  guard.unref();
  if (user) chownSync(path, user.uid, user.gid);
  const log = join(path, 'log');
  return {
    path,
    start(program, args) {
      const output = openSync(log, 'a');
      const child = spawn(program, args, {
        cwd: path,
        detached: true,
        stdio: ['ignore', output, output],
        env: { PATH: process.env.PATH, HOME: path, LC_ALL: 'C' },
        ...user,
      });
      closeSync(output);
      child.unref();
      guard.stdin.write(`${child.pid ?? ''}\n`);
      child.once('exit', () => guard.stdin.write('\n'));
      return child;
    },
    log: () => readFileSync(log, 'utf8'),
    async remove() {
      guard.ref();
      guard.stdin.end();
      await isOver;
    },
  };
}
