import {
  DefaultReporter,
  parseCLI,
  startVitest,
  type Reporter,
  type TestCase,
  type TestModule,
  type Vitest,
} from 'vitest/node';
import { addCounts, noCounts, type TestCounts } from './test-counts.ts';

/** What {@link runTests} runs. */
export interface RunTestsOptions {
  /** Arguments as `vitest run` takes them: parts of file names, `--project`, `-t`, … */
  readonly args: readonly string[];
  /** Instead of the ones that the arguments name. */
  readonly reporters?: readonly Reporter[] | undefined;
  /** How often a test that failed is run again. One that then passes is named as unsteady. @default 0 */
  readonly retry?: number;
}

/**
 * Runs vitest once, without watching, and counts.
 *
 * @throws Error when vitest can't start
 */
export function runTests(options: RunTestsOptions): Promise<TestCounts> {
  return runTogether([options]);
}

/**
 * Does several {@link runTests} side by side. What failed is named when all of them have ended. On a terminal, there is no summary
 * that redraws itself: two of them would redraw one another.
 */
export async function runTogether(runs: readonly RunTestsOptions[]): Promise<TestCounts> {
  const reporters =
    runs.length > 1 && process.stdout.isTTY ? [new DefaultReporter({ summary: false })] : undefined;
  const ended = await Promise.allSettled(runs.map((run) => runVitest({ reporters, ...run })));
  const vitests = ended.flatMap((run) => (run.status === 'fulfilled' ? [run.value] : []));
  for (const vitest of vitests) nameWhatFailed(vitest);
  const failure = ended.find((run) => run.status === 'rejected');
  if (failure) throw failure.reason;
  return vitests.map(count).reduce(addCounts, noCounts);
}

async function runVitest({ args, reporters, retry }: RunTestsOptions): Promise<Vitest> {
  const { filter, options } = parseCLI(['vitest', 'run', ...args]);
  const vitest = await startVitest('test', filter, {
    ...options,
    watch: false,
    ...(reporters && { reporters: [...reporters] }),
    ...(retry !== undefined && { retry }),
  });
  await vitest.close();
  return vitest;
}

/** Right before the last line, as a CI system may show no more than the end. */
function nameWhatFailed(vitest: Vitest): void {
  const tests = testsOf(vitest);
  for (const test of tests.filter(isUnsteady)) name('Unsteady, passed on another try', test);
  for (const test of tests.filter((each) => each.result().state === 'failed')) name('Failed', test);
  for (const module of vitest.state.getTestModules().filter(failedBesideItsTests))
    process.stdout.write(`Failed beside its tests: ${module.relativeModuleId}\n`);
}

function isUnsteady(test: TestCase): boolean {
  return test.diagnostic()?.flaky === true;
}

function name(what: string, test: TestCase): void {
  process.stdout.write(`${what}: ${test.module.relativeModuleId} > ${test.fullName}\n`);
  for (const { message } of test.result().errors ?? [])
    process.stdout.write(`  ${message.split('\n', 1)[0]}\n`);
}

function testsOf(vitest: Vitest): TestCase[] {
  return vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
}

function count(vitest: Vitest): TestCounts {
  const modules = vitest.state.getTestModules();
  const states = testsOf(vitest).map((test) => test.result().state);
  const failed = states.filter((state) => state === 'failed').length;
  return {
    passed: states.filter((state) => state === 'passed').length,
    failed: failed + modules.filter(failedBesideItsTests).length + vitest.state.getUnhandledErrors().length,
    skipped: states.filter((state) => state === 'skipped').length,
    unfinished: states.filter((state) => state === 'pending').length,
  };
}

/** A file that could not be loaded, or whose hooks failed, has no failed test that would say so. */
function failedBesideItsTests(module: TestModule): boolean {
  const suites = [module, ...module.children.allSuites()];
  return suites.some((suite) => suite.errors().length > 0);
}
