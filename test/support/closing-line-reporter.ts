import type { Reporter, TestModule } from "vitest/node";

/**
 * Ends a run with one plain line of counts, for readers unfamiliar with any test runner. Tests that passed only when
 * retried are listed before it: each is a fault to be found, in the test or in what it tests.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const unsteady: string[] = [];
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.state() === "failed" && module.errors().length > 0) count.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (test.diagnostic()?.flaky) unsteady.push(`${module.relativeModuleId} > ${test.fullName}`);
        if (state === "passed" || state === "failed" || state === "skipped") count[state] += 1;
      }
    }
    count.failed += errors.length;
    for (const name of unsteady) process.stdout.write(`\nPassed only when it was run again: ${name}`);
    process.stdout.write(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`);
  }
}
