import { isNamed, type NamedTest, type TestRun } from './run-named-tests.ts';

/**
 * What an expectation throws, a poll that waited in vain, and the time-out of a test or of a wait. Of the time-out of a test
 * vitest's report has the stack alone, which bears this name.
 */
const BY_EXPECTATION =
  /^(?:AssertionError|(?:Type)?Error: (?:expected |promise (?:resolved|rejected) |\.\w+\(\) expects |STACK_TRACE_ERROR))|timed out|did not come true/;

/** What is wrong with the test of a flaw in the product as it is. Undefined where it passes. */
export function findFailure(runs: readonly TestRun[], test: NamedTest): string | undefined {
  const named = runs.filter((run) => isNamed(run, test));
  if (named.length === 0) return `did not run${reasonOf(runs, test)}`;
  const failed = named.find(({ isPassed }) => !isPassed);
  return failed && `fails without the flaw: ${firstLineOf(failed)}`;
}

/** Why the test of a flaw did not notice that it was planted. Undefined where it did: it failed by its expectations. */
export function findOversight(runs: readonly TestRun[], test: NamedTest): string | undefined {
  const named = runs.filter((run) => isNamed(run, test));
  if (named.length === 0) return `did not run with the flaw${reasonOf(runs, test)}`;
  const failed = named.filter(({ isPassed }) => !isPassed);
  if (failed.length === 0) return 'passes with the flaw';
  const broken = failed.find(({ failures }) => !failures.some((text) => BY_EXPECTATION.test(text)));
  return broken && `fails by another error than an expectation: ${firstLineOf(broken)}`;
}

function reasonOf(runs: readonly TestRun[], { testFile }: NamedTest): string {
  const failed = runs.find(({ file, isPassed }) => file === testFile && !isPassed);
  return failed ? `: ${firstLineOf(failed)}` : '';
}

function firstLineOf({ failures: [text = ''] }: TestRun): string {
  return text.split('\n', 1)[0] ?? '';
}
