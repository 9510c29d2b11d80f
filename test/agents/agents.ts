import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = fileURLToPath(new URL('../../node_modules/.cache/agents/', import.meta.url));
/** Where an installation or an agent takes longer, it is given up. */
const installLimitMs = 55_000;
const runLimitMs = 60_000;

/** The pinned command lines, and the program of each package that Node runs. */
const packages = {
  'claude-code': {
    name: '@anthropic-ai/claude-code@2.1.332',
    program: '@anthropic-ai/claude-code/cli-wrapper.cjs',
  },
  codex: { name: '@openai/codex@0.171.0', program: '@openai/codex/bin/codex.js' },
};

/** The path of an installed agent, or why it cannot run here. */
export type Installed = { program: string } | { missing: string };

/**
 * Installs an unmodified agent below `node_modules/.cache`, once. Its install scripts do not run: the
 * program is a part of the package for this platform.
 */
export async function installAgent(agent: keyof typeof packages): Promise<Installed> {
  const { name, program } = packages[agent];
  const folder = join(cache, name.replaceAll('/', '-'));
  const installed = join(folder, 'node_modules', program);
  if (existsSync(installed)) return { program: installed };
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0'];
  try {
    await run('npm', ['install', '--prefix', fresh, ...flags, name], { timeout: installLimitMs });
    await run(process.execPath, [join(fresh, 'node_modules', program), '--version']);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
    return { program: installed };
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    const [command, ...told] = String(error).trim().split('\n');
    const reason = told.slice(0, 2).join(' ') || command;
    const missing = `${name} could not be installed, so its tests are skipped: ${reason}`;
    console.warn(missing);
    return { missing };
  }
}

/** A folder that an agent works in, and a HOME of its own beside it. */
export interface Desk {
  home: string;
  /** Empty at first. */
  work: string;
  remove(): void;
}

export function newDesk(): Desk {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-agent-'));
  const work = join(home, 'work');
  mkdirSync(work);
  return { home, work, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** How an agent ended. */
export interface AgentRun {
  code: number | null;
  /** What it wrote, a JSON value in each line. */
  stdout: string;
  stderr: string;
}

/** Runs an agent to its end. It inherits no variables, and cannot leave 127.0.0.1. */
async function runAgent(
  program: string,
  args: readonly string[],
  desk: Desk,
  env: Readonly<Record<string, string>>,
): Promise<AgentRun> {
  const nowhere = 'http://127.0.0.1:9';
  const child = spawn(process.execPath, [program, ...args], {
    cwd: desk.work,
    // of its own group, so that what it has started ends with it
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: desk.home,
      TERM: 'dumb',
      HTTPS_PROXY: nowhere,
      HTTP_PROXY: nowhere,
      NO_PROXY: '127.0.0.1',
      ...env,
    },
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => void (written[name] += text));
  const endAll = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // all of it has ended
    }
  };
  const limit = setTimeout(endAll, runLimitMs);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(limit);
  endAll();
  return { code, ...written };
}

/** Where an agent sends its requests. */
export interface Target {
  /** Without `/v1`. */
  url: string;
  key: string;
  model: string;
}

const task = 'Write signalbox-step-01 to signalbox-step-20, one file for each step.';

/** Claude Code without a person: it may write files and run commands without asking. */
export function runClaudeCode(
  program: string,
  desk: Desk,
  { url, key, model }: Target,
  more: readonly string[] = [],
): Promise<AgentRun> {
  const args = ['-p', task, '--model', model, '--output-format', 'json'];
  const allowed = ['--permission-mode', 'acceptEdits', '--allowedTools', 'Write,Bash'];
  return runAgent(program, [...args, ...allowed, ...more], desk, {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
  });
}

/**
 * Codex without a person and without a sandbox. @param builtIn uses its provider `openai` at another
 * address, so that it tries a WebSocket and has the provider compact; otherwise one of another name.
 */
export function runCodex(
  program: string,
  desk: Desk,
  { url, key, model }: Target,
  builtIn: boolean,
): Promise<AgentRun> {
  const home = join(desk.home, 'codex');
  mkdirSync(home);
  writeFileSync(
    join(home, 'config.toml'),
    `model = "${model}"
${builtIn ? `openai_base_url = "${url}/v1"` : 'model_provider = "signalbox"'}
model_auto_compact_token_limit = 50000
check_for_update_on_startup = false
analytics.enabled = false
feedback.enabled = false
[model_providers.signalbox]
name = "Signalbox"
base_url = "${url}/v1"
env_key = "SIGNALBOX_API_KEY"
wire_api = "responses"
`,
  );
  const flags = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
  return runAgent(program, ['exec', '--json', ...flags, task], desk, {
    CODEX_HOME: home,
    CODEX_API_KEY: key,
    SIGNALBOX_API_KEY: key,
  });
}
