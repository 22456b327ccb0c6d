import { FileProblems, printable, ThreadEnded } from '@trellis/composition';
import { RegistryError, registryErrors } from '@trellis/registry';
import { ConfigError } from '@trellis/runtime';
import { EXIT_FAILED, EXIT_UNAVAILABLE, EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { OperationsProblem, operationsProblems } from '../recorded/operations-problem.ts';
import type { Environment } from '../registry/registry-access.ts';
import type { Output } from '../supergraph/output.ts';
import { documentationOf } from '../supergraph/code-pages.ts';
import { printableFailure } from '../supergraph/named-file.ts';
import { writeProblems } from '../supergraph/write-problems.ts';
import { isOutcomeForm, writeOutcome, type CommandOutcome, type OutputOptions } from './command-outcome.ts';
import { PublicationRejected } from './publication-rejected.ts';

/** A command of the registry has that long. */
const DEADLINE_MS = 600_000;

/** What runs, with options that were read. */
export type RegistryAction<Options> = (
  options: Options,
  env: Environment,
  signal: AbortSignal,
) => Promise<CommandOutcome>;

/**
 * Runs a command of the registry, and writes what came of it: the result to the standard output, or a file; what failed to the
 * standard error, in the form that was asked for.
 *
 * @returns the exit status: 0, 1, 64, 69, 75 or 77
 */
export async function runRegistryAction<Options extends OutputOptions>(
  action: RegistryAction<Options>,
  options: Options,
  env: Environment,
  output: Output,
): Promise<number> {
  const { format = 'text' } = options;
  if (!isOutcomeForm(format)) {
    output.error('--format is one of text, json, junit, github, sarif, markdown, html, svg.\n');
    return EXIT_USAGE;
  }
  try {
    const outcome = await action(options, env, AbortSignal.timeout(DEADLINE_MS));
    await writeOutcome(outcome, options, output);
    return outcome.exit;
  } catch (error) {
    return fail(error, options, output);
  }
}

async function fail(error: unknown, options: OutputOptions, output: Output): Promise<number> {
  const { format = 'text' } = options;
  if (error instanceof PublicationRejected) {
    const outcome = rejection(error);
    await writeOutcome(outcome, options, output);
    return outcome.exit;
  }
  if (error instanceof FileProblems) {
    await writeProblems(error, { kind: 'check', format }, output);
    return EXIT_FAILED;
  }
  if (error instanceof RegistryError) {
    const { exit } = registryErrors[error.code];
    await writeFailure(exit, error, options, output);
    return exit;
  }
  if (error instanceof OperationsProblem) {
    const exit = operationsProblems[error.code];
    await writeFailure(exit, error, options, output);
    return exit;
  }
  if (error instanceof ConfigError) {
    output.error(`${printable(error.message)}\n`);
    return EXIT_FAILED;
  }
  if (error instanceof ThreadEnded) {
    output.error(`${error.message}\n`);
    return EXIT_UNAVAILABLE;
  }
  if (error instanceof Error && ('syscall' in error || error.name === 'TimeoutError')) {
    output.error(`${printableFailure(error)}\n`);
    return error.name === 'TimeoutError' ? EXIT_UNAVAILABLE : EXIT_FAILED;
  }
  throw error;
}

async function writeFailure(
  exit: number,
  { code, message }: RegistryError | OperationsProblem,
  options: OutputOptions,
  output: Output,
): Promise<void> {
  if (options.format !== 'json') output.error(`${code}: ${printable(message)}\n${documentationOf([code])}`);
  else
    await writeOutcome(
      { exit, lines: [], document: { outcome: 'failed', error: { code, message } } },
      options,
      output,
    );
}

/** What is said of a release that was not published. */
export function rejection({ outcome, report, sources, violations }: PublicationRejected): CommandOutcome {
  const exit = outcome === 'failed' ? EXIT_FAILED : EXIT_UNAVAILABLE;
  return {
    exit,
    lines: [
      ...violations.map(({ subgraph, reason }) => `not served: ${subgraph} as it runs fails: ${reason}.`),
      outcome === 'failed' ? 'rejected: nothing was changed.' : 'undecided: nothing was changed.',
    ],
    document: { outcome: outcome === 'failed' ? 'rejected' : 'undecided', violations },
    report: { report, sources },
  };
}
