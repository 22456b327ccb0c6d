import { parseCLI, startVitest, type Reporter, type TestModule, type Vitest } from 'vitest/node';
import type { TestCounts } from './test-counts.ts';

/** What {@link runTests} runs. */
export interface RunTestsOptions {
  /** Arguments as `vitest run` takes them: parts of file names, `--project`, `-t`, … */
  readonly args: readonly string[];
  /** Instead of the ones that the arguments name. */
  readonly reporters?: readonly Reporter[];
}

/**
 * Runs vitest once, without watching, and counts.
 *
 * @throws Error when vitest can't start
 */
export async function runTests({ args, reporters }: RunTestsOptions): Promise<TestCounts> {
  const { filter, options } = parseCLI(['vitest', 'run', ...args]);
  const vitest = await startVitest('test', filter, {
    ...options,
    watch: false,
    ...(reporters && { reporters: [...reporters] }),
  });
  try {
    return count(vitest);
  } finally {
    await vitest.close();
  }
}

function count(vitest: Vitest): TestCounts {
  const modules = vitest.state.getTestModules();
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const states = tests.map((test) => test.result().state);
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
