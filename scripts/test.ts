import { runTests, type RunTestsOptions } from './tests/run-tests.ts';
import { withoutProofs } from './tests/without-proofs.ts';
import { formatCounts, noCounts, succeeded, type TestCounts } from './tests/test-counts.ts';

// The last line is printed whatever happens, because CI systems read it.
const counts = await runOrReport({ args: withoutProofs(process.argv.slice(2)) });
process.stdout.write(`${formatCounts(counts)}\n`);
process.exit(succeeded(counts) ? 0 : 1);

async function runOrReport(options: RunTestsOptions): Promise<TestCounts> {
  try {
    return await runTests(options);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return { ...noCounts, failed: 1 };
  }
}
