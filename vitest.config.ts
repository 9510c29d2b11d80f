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
    reporters: ['default', './test/helpers/closing-line.ts'],
  },
});
