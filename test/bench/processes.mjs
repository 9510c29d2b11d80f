import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Where the measured process runs, and where all that measures it. */
export const cores = { measured: 0, instruments: 1 };

/** Whether processes can be kept to one core each. */
export const canPin =
  availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;

const hasProc = existsSync('/proc/self/task');
const usageReporter = new URL('report-usage.mjs', import.meta.url).href;
const children = new Set();

/** The path of a file of this folder. */
export const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/**
 * Starts a Node program on a core of its own. `output` and `errors` are where it writes; what it
 * says
 * with `process.send` comes as messages.
 */
export function startProgram(
  script,
  { core, args = [], nodeOptions = [], env = {}, output = 'ignore', errors = 'inherit', cwd } = {},
) {
  const reporting = hasProc ? [] : ['--import', usageReporter];
  const command = [
    ...(canPin ? ['taskset', '-c', String(core)] : []),
    process.execPath,
    ...reporting,
    ...nodeOptions,
    script,
    ...args,
  ];
  const child = spawn(command[0], command.slice(1), {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, errors, 'ipc'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Ends a program and waits until it is gone. */
export function endProgram(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  return gone;
}

/** Ends whatever was started and still runs. */
export const endAll = () => Promise.all([...children].map(endProgram));

/** The next message of a child that `accepts` takes. @throws Error when the child ends first */
export function messageOf(child, accepts = () => true) {
  return new Promise((resolve, reject) => {
    const onMessage = (message) => {
      if (!accepts(message)) return;
      child.off('message', onMessage).off('exit', onExit);
      resolve(message);
    };
    const onExit = (code) =>
      reject(new Error(`${child.spawnargs.slice(-2).join(' ')} ended with ${code}`));
    child.on('message', onMessage).once('exit', onExit);
  });
}

let asked = 0;

/** Asks a child that answers `{id, ...}` with `{id, result}` or `{id, error}`. */
export async function ask(child, question) {
  const id = ++asked;
  const answer = messageOf(child, (message) => message.id === id);
  child.send({ ...question, id });
  const { error, result } = await answer;
  if (error !== undefined) throw new Error(error);
  return result;
}

/**
 * CPU time that a process has used so far, in µs: all threads, so the database's and the
 * collector's too.
 */
export async function cpuTimeUs(child) {
  if (!hasProc) return (await ask(child, { kind: 'usage' })).cpuUs;
  const tasks = `/proc/${child.pid}/task`;
  let ns = 0;
  for (const task of readdirSync(tasks))
    ns += Number(readFileSync(`${tasks}/${task}/schedstat`, 'latin1').split(' ', 1)[0]);
  return ns / 1000;
}

// longer than the 200 ms after which the gateway writes what waits
const writeBehindMs = 300;
const quietMs = 50;
/** Less CPU than this in `quietMs` is an idle process. */
const idleUs = 1_000;
const maxDrainMs = 10_000;

/**
 * CPU time that a process has used, in µs, once it has written what it writes behind and is idle.
 */
export async function drainedCpuTimeUs(child) {
  const giveUpAt = performance.now() + maxDrainMs;
  await wait(writeBehindMs);
  let [before, now] = [0, await cpuTimeUs(child)];
  while (now - before > idleUs && performance.now() < giveUpAt) {
    await wait(quietMs);
    [before, now] = [now, await cpuTimeUs(child)];
  }
  return now;
}

/** A process and those that it has started. */
export const familyOf = (pid) => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
    .split(' ')
    .filter(Boolean)
    .map(Number),
];

/** Resident memory of a process, in bytes. */
export async function residentBytes(child) {
  if (!hasProc) return (await ask(child, { kind: 'usage' })).residentBytes;
  return (
    Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))[1]) *
    1024
  );
}

/** A port that is free now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
