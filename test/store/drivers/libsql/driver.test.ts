import { CompiledQuery } from 'kysely';
import { expect, it } from 'vitest';
import { DatabaseThread } from '../../../../src/store/drivers/libsql/database-thread.js';
import { LibsqlDriver } from '../../../../src/store/drivers/libsql/driver.js';

it('is unavailable while the system cannot start a thread, and works as soon as it can', async () => {
  let starts = 0;
  const driver = new LibsqlDriver(':memory:', (path) => {
    starts += 1;
    if (starts === 1) throw new Error('out of threads');
    return new DatabaseThread(path);
  });
  await expect(driver.acquireConnection()).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the database cannot be reached: out of threads',
  });
  const connection = await driver.acquireConnection();
  expect(await connection.executeQuery(CompiledQuery.raw('select 1 as one'))).toMatchObject({
    rows: [{ one: 1 }],
  });
  await driver.releaseConnection();
  await driver.destroy();
});
