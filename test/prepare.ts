import { randomUUID } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { writeConfigInput } from '../config-input.mjs';
import { type NeededProgram, obtainProgram } from './helpers/install-program.js';
import { type OwnPostgres, runSql, startOwnPostgres } from './helpers/own-postgres.js';
import { offerProvisions } from './helpers/provisions.js';

const { CI = '', SIGNALBOX_TEST_REQUIRE_SERVERS = '', DATABASE_URL = '' } = process.env;
/** Whether a missing server fails the run; otherwise its tests are skipped. */
const areRequired = [CI, SIGNALBOX_TEST_REQUIRE_SERVERS].some((value) => /^(1|true)$/i.test(value));

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const redisServer: NeededProgram = { names: ['redis-server', 'valkey-server'] };
const browser: NeededProgram = { names: ['chromium'] };

async function obtainOrSkip(program: NeededProgram): Promise<string> {
  try {
    return await obtainProgram(program, say);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (areRequired)
      throw new Error(`${reason}; CI or SIGNALBOX_TEST_REQUIRE_SERVERS requires it`, {
        cause: error,
      });
    say(`${reason}: the tests that need it are skipped`);
    return '';
  }
}

/**
 * Starts or installs the real servers when the first test asks for one, so that a run without such
 * tests pays nothing. Ends them after the run.
 */
export default async function prepare({ provide }: TestProject): Promise<() => Promise<void>> {
  writeConfigInput();
  let redis: Promise<string> | undefined;
  let chromium: Promise<string> | undefined;
  let own: Promise<OwnPostgres> | undefined;
  const databases: string[] = [];
  const postgres = async (): Promise<string> =>
    DATABASE_URL || (await (own ??= startOwnPostgres())).url;
  const offered = await offerProvisions({
    redis: () => (redis ??= obtainOrSkip(redisServer)),
    chromium: () => (chromium ??= obtainOrSkip(browser)),
    postgres,
    async database() {
      const server = await postgres();
      const name = `signalbox_test_${randomUUID().replaceAll('-', '')}`;
      await runSql(server, `CREATE DATABASE ${name}`);
      databases.push(name);
      return Object.assign(new URL(server), { pathname: name }).href;
    },
  });
  provide('provisionsUrl', offered.url);
  return async () => {
    offered.close();
    await own?.then(
      (server) => server.remove(),
      () => undefined,
    );
    // a test file that crashed has left its database
    if (DATABASE_URL)
      for (const name of databases)
        await runSql(DATABASE_URL, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
}
