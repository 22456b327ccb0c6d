import { randomInt } from 'node:crypto';
import { EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { proofEnvironment } from '@trellis/testkit';
import { findProofs } from './prove/find-proofs.ts';
import { createProgress, createTerminal } from 'trellis/terminal';
import { createProofReporter, type ProofReport } from './prove/proof-reporter.ts';
import { parseProveCommand, LONG_TESTS, type ProofSelection } from './prove/prove-command.ts';
import { compilePrograms } from './tests/compile-programs.ts';
import { runTests } from './tests/run-tests.ts';
import { addCounts, formatCounts, noCounts, succeeded, type TestCounts } from './tests/test-counts.ts';

const invocation = parseProveCommand(process.argv.slice(2), findProofs(), randomInt(1, 1_000_000));
if (invocation.kind === 'help') {
  process.stdout.write(invocation.text);
} else if (invocation.kind === 'wrong') {
  process.stderr.write(`error: ${invocation.problem}\n`);
  process.exitCode = EXIT_USAGE;
} else {
  process.exit((await prove(invocation.selection)) ? 0 : 1);
}

async function prove(selection: ProofSelection): Promise<boolean> {
  const { size, seed, json } = selection;
  const terminal = createTerminal(json ? process.stderr : process.stdout, process.env);
  const progress = createProgress(terminal, { isTransient: true });
  const proofs: ProofReport[] = [];
  progress.print(`Proofs: ${size}, seed ${seed}`);
  Object.assign(process.env, proofEnvironment(selection));
  let counts: TestCounts = noCounts;
  for (const args of runsOf(selection)) {
    const isLong = args.includes(LONG_TESTS);
    if (isLong && Date.now() > (selection.until ?? Infinity)) {
      progress.print(`${LONG_TESTS}: not run, as time is up`);
      continue;
    }
    if (isLong) await compilePrograms();
    const reporter = createProofReporter(progress, (outcome) => void proofs.push(outcome));
    const retry = process.env['CI'] ? 1 : 0; // as tests
    counts = addCounts(counts, await runTests({ args, retry, reporters: [reporter] }));
  }
  process.stdout.write(
    `${json ? JSON.stringify({ size, seed, ...counts, proofs }) : formatCounts(counts)}\n`,
  );
  return succeeded(counts);
}

/** What vitest runs, one after the other: proofs measure, so nothing runs beside them. */
function runsOf({ names }: ProofSelection): readonly (readonly string[])[] {
  const files = findProofs()
    .filter(({ name }) => names.includes(name))
    .map(({ path }) => path); // none: all
  const isAll = names.length === 0;
  return [
    ...(isAll || files.length > 0 ? [['--project', 'proofs', ...files]] : []),
    ...(isAll || names.includes(LONG_TESTS) ? [['--project', LONG_TESTS]] : []),
  ];
}
