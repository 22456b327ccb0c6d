import type { ProofOutcome } from '@trellis/testkit';
import type { Progress, Step } from 'trellis/terminal';
import type { Reporter, TestCase } from 'vitest/node';

/** How a proof went: `npm run prove -- --json` prints a list of these. */
export interface ProofReport {
  readonly name: string;
  readonly state: string;
  readonly seconds: number;
  readonly figures: ProofOutcome['figures'];
}

/** Shows the proof that runs, and prints a line with its figures when it ends. @param report receives how each went */
export function createProofReporter(progress: Progress, report: (outcome: ProofReport) => void): Reporter {
  const running = new Map<string, Step>();
  return {
    onTestCaseReady: ({ id, name }) => void running.set(id, progress.step(name)),
    onTestCaseResult: (test) => {
      const outcome = reportOf(test);
      running.get(test.id)?.done(); // transient: the line below is what stays
      progress.print(describe(outcome, test));
      report(outcome);
    },
    onTestRunEnd: (modules, errors) => {
      const broken = modules.flatMap((module) => module.errors());
      for (const { stack, message } of [...broken, ...errors]) progress.print(stack ?? message);
    },
    onUserConsoleLog: ({ content }) => progress.print(content.replace(/\n$/, '')),
  };
}

function reportOf(test: TestCase): ProofReport {
  return {
    name: test.name,
    state: test.result().state,
    seconds: Number(((test.diagnostic()?.duration ?? 0) / 1_000).toFixed(1)),
    figures: test.meta().proof?.figures ?? {},
  };
}

function describe({ name, state, seconds, figures }: ProofReport, test: TestCase): string {
  const { errors = [] } = test.result();
  const formatted = formatFigures(figures);
  const line = `${name}: ${state} in ${seconds.toFixed(1)} s${formatted && `: ${formatted}`}`;
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
