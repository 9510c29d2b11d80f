import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Names the tests that passed when they were run again, and ends a run with one plain line of counts on any terminal: `tests: 12 passed, 0 failed, 1
 * skipped`.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        counts[test.result().state]++;
        if (test.diagnostic()?.flaky)
          process.stdout.write(
            `failed once: ${module.relativeModuleId} > ${test.fullName}: ${test.result().errors?.[0]?.message ?? ''}\n`,
          );
      }
      // a file that could not be loaded has no tests that fail
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed++;
    }
    // an error outside all tests fails the run as well
    const failed = counts.failed + counts.pending + errors.length;
    process.stdout.write(
      `\ntests: ${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped\n`,
    );
  }
}
