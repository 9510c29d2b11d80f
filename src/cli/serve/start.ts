import { setTimeout as wait } from 'node:timers/promises';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import { assembleGateway, providersOf } from '../../gateway.js';
import { configOf, databaseUrlOf, type GlobalOptions } from '../existing-store.js';
import { createLogger } from '../../telemetry/log.js';
import { Demo } from '../demo-provider.js';
import { followConfig } from './follow-config.js';
import { issueFirstSecret } from './first-secrets.js';
import { aloneLines, greeting, listensLine, unclaimedLine } from './greeting.js';
import { listen, type Listening } from './listen.js';
import { onSignals } from './signals.js';
import { supervise } from './supervise.js';
import { Supervisor } from './supervisor.js';
import { configuredDatabases } from '../../store/open-databases.js';
import { databaseFileOf } from '../../store/open-store.js';
import type { Databases, LazyDatabases } from '../../store/lazy-databases.js';
import { isLoopback } from '../../config/local-hosts.js';
import { nextTurn } from '../../async/turns.js';
import { version } from '../../version.js';

/** The options of the command `start`. */
export interface StartOptions extends GlobalOptions {
  /** How many processes serve; 1 if absent. */
  readonly workers?: number;
}

/**
 * Starts a standalone gateway: reads the configuration, listens, issues the first key, and stops
 * gracefully on SIGTERM and SIGINT. With more than one worker this process only supervises them.
 * @throws ConfigError, or Error if the data folder, the database or an address cannot be used
 */
export async function start({ workers = 1, ...options }: StartOptions): Promise<void> {
  const config = configOf(options);
  const logger = createLogger(config.log);
  const supervisor = Supervisor.ofThisProcess();
  if (workers > 1 && supervisor === null) {
    await supervise(workers, databaseFileOf(databaseUrlOf(config)), logger);
    return;
  }
  const demo = await Demo.startFor(config);
  const relay = supervisor?.databases ?? null;
  const databases = configuredDatabases(config, databaseUrlOf(config), logger, relay);
  try {
    await startOn(config, { logger, demo, databases, supervisor });
  } catch (error) {
    // their connections would keep the process alive
    await databases.close().catch(() => undefined);
    supervisor?.leave();
    throw error;
  }
}

interface StartParts {
  readonly logger: ReturnType<typeof createLogger>;
  readonly demo: Demo;
  readonly databases: LazyDatabases;
  /** Null: this process is the gateway. */
  readonly supervisor: Supervisor | null;
}

async function startOn(config: Config, parts: StartParts): Promise<void> {
  const { logger, demo, databases, supervisor } = parts;
  const isLead = supervisor?.role !== 'other';
  await opened(databases, config);
  if (isLead) warnOfOpenSignUp(config, logger);
  const other = isLead ? noteProcess(databaseFileOf(databaseUrlOf(config))) : null;
  if (other !== null)
    logger.warn(
      `process ${other} uses the same data folder: each of the two counts rate limits for itself; use PostgreSQL and Redis for several`,
    );
  const gateway = assembleGateway(demo.addTo(config), { logger, databases });
  gateway.measured.addProcess(version);
  const listening = await listen(gateway, config);
  try {
    if ((supervisor?.role ?? 'first') === 'first') await greet(config, listening, parts);
  } catch (error) {
    await listening.stop(0, () => undefined);
    await gateway.close();
    throw error;
  }
  gateway.warmUp();
  const followed = { gateway, demo, logger, databases, isLead };
  const watch = config.file === null ? null : followConfig(config.file, config, followed);
  const stop = async (): Promise<void> => {
    logger.info('stopping: requests in flight may finish');
    gateway.drain();
    listening.announceStop();
    const { drainMs, drainDelayMs } = config.limits;
    // balancers need time to notice; at a terminal there are none
    if (!process.stdin.isTTY) await wait(drainDelayMs);
    // where this process had no core meanwhile: one turn accepts what has come, the next one reads it
    await nextTurn();
    await nextTurn();
    watch?.close();
    await Promise.all([
      listening.stop(drainMs, () => gateway.cutShort()),
      // once nothing is accepted any more, so that clients come to another replica
      gateway.handOver(drainMs),
    ]);
    await gateway.close();
  };
  const reload = watch && (() => watch.reload());
  if (supervisor === null) onSignals({ stop, reload });
  else supervisor.obey({ stop, reload, measured: gateway.measured });
}

/**
 * Issues what a first start issues, which a start that cannot listen must not use up, and shows it
 * with the address: on a terminal as text, else in the log.
 */
async function greet(
  config: Config,
  listening: Listening,
  { logger, demo, databases }: StartParts,
): Promise<void> {
  const { store } = await databases.get();
  const isTerminal = process.stdout.isTTY;
  const secret = await issueFirstSecret(store, { config, isTerminal, logger });
  const isUnclaimed = config.auth.webAccounts !== false && !(await store.claims.hasOwner());
  const providers = providersOf(config).providers.map(({ name }) => name);
  const shown = { config, listening, secret, isUnclaimed, providers, isDemo: demo.isOn };
  if (isTerminal) {
    process.stdout.write(greeting(shown));
    return;
  }
  if (isUnclaimed && secret?.kind !== 'claimCode') logger.info(unclaimedLine());
  for (const line of [...aloneLines(listening), listensLine(shown)]) logger.info(line);
}

/** @throws Error that names the setting of the database */
async function opened(databases: LazyDatabases, { database }: Config): Promise<Databases> {
  try {
    return await databases.get();
  } catch (error) {
    const { message } = error as Error;
    const setting = database.url === null ? 'dataDir' : 'database.url';
    const remedy = /EACCES|EROFS|EPERM|ENOTDIR|ENOENT/.test(message)
      ? '; name a folder that this user may write with --data-dir or SIGNALBOX_DATA_DIR'
      : '';
    throw new Error(`${setting}: ${message}${database.url === null ? remedy : ''}`, {
      cause: error,
    });
  }
}

/**
 * Checks a configuration without starting anything.
 * @returns the warnings that a start would log, and the result, one line each
 * @throws ConfigError
 */
export function check(options: GlobalOptions): string[] {
  const config = configOf(options);
  const { providers, warnings } = providersOf(config);
  const named =
    providers.length > 0
      ? providers.map(({ name }) => name).join(', ')
      : 'none: a start would use the demo provider';
  return [
    ...[...config.warnings, ...warnings].map((warning) => `warning: ${warning}`),
    `${config.file ?? 'the configuration'} is valid; providers: ${named}`,
  ];
}

/**
 * Notes in the folder of an embedded database that this process uses it.
 * @param databaseFile null: the database is a server, which many processes may use
 * @returns the process that uses it too, as far as can be told from outside a container; else null
 */
function noteProcess(databaseFile: string | null): number | null {
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

/** Warns if every stranger can make an account and keys for it. */
function warnOfOpenSignUp(
  { auth, mail, listen: { host } }: Pick<Config, 'auth' | 'mail' | 'listen'>,
  logger: Pick<Logger, 'warn'>,
): void {
  const isOpen = auth.signUp === 'open' && auth.webAccounts !== false;
  const isVerified = mail !== null || auth.signUpDomains.length > 0;
  if (!isOpen || isVerified || isLoopback(host)) return;
  logger.warn(
    `auth.signUp is open: everyone who can reach ${host} can make an account and use every provider within auth.signUpLimits; close it, or set mail and auth.signUpDomains`,
  );
}
