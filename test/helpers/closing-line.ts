import type { Reporter, TestModule } from 'vitest/node';

/** Ends a run with one plain line of counts, whatever the terminal: `tests: 12 passed, 0 failed, 1 skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state]++;
      // a file that could not be loaded has no tests to fail
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed++;
    }
    process.stdout.write(
      `\ntests: ${counts.passed} passed, ${counts.failed + counts.pending} failed, ${counts.skipped} skipped\n`,
    );
  }
}
