import { type AddressInfo, createServer, type Server } from 'node:net';
import { Kysely, sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { postgresDialect } from '../../../../src/store/drivers/postgres/dialect.js';

/** A message of PostgreSQL's protocol. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const admitted = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const terminated = message(
  'E',
  Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

let server: Server;
afterEach(() => void server.close());

it('survives a PostgreSQL that admits a connection and ends it with the same packet', async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([admitted, ready, terminated])));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `postgres://one:two@127.0.0.1:${(server.address() as AddressInfo).port}/three`;
  const database = new Kysely({
    dialect: postgresDialect(url, { poolSize: 1, onWarning: () => undefined }),
  });
  await expect(sql`select 1`.execute(database)).rejects.toMatchObject({ code: 'unavailable' });
  await database.destroy();
});
