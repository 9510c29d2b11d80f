import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['./test/prepare.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // two cores: sockets and timers of one file must not wait behind another's
    maxWorkers: 2,
    pool: 'forks',
    // threads that are started from the sources
    execArgv: ['--import', new URL('./test/helpers/typescript-workers.mjs', import.meta.url).href],
    reporters: ['default', './test/helpers/closing-line.ts'],
  },
});
