import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const installLimitMs = 600_000;

// One installation at a time: two runs may ask at once. Debian asks policy-rc.d before it starts a
// service that it has installed.
const installScript = (debianPackage: string): string => `
exec 9>/var/lock/signalbox-test-install && flock 9
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT; trap 'exit 1' INT TERM HUP
  printf '#!/bin/sh\\nexit 101\\n' > $policy && chmod 755 $policy
fi
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 ${debianPackage}; }
install || { apt-get update && install; }`;

/** The path of a program on the PATH, or ''. */
function onPath(program: string): string {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program));
  return files.find(isExecutable) ?? '';
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A program that tests need and that Debian packages. */
export interface NeededProgram {
  /** Its names on the PATH; the first is also that of Debian's package. */
  readonly names: readonly [string, ...string[]];
}

const find = ({ names }: NeededProgram): string => names.map(onPath).find((path) => path) ?? '';

/** Why Debian's package cannot be installed here, or ''. */
async function obstacle(): Promise<string> {
  if (!onPath('apt-get')) return 'there is no apt-get to install it with';
  if (process.getuid?.() === 0) return '';
  return run('sudo', ['-n', 'true']).then(
    () => '',
    () => 'only root may install it',
  );
}

/**
 * The path of a program; installs Debian's package where it is missing.
 * @throws Error with the reason where that is impossible
 */
export async function obtainProgram(
  program: NeededProgram,
  say: (line: string) => void,
): Promise<string> {
  const found = find(program);
  if (found) return found;
  const [name] = program.names;
  const reason = await obstacle();
  if (reason) throw new Error(`${name} is missing, and ${reason}`);
  say(`${name} is missing: installing it from Debian's packages, without starting it`);
  const [shell, ...args] = [
    ...(process.getuid?.() === 0 ? [] : ['sudo', '-n']),
    'sh',
    '-c',
    installScript(name),
  ] as const;
  const failure = await run(shell, args, { timeout: installLimitMs }).then(
    () => 'it is not on the PATH',
    (error: unknown) => String(error).trim().split('\n').at(-1) ?? '',
  );
  const installed = find(program);
  if (!installed) throw new Error(`${name} is missing, and installing it failed: ${failure}`);
  say(`${name} is installed: ${installed}`);
  return installed;
}
