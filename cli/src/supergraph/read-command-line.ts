import type { parseArgs } from 'node:util';
import {
  composersChoices,
  isReportForm,
  reportForms,
  type Composers,
  type ReportForm,
} from '@trellis/composition';
import { didYouMean, parseFlags } from '@trellis/runtime/parse-flags';
import { commandOptions, isCommand, options } from './command-options.ts';

/** A graph in a registry. */
export interface NamedGraph {
  readonly graph: string;
  readonly registry?: string;
  readonly trust?: string;
}

/** What both commands compose. */
export interface ComposedInput {
  readonly config: string;
  /** Whose subgraphs are composed, in the place of those of the configuration. */
  readonly published?: NamedGraph | undefined;
  readonly format: ReportForm;
  /** Absent: the standard output. */
  readonly output: string | undefined;
  /** Who composes; Apollo's composer alone where a command does not say. */
  readonly composers?: Composers | undefined;
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
  /** What it is compared with; the name of {@link CheckCall.base} where that is given. */
  readonly against: string;
  readonly base?: NamedGraph | undefined;
  readonly operations: readonly string[];
  /** The `gateway.yaml` in force. */
  readonly limits: string | undefined;
  /** The one in force before. @default the same */
  readonly limitsAgainst: string | undefined;
  readonly approvals: string | undefined;
}

/** A call of `lint`. */
export interface LintCall extends ComposedInput {
  readonly kind: 'lint';
  readonly limits: string | undefined;
}

/** A call of `explain`. */
export interface ExplainCall {
  readonly kind: 'explain';
  /** The file of the operation. */
  readonly operation: string;
  /** The supergraph, as `check` takes it. */
  readonly against: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, number>>;
  readonly limits: string | undefined;
  readonly format: 'text' | 'json' | 'svg';
  readonly output: string | undefined;
}

/** A command line, read. */
export type Invocation =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string }
  | ComposeCall
  | CheckCall
  | LintCall
  | ExplainCall;

/** Reads a command line. Nothing here throws: what is wrong is a result. */
export function readCommandLine(args: readonly string[]): Invocation {
  try {
    const { values, positionals } = parseFlags({ args: [...args], allowPositionals: true, options });
    if (values.help || positionals[0] === 'help') return { kind: 'help' };
    return toInvocation(positionals, values.json ? { ...values, format: 'json' } : values);
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

function toInvocation(positionals: readonly string[], values: Values): Invocation {
  const [command, ...rest] = positionals;
  if (!isCommand(command))
    return wrong(
      command === undefined
        ? 'Say compose, check, lint or explain.'
        : `There is no command "${command}".${didYouMean(command, Object.keys(commandOptions))}`,
    );
  const unexpected = rest[command === 'explain' ? 1 : 0];
  if (unexpected !== undefined) return wrong(`"${unexpected}" is one argument too many.`);
  const surplus = Object.keys(values).find((name) => !commandOptions[command].includes(name));
  if (surplus !== undefined) return wrong(`${command} takes no --${surplus}.`);
  if (command === 'explain') return toExplain(rest[0], values);
  const composers = composersChoices.find((choice) => choice === (values.composers ?? 'both'));
  if (!composers) return wrong(`--composers is one of ${composersChoices.join(', ')}.`);
  const read = readInput(values);
  if ('problem' in read) return wrong(read.problem);
  const input = { ...read, composers };
  if (command === 'lint') return { kind: 'lint', ...input, limits: values.limits };
  const base = namedGraph(values);
  if (!base && (values.registry ?? values.trust) !== undefined)
    return wrong('--registry and --trust go with --graph NAME@ENVIRONMENT.');
  return command === 'compose'
    ? { kind: 'compose', ...input, published: base, release: values.release }
    : toCheck(values, input, base);
}

function toExplain(operation: string | undefined, values: Values): Invocation {
  const { format, supergraph, limits, output, variable = [] } = values;
  if (operation === undefined) return wrong('explain needs the file of an operation.');
  if (supergraph === undefined) return wrong('explain needs --supergraph FILE.');
  if (format !== 'text' && format !== 'json' && format !== 'svg')
    return wrong('--format is one of text, json, svg.');
  const variables = variable.map((text) => /^(\w+)=(\d+)$/.exec(text));
  if (variables.includes(null)) return wrong('--variable is NAME=NUMBER: how long a list is asked for.');
  return {
    kind: 'explain',
    operation,
    against: supergraph,
    operationName: values['operation-name'],
    variables: Object.fromEntries(variables.map((match) => [match?.[1], Number(match?.[2])])),
    limits,
    format,
    output,
  };
}

/** With a graph of a registry, one subgraph on the command line takes its place among those that were published. */
function toCheck(values: Values, input: ComposedInput, base: NamedGraph | undefined): Invocation {
  const { operations = [], limits, approvals } = values;
  const against = values.against ?? base?.graph;
  if (against === undefined) return wrong('check needs --against FILE, or --graph NAME@ENVIRONMENT.');
  if (base && values.against !== undefined) return wrong('Say either --against or --graph.');
  return {
    kind: 'check',
    ...input,
    published: input.subgraph && base,
    base,
    against,
    operations,
    limits,
    limitsAgainst: values['limits-against'],
    approvals,
  };
}

function namedGraph({ graph, registry, trust }: Values): NamedGraph | undefined {
  if (graph === undefined) return undefined;
  return { graph, ...(registry !== undefined && { registry }), ...(trust !== undefined && { trust }) };
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
