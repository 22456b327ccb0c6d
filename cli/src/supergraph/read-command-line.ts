import { parseArgs } from 'node:util';
import { isReportForm, reportForms, type ReportForm } from '@trellis/composition';

/** What both commands compose. */
export interface ComposedInput {
  readonly config: string;
  readonly format: ReportForm;
  /** Absent: the standard output. */
  readonly output: string | undefined;
  /** Takes the place of one subgraph of the configuration, or adds it. */
  readonly subgraph: SubgraphOnCommandLine | undefined;
}

/** `--subgraph posts --schema posts.graphql --routing-url http://…`. */
export interface SubgraphOnCommandLine {
  readonly name: string;
  readonly schema: string;
  readonly routingUrl: string | undefined;
}

/** A call of `compose`. */
export interface ComposeCall extends ComposedInput {
  readonly kind: 'compose';
  /** Where the release goes: the supergraph with each subgraph's own schema. */
  readonly release: string | undefined;
}

/** A call of `check`. */
export interface CheckCall extends ComposedInput {
  readonly kind: 'check';
  readonly against: string;
  readonly operations: readonly string[];
  /** The `gateway.yaml` in force. */
  readonly limits: string | undefined;
  /** The one in force before. @default the same */
  readonly limitsAgainst: string | undefined;
  readonly approvals: string | undefined;
}

/** A command line, read. */
export type Invocation =
  { readonly kind: 'help' } | { readonly kind: 'wrong'; readonly problem: string } | ComposeCall | CheckCall;

const options = {
  config: { type: 'string', default: 'supergraph.yaml' },
  output: { type: 'string' },
  format: { type: 'string', default: 'text' },
  subgraph: { type: 'string' },
  schema: { type: 'string' },
  'routing-url': { type: 'string' },
  release: { type: 'string' },
  against: { type: 'string' },
  operations: { type: 'string', multiple: true },
  limits: { type: 'string' },
  'limits-against': { type: 'string' },
  approvals: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Option = keyof typeof options;

const common: readonly Option[] = ['config', 'output', 'format', 'subgraph', 'schema', 'routing-url', 'help'];

/** The options that each command takes. */
export const commandOptions: Readonly<Record<'compose' | 'check', readonly string[]>> = {
  compose: [...common, 'release'],
  check: [...common, 'against', 'operations', 'limits', 'limits-against', 'approvals'],
};

/** Reads a command line. Nothing here throws: what is wrong is a result. */
export function readCommandLine(args: readonly string[]): Invocation {
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
    return values.help ? { kind: 'help' } : toInvocation(positionals, values);
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

function toInvocation([command, unexpected]: readonly string[], values: Values): Invocation {
  if (unexpected !== undefined) return wrong(`"${unexpected}" is one argument too many.`);
  if (command !== 'compose' && command !== 'check')
    return wrong(command === undefined ? 'Say compose or check.' : `There is no command "${command}".`);
  const surplus = Object.keys(values).find((name) => !commandOptions[command].includes(name));
  if (surplus !== undefined) return wrong(`${command} takes no --${surplus}.`);
  const input = readInput(values);
  if ('problem' in input) return wrong(input.problem);
  return command === 'compose'
    ? { kind: 'compose', ...input, release: values.release }
    : toCheck(values, input);
}

function toCheck(values: Values, input: ComposedInput): Invocation {
  const { against, operations = [], limits, approvals } = values;
  if (against === undefined) return wrong('check needs --against FILE.');
  return {
    kind: 'check',
    ...input,
    against,
    operations,
    limits,
    limitsAgainst: values['limits-against'],
    approvals,
  };
}

function readInput(values: Values): ComposedInput | { readonly problem: string } {
  const { config, format, output, subgraph, schema } = values;
  if (!isReportForm(format)) return { problem: `--format is one of ${reportForms.join(', ')}.` };
  const routingUrl = values['routing-url'];
  if (subgraph === undefined) {
    if (schema !== undefined || routingUrl !== undefined)
      return { problem: '--schema and --routing-url go with --subgraph NAME.' };
    return { config, format, output, subgraph: undefined };
  }
  if (schema === undefined) return { problem: '--subgraph NAME needs --schema FILE.' };
  return { config, format, output, subgraph: { name: subgraph, schema, routingUrl } };
}

function wrong(problem: string): Invocation {
  return { kind: 'wrong', problem };
}
