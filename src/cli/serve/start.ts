import { setTimeout as wait } from 'node:timers/promises';
import { makeFirstKey, importKeysFile } from '../../accounts/first-key.js';
import { type Config, loadConfig } from '../../config/config.js';
import { assembleGateway, providersOf, rules } from '../../gateway.js';
import { createLogger } from '../../telemetry/log.js';
import { databasesFor } from './databases.js';
import { Demo } from './demo.js';
import { followConfig } from './follow-config.js';
import { greeting, keyNotice } from './greeting.js';
import { listen } from './listen.js';
import { warnOfOpenSignUp } from './open-sign-up.js';
import type { LazyDatabases, Databases } from '../../store/lazy-databases.js';

/**
 * Starts a standalone gateway: reads the configuration, creates the first key, listens, and stops
 * gracefully on SIGTERM and SIGINT.
 * @throws ConfigError, or Error if the data folder, the database or an address cannot be used
 */
export async function start(configPath: string | undefined): Promise<void> {
  const config = loadConfig({ ...rules, ...(configPath ? { path: configPath } : {}) });
  // a closed standard output is no reason to stop
  process.stdout.on('error', () => undefined);
  const logger = createLogger(config.log);
  const demo = await Demo.startFor(config);
  const databases = databasesFor(config, logger);
  try {
    await startOn(config, { logger, demo, databases });
  } catch (error) {
    // their connections would keep the process alive
    await databases.close().catch(() => undefined);
    throw error;
  }
}

interface StartParts {
  readonly logger: ReturnType<typeof createLogger>;
  readonly demo: Demo;
  readonly databases: LazyDatabases;
}

async function startOn(config: Config, { logger, demo, databases }: StartParts): Promise<void> {
  const key = await prepareKeys(config, databases);
  // printed before anything can fail, because the key is shown only once
  process.stdout.write(keyNotice(key));
  warnOfOpenSignUp(config, logger);
  const gateway = assembleGateway(demo.addTo(config), { logger, databases });
  const listening = await listen(gateway, config);
  const watch =
    config.file === null ? null : followConfig(config.file, config, { gateway, demo, logger });
  stopOnSignal(async () => {
    logger.info('stopping: requests in flight may finish');
    gateway.drain();
    listening.announceStop();
    const { drainMs, drainDelayMs } = config.limits;
    // balancers have time to notice; at a terminal nobody balances
    if (!process.stdin.isTTY) await wait(drainDelayMs);
    await Promise.all([watch?.close(), listening.stop(drainMs, () => gateway.cutShort())]);
    await gateway.close();
  });
  process.stdout.write(
    greeting({
      config,
      listening,
      key,
      providers: providersOf(config).providers.map(({ name }) => name),
      isDemo: demo.isOn,
    }),
  );
}

/** Opens the databases and creates the first key if there is none. @returns that key, or null */
async function prepareKeys(config: Config, databases: LazyDatabases): Promise<string | null> {
  const { auth, dataDir } = config;
  const { store } = await opened(databases, config);
  await importKeysFile(store, dataDir);
  return auth.required && auth.keys.length === 0 ? makeFirstKey(store) : null;
}

/** @throws Error that names the setting of the database */
async function opened(databases: LazyDatabases, { database }: Config): Promise<Databases> {
  try {
    return await databases.get();
  } catch (error) {
    throw new Error(
      `${database.url === null ? 'dataDir' : 'database[url]'}: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/**
 * Checks a configuration without starting anything.
 * @returns the warnings that a start would log, and the result, one line each
 * @throws ConfigError
 */
export function check(configPath: string | undefined): string[] {
  const config = loadConfig({ ...rules, ...(configPath ? { path: configPath } : {}) });
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

function stopOnSignal(stopAll: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (): void => {
    // a second signal stops at once
    if (stopping) process.exit(1);
    stopping = true;
    void stopAll().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
