import { randomInt } from 'node:crypto';
import { proofEnvironment } from '@trellis/testkit';
import { findProofs } from './prove/find-proofs.ts';
import { createProgress, createTerminal } from 'trellis/terminal';
import { createProofReporter, type ProofReport } from './prove/proof-reporter.ts';
import { parseProveCommand, type ProofSelection } from './prove/prove-command.ts';
import { runTests } from './tests/run-tests.ts';
import { formatCounts, succeeded } from './tests/test-counts.ts';

const EXIT_USAGE = 64;

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
  const counts = await runTests({
    args: ['--project', 'proofs', ...filesOf(selection)],
    retry: process.env['CI'] ? 1 : 0, // as tests
    reporters: [createProofReporter(progress, (outcome) => void proofs.push(outcome))],
  });
  process.stdout.write(
    `${json ? JSON.stringify({ size, seed, ...counts, proofs }) : formatCounts(counts)}\n`,
  );
  return succeeded(counts);
}

/** Vitest runs the files whose path contains one of its arguments; without arguments it runs all. */
function filesOf({ names }: ProofSelection): readonly string[] {
  return findProofs()
    .filter(({ name }) => names.includes(name))
    .map(({ path }) => path);
}
