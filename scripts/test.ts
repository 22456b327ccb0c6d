import { chooseRuns, isOfRepository } from './tests/choose-runs.ts';
import { runTogether, type RunTestsOptions } from './tests/run-tests.ts';
import { formatCounts, noCounts, succeeded, type TestCounts } from './tests/test-counts.ts';

// In CI one unsteady test among thousands would hold everything up. It is run once more, and named.
const retry = process.env['CI'] ? 1 : 0;

const args = process.argv.slice(2);
if (isOfRepository(args))
  await import('./tests/compile-programs.ts').then((module) => module.compilePrograms());

// The last line is printed whatever happens, because CI systems read it.
const counts = await runOrReport(chooseRuns(args).map((run) => ({ args: run, retry })));
process.stdout.write(`${formatCounts(counts)}\n`);
process.exit(succeeded(counts) ? 0 : 1);

async function runOrReport(runs: readonly RunTestsOptions[]): Promise<TestCounts> {
  try {
    return await runTogether(runs);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return { ...noCounts, failed: 1 };
  }
}
