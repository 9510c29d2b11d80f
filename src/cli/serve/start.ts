import { makeFirstKey, importKeysFile } from '../../accounts/first-key.js';
import { type Config, loadConfig } from '../../config/config.js';
import { assembleGateway, providersOf, rules } from '../../gateway.js';
import { createLogger } from '../../telemetry/log.js';
import { openedBy } from './databases.js';
import { Demo } from './demo.js';
import { followConfig } from './follow-config.js';
import { greeting, keyNotice } from './greeting.js';
import { listen } from './listen.js';
import { warnOfOpenSignUp } from './open-sign-up.js';
import type { LazyDatabases, Databases } from '../../store/lazy-databases.js';

/**
 * Starts the gateway as a process of its own: reads the configuration, makes the first key, listens, and stops gracefully on SIGTERM and SIGINT.
 * @throws ConfigError, or Error for a data folder that cannot be used or an address that cannot be listened on
 */
export async function start(configPath: string | undefined): Promise<void> {
  const config = loadConfig({ ...rules, ...(configPath ? { path: configPath } : {}) });
  // nobody reads what is printed any more: no reason to stop
  process.stdout.on('error', () => undefined);
  const logger = createLogger(config.log);
  const demo = await Demo.startFor(config);
  const backing = openedBy(config, logger);
  try {
    await startOn(config, { logger, demo, backing });
  } catch (error) {
    // their connections would keep a process alive that serves nobody
    await backing.close().catch(() => undefined);
    throw error;
  }
}

interface Ground {
  readonly logger: ReturnType<typeof createLogger>;
  readonly demo: Demo;
  readonly backing: LazyDatabases;
}

async function startOn(config: Config, { logger, demo, backing }: Ground): Promise<void> {
  const key = await prepareKeys(config, backing);
  // before anything that may still fail: the key is seen now or never
  process.stdout.write(keyNotice(key));
  await warnOfOpenSignUp(config, await backing.get(), logger);
  const gateway = assembleGateway(demo.joinTo(config), { logger, backing });
  const listening = await listen(gateway, config);
  const watch =
    config.file === null ? null : followConfig(config.file, config, { gateway, demo, logger });
  stopOnSignal(async () => {
    logger.info('stopping: requests in flight may finish');
    gateway.drain();
    await Promise.all([watch?.close(), listening.stop(config.limits.drainMs)]);
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

/** Opens the databases and sees to it that there is a key. @returns the first key where it was made just now */
async function prepareKeys(config: Config, backing: LazyDatabases): Promise<string | null> {
  const { auth, dataDir } = config;
  const { store } = await opened(backing, config);
  await importKeysFile(store, dataDir);
  return auth.required && auth.keys.length === 0 ? makeFirstKey(store) : null;
}

/** @throws Error that names the setting by which the database was chosen */
async function opened(backing: LazyDatabases, { database }: Config): Promise<Databases> {
  try {
    return await backing.get();
  } catch (error) {
    throw new Error(
      `${database.url === null ? 'dataDir' : 'database[url]'}: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/**
 * Checks a configuration without starting anything.
 * @returns what would be told at the start, one line each
 * @throws ConfigError
 */
export function check(configPath: string | undefined): string[] {
  const config = loadConfig({ ...rules, ...(configPath ? { path: configPath } : {}) });
  const { providers, warnings } = providersOf(config);
  const named =
    providers.length > 0
      ? providers.map(({ name }) => name).join(', ')
      : 'none: the demo would answer';
  return [
    ...[...config.warnings, ...warnings].map((warning) => `warning: ${warning}`),
    `${config.file ?? 'the configuration'} is valid; providers: ${named}`,
  ];
}

function stopOnSignal(stopAll: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (): void => {
    // a second signal does not wait
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
