import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildOnce } from '../../helpers/build.js';
import { freshDatabase } from '../../helpers/postgres.js';
import { endProcesses, newFolder, runToEnd } from '../../helpers/process.js';
import { redisIsThere, type RunningRedis, startRedis } from '../../helpers/redis.js';
import { isWholeRun } from '../../helpers/runs.js';

beforeAll(async () => {
  await buildOnce();
}, 120_000);
afterEach(endProcesses);

describe.skipIf(!redisIsThere)(
  'a start that fails when PostgreSQL and Redis are open already',
  () => {
    let database: Awaited<ReturnType<typeof freshDatabase>>;
    let redis: RunningRedis | null;
    let other: Server;
    beforeAll(async () => {
      [database, redis] = await Promise.all([freshDatabase(), startRedis()]);
      other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    });
    afterAll(async () => {
      other.close();
      await Promise.all([database.drop(), redis?.stop()]);
    });

    it.runIf(isWholeRun)('ends the process all the same where a port is taken', async () => {
      const env = {
        PORT: String((other.address() as AddressInfo).port),
        SIGNALBOX_DATABASE_URL: database.url,
        SIGNALBOX_REDIS_URL: redis!.url,
      };
      expect(await runToEnd({ env })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^cannot listen on [^\n]+\n$/),
      });
    });

    it('ends the process all the same where the address of Redis cannot be read', async () => {
      const env = {
        SIGNALBOX_DATABASE_URL: database.url,
        SIGNALBOX_REDIS_URL: `${redis!.url}/not-a-number`,
      };
      expect(await runToEnd({ env })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/redis\.url: must be [^\n]+\n$/),
      });
    });
  },
);

describe('a start on a file that is no database', () => {
  it('names the file and what to do', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data/signalbox.db'), 'something else '.repeat(1_000));
    const { code, stderr } = await runToEnd({ folder });
    expect(stderr).toMatch(
      /^dataDir: \S+\/data\/signalbox\.db is damaged or not a database \(SQLITE_NOTADB\)[^\n]*\n$/,
    );
    expect(code).toBe(1);
  });
});

describe('a start on a data folder that the system does not let anybody make', () => {
  it.each([[[]], [['--workers', '2']]])('ends at once and says what to do (%j)', async (args) => {
    const { code, stderr } = await runToEnd({ args, env: { SIGNALBOX_DATA_DIR: '/proc/data' } });
    expect(stderr).toMatch(
      /^dataDir: [^\n]*mkdir '\/proc\/data'; name a folder that this user may write with --data-dir or SIGNALBOX_DATA_DIR\n$/,
    );
    expect(code).toBe(1);
  });
});
