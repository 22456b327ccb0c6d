import { FileProblems, printable } from '@trellis/composition';
import { RegistryError, registryErrors } from '@trellis/registry/registry-error';
import { ConfigError } from '@trellis/runtime/config-error';
import { EXIT_FAILED, EXIT_UNAVAILABLE, EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { OperationsProblem, operationsProblems } from '../recorded/operations-problem.ts';
import { BaseUnavailable } from './base-graph.ts';
import { isInvalidSupergraph } from './invalid-supergraph.ts';
import { composeCommand } from './compose-command.ts';
import { printableFailure } from './named-file.ts';
import type { Output } from './output.ts';
import { writeProblems } from './write-problems.ts';
import { readCommandLine, type Invocation } from './read-command-line.ts';
import { briefUsage, usage } from './usage.ts';

const statuses = { passed: 0, failed: EXIT_FAILED, undecided: EXIT_UNAVAILABLE } as const;

/**
 * The program behind `trellis compose`, `trellis check` and `npm run supergraph`.
 *
 * @param program as help names it
 * @returns the exit status
 */
export async function runSupergraphCommand(
  args: readonly string[],
  output: Output,
  program = 'npm run supergraph --',
): Promise<number> {
  const invocation = readCommandLine(args);
  if (invocation.kind === 'help') {
    output.out(usage(program, args[0] === 'help' ? args.slice(1) : args));
    return 0;
  }
  if (invocation.kind === 'wrong') {
    output.error(`error: ${invocation.problem}\n${briefUsage(program, args)}`);
    return EXIT_USAGE;
  }
  try {
    return statuses[await run(invocation, output)];
  } catch (error) {
    if (!isExpected(error)) throw error;
    if (error instanceof FileProblems && 'format' in invocation)
      await writeProblems(error, invocation, output);
    else output.error(`${explain(error)}\n`);
    if (error instanceof RegistryError) return registryErrors[error.code].exit;
    if (error instanceof OperationsProblem) return operationsProblems[error.code];
    return error instanceof BaseUnavailable ? EXIT_UNAVAILABLE : EXIT_FAILED;
  }
}

/** The gateway's readers are loaded for a check alone: composing takes half a second. */
async function run(
  invocation: Extract<Invocation, { kind: 'compose' | 'check' | 'lint' | 'explain' }>,
  output: Output,
): Promise<keyof typeof statuses> {
  if (invocation.kind === 'compose') return composeCommand(invocation, output);
  if (invocation.kind === 'explain') {
    const { explainCommand } = await import('./explain-command.ts');
    return explainCommand(invocation, output);
  }
  if (invocation.kind === 'lint') {
    const { lintCommand } = await import('./lint-command.ts');
    return lintCommand(invocation, output);
  }
  const { checkCommand } = await import('./check-command.ts');
  return checkCommand(invocation, output);
}

function explain(error: Error): string {
  if (error instanceof OperationsProblem) return `${error.code}: ${printable(error.message)}`;
  return printableFailure(error);
}

/** Problems of files that were given, and files that can't be read or written. */
function isExpected(error: unknown): error is Error {
  return (
    error instanceof FileProblems ||
    error instanceof ConfigError ||
    error instanceof BaseUnavailable ||
    error instanceof RegistryError ||
    error instanceof OperationsProblem ||
    isInvalidSupergraph(error) ||
    (error instanceof Error && 'syscall' in error)
  );
}
