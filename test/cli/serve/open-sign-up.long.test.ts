import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildOnce } from '../../helpers/build.js';
import { endProcesses, newFolder, runToEnd, startProcess } from '../../helpers/process.js';

beforeAll(async () => {
  await buildOnce();
}, 120_000);
afterEach(endProcesses);

const said = /becomes the administrator/;
const warningsOf = (output: string): unknown[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{') && said.test(line))
    .map((line) => JSON.parse(line) as unknown);

describe('a gateway that others can reach before anybody has signed up', () => {
  it.each(['0.0.0.0', '::'])(
    'warns once that the first to sign up becomes the administrator, and how to close it: %s',
    async (HOST) => {
      const gateway = await startProcess({ env: { HOST } });
      await gateway.printed(said);
      expect(warningsOf(gateway.stdout())).toEqual([
        expect.objectContaining({
          level: 40,
          msg: `no one has signed up yet, and the first to sign up at ${HOST} becomes the administrator: sign up now, run "signalbox accounts create" with your mail address, or set auth.signUp to closed`,
        }),
      ]);
    },
  );

  it.each(['127.0.0.1', '127.0.0.2', 'localhost'])(
    'says nothing where only this machine reaches it: %s',
    async (HOST) => {
      expect((await startProcess({ env: { HOST } })).stdout()).not.toMatch(said);
    },
  );

  it('says nothing where sign-up is closed', async () => {
    expect(
      (
        await startProcess({ env: { HOST: '0.0.0.0' }, config: 'auth: { signUp: closed }\n' })
      ).stdout(),
    ).not.toMatch(said);
  });

  it('says nothing where there is an administrator', async () => {
    const folder = newFolder();
    await runToEnd({ folder, args: ['accounts', 'create', 'ada@example.org'] });
    expect((await startProcess({ folder, env: { HOST: '0.0.0.0' } })).stdout()).not.toMatch(said);
  });
});
