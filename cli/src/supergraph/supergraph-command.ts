import { parseArgs } from 'node:util';
import { SupergraphConfigError } from '@trellis/composition';
import { checkCommand } from './check-command.ts';
import { composeCommand } from './compose-command.ts';
import type { Output } from './output.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 64;

const usage = `Usage:
  npm run supergraph -- compose [--config supergraph.yaml] [--output supergraph.graphql]
      Composes the subgraphs of a configuration in rover's format. Without --output the supergraph goes to the
      standard output; hints and errors go to the standard error, each with file, line and column.
  npm run supergraph -- check --against FILE [--config supergraph.yaml]
      Composes, and compares the API schema with that of FILE, the supergraph before the change. Breaking and
      dangerous changes are listed.

Exit status: 0 all is well (dangerous changes included), 1 it does not compose, a change is breaking, or a file can't be
read or written, 64 the command line is wrong.
`;

/**
 * The program behind `npm run supergraph`.
 *
 * @returns the exit status
 */
export async function runSupergraphCommand(args: readonly string[], output: Output): Promise<number> {
  const invocation = parseInvocation(args);
  if (invocation.kind === 'help') {
    output.out(usage);
    return 0;
  }
  if (invocation.kind === 'wrong') {
    output.error(`${invocation.problem}\n\n${usage}`);
    return EXIT_USAGE;
  }
  try {
    return (await runInvocation(invocation, output)) ? 0 : EXIT_FAILED;
  } catch (error) {
    if (!isExpected(error)) throw error;
    output.error(`${explain(error)}\n`);
    return EXIT_FAILED;
  }
}

type Invocation =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string }
  | { readonly kind: 'compose'; readonly config: string; readonly output: string | undefined }
  | { readonly kind: 'check'; readonly config: string; readonly against: string };

function runInvocation(
  invocation: Extract<Invocation, { kind: 'compose' | 'check' }>,
  output: Output,
): Promise<boolean> {
  if (invocation.kind === 'compose') return composeCommand(invocation.config, invocation.output, output);
  return checkCommand(invocation.config, invocation.against, output);
}

function parseInvocation(args: readonly string[]): Invocation {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        config: { type: 'string', default: 'supergraph.yaml' },
        output: { type: 'string' },
        against: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values.help ? { kind: 'help' } : toInvocation(positionals, values);
  } catch (error) {
    return { kind: 'wrong', problem: error instanceof Error ? error.message : String(error) };
  }
}

interface Values {
  readonly config: string;
  readonly output?: string | undefined;
  readonly against?: string | undefined;
}

function toInvocation(positionals: readonly string[], { config, output, against }: Values): Invocation {
  const [command, unexpected] = positionals;
  const wrong = (problem: string): Invocation => ({ kind: 'wrong', problem });
  if (unexpected !== undefined) return wrong(`"${unexpected}" is one argument too many.`);
  switch (command) {
    case 'compose':
      return against === undefined
        ? { kind: 'compose', config, output }
        : wrong('compose takes no --against.');
    case 'check':
      if (output !== undefined) return wrong('check takes no --output.');
      return against === undefined
        ? wrong('check needs --against FILE.')
        : { kind: 'check', config, against };
    default:
      return wrong(command === undefined ? 'Say compose or check.' : `There is no command "${command}".`);
  }
}

function explain(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return `There is no file or directory for ${error.path ?? 'a name'}.`;
  if (error.code === 'EISDIR') return `${error.path ?? 'What was named'} is a directory, not a file.`;
  return error.message;
}

/** Problems of the configuration, and files that can't be read or written. */
function isExpected(error: unknown): error is Error {
  return error instanceof SupergraphConfigError || (error instanceof Error && 'syscall' in error);
}
