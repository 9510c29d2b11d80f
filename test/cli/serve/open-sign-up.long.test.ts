import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildOnce } from '../../helpers/build.js';
import { endProcesses, newFolder, startProcess } from '../../helpers/process.js';

beforeAll(async () => {
  await buildOnce();
}, 120_000);
afterEach(endProcesses);

const said = /auth\.signUp is open/;
const open = 'auth: { signUp: open }\n';
const outputOf = async (config: string, HOST: string): Promise<string> =>
  (await startProcess({ config, env: { HOST } })).stdout();

describe('a gateway at which everyone can sign up', () => {
  it.each(['0.0.0.0', '::'])('warns at each start where others reach it: %s', async (HOST) => {
    const folder = newFolder();
    for (let start = 0; start < 2; start++) {
      const gateway = await startProcess({ folder, config: open, env: { HOST } });
      const [line] = await gateway.printed(/^.*auth\.signUp is open.*$/m);
      expect(JSON.parse(line)).toMatchObject({
        level: 40,
        msg: `auth.signUp is open: everyone who can reach ${HOST} can make an account and use every provider within auth.signUpLimits; close it, or set mail and auth.signUpDomains`,
      });
      gateway.signal('SIGKILL');
      await gateway.ended;
    }
  });

  it.each(['127.0.0.1', '127.0.0.2', 'localhost'])(
    'says nothing where only this machine reaches it: %s',
    async (HOST) => {
      expect(await outputOf(open, HOST)).not.toMatch(said);
    },
  );

  it.each([
    ['sign-up is closed, as by default', ''],
    ['only some mail domains may', 'auth: { signUp: open, signUpDomains: [example.org] }\n'],
    ['there are no web accounts', 'auth: { signUp: open, webAccounts: false }\n'],
  ])('says nothing where %s', async (_what, config) => {
    expect(await outputOf(config, '0.0.0.0')).not.toMatch(said);
  });
});
