import { EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { parseFlags } from '@trellis/runtime/parse-flags';
import { createProgress, createTerminal } from 'trellis/terminal';
import { checks, type CheckResult } from './checks.ts';

const USAGE = `npm run check -- [--json]

What CI checks beside the tests. --json prints the outcome as an object on standard output, and all else on standard error.
`;

const { json, help } = readCheckFlags();
const terminal = createTerminal(json ? process.stderr : process.stdout, process.env);
const progress = createProgress(terminal, { isTransient: true });
if (help) process.stdout.write(USAGE);
else await runChecks();

function readCheckFlags(): { readonly json: boolean; readonly help: boolean } {
  try {
    const options = {
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    } as const;
    return parseFlags({ options }).values;
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return process.exit(EXIT_USAGE);
  }
}

async function runChecks(): Promise<void> {
  const outcomes = [];
  for (const { name, run } of checks) {
    const startedAtMs = performance.now();
    const result = await progress.during(name, () => run());
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
    printResult(name, result, seconds);
    outcomes.push({ name, ...result, seconds: Number(seconds) });
  }
  const failed = outcomes.filter((outcome) => !outcome.passed).length;
  const passed = outcomes.length - failed;
  process.stdout.write(
    json
      ? `${JSON.stringify({ passed, failed, checks: outcomes })}\n`
      : `${passed} passed, ${failed} failed\n`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}

function printResult(name: string, { passed, output, figures }: CheckResult, seconds: string): void {
  const { green, red } = terminal.paint;
  const verdict = passed ? green('ok    ') : red('FAILED');
  progress.print(`${verdict} ${name}${figures === undefined ? '' : `: ${figures}`} (${seconds} s)`);
  if (!passed) progress.print(`${output.trimEnd()}\n`);
}
