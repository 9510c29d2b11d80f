import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { type DoneAct, writeAct } from '../../accounts/write-act.js';
import { type Config, type ConfigWatch, loadConfig, watchConfig } from '../../config/config.js';
import { needsRestart } from '../../config/needs-restart.js';
import { providersOf, rules, type StandaloneGateway } from '../../gateway.js';
import type { LazyDatabases } from '../../store/lazy-databases.js';
import { systemActor } from '../record-act.js';
import type { Demo } from '../demo-provider.js';

/** What follows the configuration file. */
interface Followed {
  readonly gateway: StandaloneGateway;
  readonly demo: Demo;
  readonly logger: Logger;
  /** Has the audit log. */
  readonly databases: Pick<LazyDatabases, 'get'>;
  /** Of several workers that apply a change one records it. */
  readonly isLead: boolean;
}

/**
 * Applies changes of the configuration file, when the file changes and when it is told to reload. A
 * valid change is applied as a whole; an invalid one is logged and counted, and the previous
 * configuration stays in use.
 */
export function followConfig(file: string, started: Config, followed: Followed): ConfigWatch {
  const { gateway, logger } = followed;
  let inUse = started;
  const refuse = (error: Error): void => {
    gateway.refusedConfiguration(error.message);
    // the reason is not in the database, because it may quote the file
    record(followed, { act: 'config.refuse', details: { file } });
    logger.error(
      `the changed configuration is not valid, the previous one stays in use: ${error.message}`,
    );
  };
  const apply = (changed: Config): void => {
    try {
      gateway.reconfigure(followed.demo.addTo(changed));
    } catch (error) {
      refuse(error as Error);
      return;
    }
    followed.demo.stopIfReplacedBy(changed);
    record(followed, { act: 'config.apply', details: { file, ...changesOf(inUse, changed) } });
    inUse = changed;
    logChange(changed, started, followed);
  };
  const watch = watchConfig(file, process.env, apply, refuse, rules);
  if (!isUnchanged(file, started)) watch.reload();
  return watch;
}

/** Whether a file has what was read at the start: it may have changed before it was watched. */
function isUnchanged(path: string, started: Config): boolean {
  try {
    return isDeepStrictEqual(loadConfig({ ...rules, path }), started);
  } catch {
    return false;
  }
}

function record({ databases, logger, isLead }: Followed, done: DoneAct): void {
  if (!isLead) return;
  void writeAct(
    async () => (await databases.get()).store,
    systemActor('configuration file'),
    done,
    ({ message }) => logger.warn(message),
  );
}

/** The names of the sections that differ, whose values may be secrets, and how long data is kept. */
function changesOf(before: Config, after: Config): object {
  const names = Object.keys(after) as (keyof Config)[];
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name])).sort();
  return { changed, ...(changed.includes('retention') ? { retention: after.retention } : {}) };
}

function logChange(changed: Config, started: Config, { demo, logger }: Followed): void {
  logger.level = changed.log.level;
  const providers = providersOf(changed).providers.map(({ name }) => name);
  logger.info(
    { file: changed.file, providers: demo.isOn ? ['demo'] : providers },
    'the changed configuration is now in use',
  );
  const late = needsRestart(started, changed);
  if (late.length > 0) logger.warn(`these changes take effect after a restart: ${late.join(', ')}`);
  if (providers.length === 0 && !demo.isOn)
    logger.warn('no provider is configured any more: completions will fail');
}
