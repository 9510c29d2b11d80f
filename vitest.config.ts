/**
 * Two runs, both with real servers, which `test/prepare.ts` starts or installs:
 *
 * - `npm test` leaves out the files `*.long.test.ts`, the laboratory's tests, the longest trainings
 *   and most starts of processes, gives property tests a tenth of their runs, and keeps databases in
 *   memory without a thread (`test/helpers/memory-databases.ts`).
 * - `npm run test:all` runs what that leaves out or does in a shorter form: first the benchmark's own
 *   test alone, in mode `bench`, because it keeps both cores busy and other tests must not wait for
 *   it; then vitest's mode `all`, with those files, property tests with all their runs, and databases
 *   in files; beside it, in mode `soak`, the soak, which would hold up a worker for ten minutes and
 *   mostly waits. What would run as in `npm test` is not run again: it took a fifth of the time.
 *
 * A property test takes `{ numRuns: runs(2_000) }` (`test/helpers/runs.ts`): the number is that of
 * `test:all`; a table of cases `someOf(cases)`. A single long test in a file of short ones is
 * `it.runIf(isWholeRun)(…)`.
 *
 * No test asserts a time below ten seconds: on a busy machine everything takes longer. Tests assert
 * order, counts and injected clocks. Limits in tests only end what would never end; the ones here
 * are generous for the same reason. Speed is measured by `npm run bench`.
 *
 * In CI a test that failed is run once more, because among 13,000 tests with real processes one may
 * meet a machine that stands still; such tests are named at the end of the run. Property tests are
 * not run again: what they found is real.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What a test, a hook or a poll may take before it is given up, in ms. */
const giveUp = { test: 90_000, hook: 120_000, poll: 30_000 };

/** Files that have a mode of their own. */
const apart: Readonly<Record<string, string>> = {
  bench: 'test/bench.long.test.ts',
  soak: 'test/soak/soak.long.test.ts',
};

/**
 * The files whose tests `npm test` leaves out or shortens, and those of databases, which it keeps in
 * memory.
 */
const longer = (): string[] =>
  readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file}`)
    .filter(
      (file) =>
        file.endsWith('.test.ts') &&
        !Object.values(apart).includes(file) &&
        (/\.long\.|^test\/(lab|store|conversations)\//.test(file) ||
          readFileSync(file, 'utf8').includes('helpers/runs')),
    );

/** Begins with the files that run for minutes: at the end one core would wait for them. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => /chaos\.long/.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    include: apart[mode] ? [apart[mode]] : mode === 'all' ? longer() : ['test/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      ...(apart[mode] || mode === 'all' ? [] : ['**/*.long.test.ts', 'test/lab/**']),
    ],
    env: { SIGNALBOX_TEST_ALL: mode === 'all' ? '1' : '' },
    globalSetup: ['./test/prepare.ts'],
    testTimeout: giveUp.test,
    hookTimeout: giveUp.hook,
    retry: process.env.CI ? { count: 1, condition: /^(?!Property failed)/ } : 0,
    sequence: { sequencer: LongestFirst },
    expect: { poll: { timeout: giveUp.poll, interval: 20 } },
    // two cores: everyday tests wait for half of their time; the long ones keep both busy, and with
    // a third worker each took 1.7 times as long
    maxWorkers: mode === 'all' ? 2 : 3,
    pool: 'forks',
    // importing the gateway takes longer than most files' tests: a worker imports it once
    isolate: false,
    // compiled modules are kept in node_modules, by their content: a file's run begins in half the time
    experimental: { fsModuleCache: true },
    // threads that start from the sources, in TypeScript
    execArgv: ['--import', new URL('./test/helpers/typescript-workers.mjs', import.meta.url).href],
    // hundreds of hints about models that only the tests have
    onConsoleLog: (log) => !log.startsWith('AI SDK Warning'),
    reporters: ['default', './test/helpers/closing-line.ts'],
  },
}));
