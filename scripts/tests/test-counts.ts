/** How the tests of a run ended. */
export interface TestCounts {
  readonly passed: number;
  /** Failed tests, files that could not be loaded, hooks and unhandled errors. */
  readonly failed: number;
  readonly skipped: number;
  /** Begun or waiting when the run was interrupted. */
  readonly unfinished: number;
}

/** A run in which nothing happened. */
export const noCounts: TestCounts = { passed: 0, failed: 0, skipped: 0, unfinished: 0 };

/** Of two runs together. */
export function addCounts(one: TestCounts, other: TestCounts): TestCounts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    unfinished: one.unfinished + other.unfinished,
  };
}

/** Whether a run counts as a success: something ran, and nothing failed or was cut short. */
export function succeeded({ passed, failed, unfinished }: TestCounts): boolean {
  return passed > 0 && failed === 0 && unfinished === 0;
}

/** The line that ends a run: `12 passed, 0 failed`, with `, 1 skipped` behind it where that is so. */
export function formatCounts({ passed, failed, skipped, unfinished }: TestCounts): string {
  const line = `${passed} passed, ${failed + unfinished} failed`;
  return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}
