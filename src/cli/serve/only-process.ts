import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Notes in the folder of an embedded database that this process uses it.
 * @param databaseFile null: the database is a server, which many processes may use
 * @returns the process that uses it too, as far as can be told from outside a container; else null
 */
export function noteProcess(databaseFile: string | null): number | null {
  if (databaseFile === null) return null;
  const file = join(dirname(databaseFile), 'gateway.pid');
  const other = runningProcess(file);
  if (other !== null) return other;
  writeFileSync(file, `${process.pid}\n`, { mode: 0o600 });
  process.once('exit', () => rmSync(file, { force: true }));
  return null;
}

function runningProcess(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return null;
    process.kill(pid, 0);
    return isGateway(pid) ? pid : null;
  } catch {
    // there is no file, or its process has ended
    return null;
  }
}

/** Whether a process may be a gateway: an id can belong to another program after a crash. */
function isGateway(pid: number): boolean {
  try {
    const [, script] = process.argv;
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(script ?? '');
  } catch {
    return true;
  }
}
