import { type Config, ConfigError } from '../config/config.js';
import { adaptersOf, providersOf } from '../gateway.js';
import { checkDatabase, checkFolder, checkRedis } from './check-storage.js';
import { checkProvider, type HealthFinding } from '../api/check-provider.js';
import { configOf, type GlobalOptions } from './existing-store.js';
import { printable } from './table.js';

const minNode = [20, 19] as const;

/**
 * `signalbox doctor`: checks what a gateway with this configuration depends on, without changing
 * it. Calls each provider once for each key, to list its models.
 */
export async function doctor(
  options: GlobalOptions,
): Promise<{ readonly text: string; readonly isHealthy: boolean }> {
  const findings = [checkNode(process.versions.node), ...(await checkAll(options))];
  const problems = findings.filter(({ state }) => state === 'problem').length;
  const end = problems === 0 ? 'no problems' : `problems: ${problems}`;
  return {
    text: `${findings.map(linesOf).join('')}${end}\n`,
    isHealthy: problems === 0,
  };
}

async function checkAll(options: GlobalOptions): Promise<HealthFinding[]> {
  let config: Config;
  try {
    config = configOf(options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const remedy = 'correct the configuration; docs/configuration.md lists all settings';
    return [{ state: 'problem', what: 'configuration', found: error.message, remedy }];
  }
  const { providers, warnings } = providersOf(config);
  const notes = [...config.warnings, ...warnings];
  const named =
    providers.map(({ name }) => name).join(', ') || 'none, so the demo provider answers';
  return [
    { state: 'ok', what: 'configuration', found: `${config.file ?? ''}; providers: ${named}` },
    ...notes.map((found): HealthFinding => ({ state: 'note', what: 'configuration', found })),
    ...checkFolder(config),
    await checkDatabase(config),
    ...(await checkRedis(config)),
    ...(await Promise.all(adaptersOf(providers).map(checkProvider))).flat(),
  ];
}

/** @param version as `process.versions.node` */
function checkNode(version: string): HealthFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < minNode[0] || (major === minNode[0] && minor < minNode[1]);
  return isOld
    ? {
        state: 'problem',
        what: 'Node.js',
        found: version,
        remedy: `install version ${minNode.join('.')} or later`,
      }
    : { state: 'ok', what: 'Node.js', found: version };
}

const labels = { ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' };

function linesOf({ state, what, found, remedy }: HealthFinding): string {
  const lines = found.split('\n').map(printable).join('\n         ');
  return `${labels[state]}  ${what}: ${lines}\n${remedy === undefined ? '' : `         remedy: ${remedy}\n`}`;
}
