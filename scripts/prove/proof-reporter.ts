import type { ProofOutcome } from '@trellis/testkit';
import type { Reporter, TestCase } from 'vitest/node';

/** Prints a line when a proof begins, and one with its figures when it ends. */
export function createProofReporter(write: (text: string) => void): Reporter {
  return {
    onTestCaseReady: ({ name }) => write(`${name} …\n`),
    onTestCaseResult: (test) => write(`${describeResult(test)}\n`),
    onTestRunEnd: (modules, errors) => {
      const broken = modules.flatMap((module) => module.errors());
      for (const { stack, message } of [...broken, ...errors]) write(`${stack ?? message}\n`);
    },
    onUserConsoleLog: ({ content }) => write(content),
  };
}

function describeResult(test: TestCase): string {
  const { state, errors = [] } = test.result();
  const seconds = ((test.diagnostic()?.duration ?? 0) / 1_000).toFixed(1);
  const figures = formatFigures(test.meta().proof?.figures ?? {});
  const line = `${test.name}: ${state} in ${seconds} s${figures && `: ${figures}`}`;
  return [line, ...errors.map(({ stack, message }) => indent(stack ?? message))].join('\n');
}

/** `{rounds: 100, p99Ms: 12.5}` as `rounds 100, p99Ms 12.5`. */
export function formatFigures(figures: ProofOutcome['figures']): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** A stack, less the frames of the test runner. */
function indent(stack: string): string {
  const lines = stack.split('\n').filter((line) => !/^\s+at .*(node_modules|node:)/.test(line));
  return lines.map((line) => `    ${line}`).join('\n');
}
