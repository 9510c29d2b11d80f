import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cli = join(root, 'dist/cli/main.js');
const lock = join(root, 'node_modules/.signalbox-build');
/** Longer than any build takes: the lock's owner has ended. */
const abandonedMs = 120_000;

function newestChange(): number {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map(
    (file) => join(root, 'src', file),
  );
  return Math.max(
    ...[...sources, join(root, 'tsconfig.build.json')].map((file) => statSync(file).mtimeMs),
  );
}

const isFresh = (): boolean => existsSync(cli) && statSync(cli).mtimeMs > newestChange();

function takeLock(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    if (
      Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) >
      abandonedMs
    )
      rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function compile(): void {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'build.mjs'), '--if-stale'],
    { cwd: root, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the build failed:\n${stdout}${stderr}`);
}

/**
 * Builds dist where it is older than src, and gives the path of the executable. Of several workers
 * one builds and the others wait.
 */
export async function buildOnce(): Promise<string> {
  while (!isFresh()) {
    if (!takeLock()) {
      await wait(50);
      continue;
    }
    try {
      if (!isFresh()) compile();
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return cli;
}
