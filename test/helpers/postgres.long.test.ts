import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase, type OwnPostgres, startOwnPostgres, startPostgres } from './postgres.js';

const clients: Client[] = [];
afterEach(async () => {
  await Promise.allSettled(clients.splice(0).map((client) => client.end()));
});

async function clientOf(url: string): Promise<Client> {
  const client = new Client(url);
  client.on('error', () => undefined);
  clients.push(client);
  await client.connect();
  return client;
}

describe('the shared PostgreSQL', () => {
  it('is one, however often it is asked for', async () => {
    const [first, second] = await Promise.all([startPostgres(), startPostgres()]);
    expect(first.url).toBe(second.url);
  });

  it('has databases that know nothing of each other, and drops one although it is in use', async () => {
    const [first, second] = await Promise.all([freshDatabase(), freshDatabase()]);
    await (await clientOf(first.url)).query('CREATE TABLE things (a int)');
    await expect((await clientOf(second.url)).query('SELECT * FROM things')).rejects.toThrow(
      'does not exist',
    );
    await Promise.all([first.drop(), second.drop()]);
    await expect(clientOf(first.url)).rejects.toThrow('does not exist');
  });
});

describe("a PostgreSQL of a test's own", () => {
  let postgres: OwnPostgres;
  beforeEach(async () => void (postgres = await startOwnPostgres()));
  afterEach(() => postgres.remove());

  it('is cut off by a stop, freezes in a pause, and keeps what it acknowledged', async () => {
    const client = await clientOf(postgres.url);
    await client.query('CREATE TABLE things (a int)');
    await client.query('INSERT INTO things VALUES (1)');
    postgres.pause();
    let isAnswered = false;
    const answer = client.query('SELECT a FROM things').finally(() => (isAnswered = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAnswered).toBe(false);
    postgres.resume();
    expect((await answer).rows).toEqual([{ a: 1 }]);
    await postgres.stop();
    await expect(client.query('SELECT 1')).rejects.toThrow();
    await expect(clientOf(postgres.url)).rejects.toThrow('ECONNREFUSED');
    await postgres.restart();
    expect((await (await clientOf(postgres.url)).query('SELECT a FROM things')).rows).toEqual([
      { a: 1 },
    ]);
  });
});
