import type { Logger } from 'pino';
import { type Config, type ConfigWatch, watchConfig } from '../../config/config.js';
import { needsRestart } from '../../config/needs-restart.js';
import { type StandaloneGateway, providersOf, rules } from '../../gateway.js';
import type { Demo } from './demo.js';

/** What is kept at its configuration. */
interface Followed {
  readonly gateway: StandaloneGateway;
  readonly demo: Demo;
  readonly logger: Logger;
}

/**
 * Keeps a gateway at its configuration file: a change that is right is put in force as a whole, when the file changes and on SIGHUP; a
 * wrong one is refused, logged and counted, and what was in force stays.
 */
export function followConfig(file: string, started: Config, followed: Followed): ConfigWatch {
  const { gateway, logger } = followed;
  const refuse = (error: Error): void => {
    gateway.refusedConfiguration();
    logger.error(
      `the changed configuration is refused, the one before stays in force: ${error.message}`,
    );
  };
  const apply = (changed: Config): void => {
    try {
      gateway.reconfigure(followed.demo.joinTo(changed));
    } catch (error) {
      refuse(error as Error);
      return;
    }
    followed.demo.leaveTo(changed);
    tell(changed, started, followed);
  };
  const watch = watchConfig(file, process.env, apply, refuse, rules);
  process.on('SIGHUP', () => watch.reload());
  return watch;
}

function tell(changed: Config, started: Config, { demo, logger }: Followed): void {
  logger.level = changed.log.level;
  const providers = providersOf(changed).providers.map(({ name }) => name);
  logger.info(
    { file: changed.file, providers: demo.isOn ? ['demo'] : providers },
    'the changed configuration is in force',
  );
  const late = needsRestart(started, changed);
  if (late.length > 0)
    logger.warn(`what was changed here takes effect at the next start: ${late.join(', ')}`);
  if (providers.length === 0 && !demo.isOn)
    logger.warn('no provider is configured any more: no completion can be answered');
}
