import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { buildOnce } from './build.js';

/** How to start a gateway. It inherits none of our environment variables. */
export interface ProcessOptions {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** The text of `config/signalbox.yaml` in its folder; absent: the file stays unchanged. */
  config?: string;
  /** The executable, by default that of this repository. */
  cli?: string;
  /** The working folder, by default a new one. */
  folder?: string;
  /** Standard output is a terminal. */
  terminal?: boolean;
}

/** How a process ended. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A gateway in its own process that has printed its address. */
export interface GatewayProcess {
  /** `http://127.0.0.1:<port>` */
  url: string;
  pid: number;
  folder: string;
  /** The first key that it issued, '' if it issued none. */
  key: string;
  /** `{ authorization: 'Bearer <key>' }` */
  auth: { authorization: string };
  stdout(): string;
  /** Resolves with the match once the output contains it. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Replaces the configuration file. */
  writeConfig(text: string): void;
  signal(name: NodeJS.Signals): void;
  ended: Promise<Ended>;
}

const keyLine = /^SIGNALBOX_API_KEY=(\S+)$/m;
const folders: string[] = [];
const children = new Set<ChildProcess>();

/** A new folder, removed by `endProcesses`. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-process-'));
  folders.push(folder);
  return folder;
}

/** Kills the processes that a test has left running, and removes the folders. For `afterEach`. */
export async function endProcesses(): Promise<void> {
  const running = [...children];
  const ended = Promise.all(
    running.map((child) => new Promise((settle) => child.once('close', settle))),
  );
  for (const child of running) child.kill('SIGKILL');
  await ended;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Uses a free port of 127.0.0.1 unless the environment or the configuration sets one. */
async function launch({
  args = [],
  env = {},
  config,
  folder = newFolder(),
  terminal = false,
  cli: executable,
}: ProcessOptions): Promise<{
  child: ChildProcess;
  folder: string;
  ended: Promise<Ended>;
  output: { stdout: string; stderr: string };
}> {
  const cli = executable ?? (await buildOnce());
  if (config !== undefined) putConfig(folder, config);
  const command = [process.execPath, cli, ...args];
  // script runs a command at a terminal of its own
  const [program = '', ...rest] = terminal
    ? ['script', '--quiet', '--flush', '--command', command.join(' '), '/dev/null']
    : command;
  const child = spawn(program, rest, {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]
      .setEncoding('utf8')
      .on('data', (text: string) => void (output[name] += text.replaceAll('\r\n', '\n')));
  const ended = new Promise<Ended>((settle) => {
    child.once('close', (code, signal) => {
      children.delete(child);
      settle({ code, signal, ...output });
    });
  });
  return { child, folder, ended, output };
}

function putConfig(folder: string, text: string): void {
  mkdirSync(join(folder, 'config'), { recursive: true });
  writeFileSync(join(folder, 'config/signalbox.yaml'), text);
}

/** Runs the executable to its end. */
export async function runToEnd(options: ProcessOptions): Promise<Ended> {
  return (await launch(options)).ended;
}

/** Starts a gateway. @throws if it ends before it listens */
export async function startProcess(options: ProcessOptions = {}): Promise<GatewayProcess> {
  const { child, folder, ended, output } = await launch(options);
  let isOver = false;
  void ended.then(() => (isOver = true));
  const printed = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(output.stdout);
      if (match) return match;
      if (isOver)
        throw new Error(
          `the process ended without printing ${pattern.source}:\n${output.stdout}${output.stderr}`,
        );
      await wait(10);
    }
  };
  const url = (await printed(/listens on (http:\S+) /))[1] ?? '';
  const file = /first API key.* in (\S+): keep/.exec(output.stdout)?.[1];
  const key =
    file === undefined
      ? ''
      : (keyLine.exec(readFileSync(resolve(folder, file), 'utf8'))?.[1] ?? '');
  return {
    url,
    folder,
    key,
    printed,
    ended,
    pid: child.pid ?? 0,
    auth: { authorization: `Bearer ${key}` },
    stdout: () => output.stdout,
    writeConfig: (text) => putConfig(folder, text),
    signal: (name) => void child.kill(name),
  };
}
