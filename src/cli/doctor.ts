import { type Config, ConfigError } from '../config/config.js';
import { adaptersOf, providersOf } from '../gateway.js';
import { checkProvider, type HealthFinding } from '../api/check-provider.js';
import {
  configOf,
  databaseUrlOf,
  type GlobalOptions,
  MissingDatabase,
  withStore,
} from './existing-store.js';
import { printable } from './table.js';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { redisAnswers } from '../store/open-databases.js';
import { databaseFileOf } from '../store/open-store.js';

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
  return { text: `${findings.map(linesOf).join('')}${end}\n`, isHealthy: problems === 0 };
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

/** Checks that the data folder is there, can be written, and is closed to other users. */
function checkFolder(config: Config): HealthFinding[] {
  const file = databaseFileOf(databaseUrlOf(config));
  const folder = file === null ? resolve(config.dataDir) : dirname(file);
  const what = 'data folder';
  if (!existsSync(folder))
    return [{ state: 'note', what, found: `${folder} does not exist; a start makes it` }];
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (file !== null && existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
  } catch {
    const remedy = `run as the gateway's user, change its owner, or set SIGNALBOX_DATA_DIR`;
    return [{ state: 'problem', what, found: `${folder} cannot be written`, remedy }];
  }
  const isOpen = process.platform !== 'win32' && (statSync(folder).mode & 0o007) !== 0;
  const found = 'other users of this machine may read it';
  const note: HealthFinding = { state: 'note', what, found, remedy: `chmod 700 ${folder}` };
  return [{ state: 'ok', what, found: folder }, ...(isOpen ? [note] : [])];
}

/** Checks that the database is there, answers and has the newest schema. */
async function checkDatabase(config: Config): Promise<HealthFinding> {
  const what = 'database';
  try {
    return await withStore(config, async (store) => {
      await store.ping();
      const kind = store.kind === 'libsql' ? 'embedded' : 'PostgreSQL';
      return { state: 'ok', what, found: `${kind}; it answers, and its schema is the newest` };
    });
  } catch (error) {
    const { message } = error as Error;
    const problem = { state: 'problem', what } as const;
    if (config.database.url !== null)
      return {
        ...problem,
        found: message,
        remedy: 'check database.url and that the database runs',
      };
    return error instanceof MissingDatabase
      ? { ...problem, found: error.found, remedy: `start the gateway once. ${error.remedy}` }
      : { ...problem, found: message, remedy: 'name its data folder with --data-dir' };
  }
}

/** Checks that Redis answers, if one is configured. */
async function checkRedis({ redis }: Config): Promise<HealthFinding[]> {
  if (redis.url === null) return [];
  return [
    (await redisAnswers(redis.url))
      ? { state: 'ok', what: 'Redis', found: 'it answers' }
      : {
          state: 'problem',
          what: 'Redis',
          found: 'it cannot be reached, so that each replica counts limits for itself',
          remedy: 'check redis.url and that Redis runs',
        },
  ];
}
