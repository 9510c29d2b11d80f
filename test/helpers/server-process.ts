import { type ChildProcess, execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { GuardedFolder } from './guarded.js';

/** How to start and probe one kind of server. */
export interface ServerKind {
  program: string;
  /** The arguments that make it listen on a port of 127.0.0.1. */
  args(port: number): readonly string[];
  /** The signal that ends it at once. */
  signal: 'KILL' | 'QUIT';
  /** Whether the server on the port answers; false if it cannot be reached. */
  answers(port: number): Promise<boolean>;
}

/** A database server in its own process, with controls to stop and freeze it. */
export interface ServerProcess {
  port: number;
  /** The id of the current process, or of the last one. */
  readonly pid: number;
  /** Ends it at once, as a crash would, cutting its connections. Resolves when it has ended. */
  stop(): Promise<void>;
  /**
   * Stops and starts it on the same port; starts it where it was stopped. Resolves when it answers.
   */
  restart(): Promise<void>;
  /** Freezes it: connections stay open and new ones are accepted, and nothing answers. */
  pause(): void;
  resume(): void;
}

/** Only ends what would never end, on a busy machine too. */
const maxStartMs = 60_000;

/**
 * Starts a server in its folder, on a free port.
 * @throws with what it printed where it ends before it answers
 */
export async function startServer(kind: ServerKind, folder: GuardedFolder): Promise<ServerProcess> {
  const first = await startOnFreePort(kind, folder);
  const { port } = first;
  let { child } = first;
  const signal = (name: NodeJS.Signals): void => {
    for (const pid of isRunning(child) ? familyOf(child.pid ?? 0) : []) sendSignal(pid, name);
  };
  const stop = async (): Promise<void> => {
    if (!isRunning(child)) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    signal('SIGCONT');
    child.ref();
    child.kill(`SIG${kind.signal}`);
    await gone;
  };
  return {
    port,
    get pid() {
      return child.pid ?? 0;
    },
    stop,
    async restart() {
      await stop();
      child = await startOn(port, kind, folder);
    },
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
  };
}

async function startOnFreePort(
  kind: ServerKind,
  folder: GuardedFolder,
  triesLeft = 3,
): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort();
  try {
    return { port, child: await startOn(port, kind, folder) };
  } catch (error) {
    // another process may have taken the port in the meantime
    if (triesLeft > 1 && /address already in use/i.test(String(error)))
      return startOnFreePort(kind, folder, triesLeft - 1);
    throw error;
  }
}

async function startOn(
  port: number,
  kind: ServerKind,
  folder: GuardedFolder,
): Promise<ChildProcess> {
  const child = folder.start(kind.program, kind.args(port));
  let failure = '';
  child.once('error', (error) => (failure = error.message));
  child.once('exit', (code, signal) => (failure = `it ended with ${code ?? signal ?? 'nothing'}`));
  const startedAt = performance.now();
  while (!(await kind.answers(port)) || failure !== '') {
    if (failure === '' && performance.now() - startedAt < maxStartMs) await wait(10);
    else
      throw new Error(
        `${kind.program} did not start: ${failure || `no answer in ${maxStartMs} ms`}\n${folder.log()}`,
      );
  }
  return child;
}

const isRunning = (child: ChildProcess): boolean =>
  child.exitCode === null && child.signalCode === null;

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended meanwhile
  }
}

/** The process and its children: PostgreSQL has one for each connection. */
function* familyOf(pid: number): Generator<number> {
  // the parent first: a paused one starts no more children
  yield pid;
  yield* childrenOf(pid);
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    // not Linux
    const rows = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid='], { encoding: 'utf8' })
      .split('\n')
      .map((row) => row.trim().split(/\s+/).map(Number));
    return rows.flatMap(([child, parent]) =>
      child !== undefined && parent === pid ? [child] : [],
    );
  }
}

/**
 * A free port of 127.0.0.1, below the range of outgoing connections: it is free again at a restart.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 30_000);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}
