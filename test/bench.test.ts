import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { buildOnce } from './helpers/build.js';

const run = promisify(execFile);

beforeAll(buildOnce, 60_000);

it('the benchmark prints a ratio for each row that is asked for', { timeout: 60_000 }, async () => {
  const { stdout } = await run(
    process.execPath,
    [
      'test/bench/run.mjs',
      '--quick',
      '--slices=1',
      '--row=json',
      '--row=sse-bursts',
      '--row=select-1k-plan',
    ],
    { timeout: 55_000 },
  );
  for (const row of ['json', 'sse-bursts'])
    expect(stdout).toMatch(new RegExp(`^\\| ${row} .*\\d×`, 'm'));
  expect(stdout).toMatch(/^\| select-1k-plan .*µs CPU/m);
});

it(
  'the benchmark names its rows where it is asked for one that it does not have',
  { timeout: 60_000 },
  async () => {
    await expect(run(process.execPath, ['test/bench/run.mjs', '--row=none'])).rejects.toMatchObject(
      { stderr: expect.stringContaining('there is no row "none"; there are json') as string },
    );
  },
);
