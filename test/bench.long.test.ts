import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { buildOnce } from './helpers/build.js';

const run = promisify(execFile);
/** Only ends what would never end: a smoke run takes half a minute. */
const giveUpMs = 600_000;

let dist: string;
beforeAll(async () => (dist = join(dirname(await buildOnce()), '..')));

const bench = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, ['test/bench/run.mjs', ...args], { timeout: giveUpMs })).stdout;

it(
  'the benchmark prints a ratio for each row that is asked for',
  { timeout: giveUpMs },
  async () => {
    const printed = await bench(
      '--quick',
      '--slices=1',
      '--requests=100',
      '--row=json',
      '--row=sse-bursts',
      '--row=select-1k-plan',
      '--row=key-check',
    );
    for (const row of ['json', 'sse-bursts'])
      expect(printed).toMatch(new RegExp(`^\\| ${row} .*\\d×`, 'm'));
    expect(printed).toMatch(/^\| select-1k-plan .*µs CPU/m);
    expect(printed).toMatch(/^\| key-check .*\d/m);
  },
);

it(
  'the comparison of two builds prints a ratio with its interval for each row',
  {
    timeout: giveUpMs,
  },
  async () => {
    const printed = await bench('compare', dist, '--pairs=2', '--requests=20');
    const rows = ['json', 'json-no-log', 'native-stored', 'sse-bursts', 'sse-singles'];
    for (const row of [...rows, 'select-http', 'plan'])
      expect(printed).toMatch(new RegExp(`^\\| ${row} .* \\d\\.\\d{3} to \\d+\\.\\d{3} `, 'm'));
  },
);

it(
  'the hostile requests print what they did to each build',
  {
    timeout: giveUpMs,
  },
  async () => {
    const printed = await bench(
      'hostile',
      dist,
      '--rounds=1',
      '--row=objects-2m',
      '--row=brackets',
    );
    for (const row of ['objects-2m', 'brackets'])
      expect(printed).toMatch(new RegExp(`^\\| ${row} .* 400 .* 400 `, 'm'));
  },
);

it(
  'the benchmark of grounding prints that no fabricated link is left and how many quotes are found',
  {
    timeout: giveUpMs,
  },
  async () => {
    const printed = await bench('grounding', '--quick');
    expect(printed).toMatch(/^\| fabricated links left +\| 0 /m);
    expect(printed).toMatch(/^\| true claims whose quote is found +\| (9[5-9]|100)\.\d % of \d+ /m);
    expect(printed).toMatch(
      /^\| evidence in 4k tokens, packed \/ whole pages +\| [\d.]+ % \([\d.]+ % to .*\) \/ [\d.]+ % /m,
    );
    expect(printed).toMatch(/^\| filter, .* \| \d/m);
  },
);

it('the benchmark lists its rows where it is asked for an unknown one', async () => {
  await expect(run(process.execPath, ['test/bench/run.mjs', '--row=none'])).rejects.toMatchObject({
    stderr: expect.stringContaining('there is no row "none"; there are json') as string,
  });
});

it('the cache benchmark prints at least 95 % for each agent', { timeout: giveUpMs }, async () => {
  const printed = await bench('cache');
  const shares = [...printed.matchAll(/^\| .*\| (\d+\.\d) % +\| \d/gm)].map(([, share]) =>
    Number(share),
  );
  expect(shares).toHaveLength(3);
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(95);
});
