import { pageLink } from '../terminal/index.ts';
import { commandNames, isCommand, type CommandName } from './command-options.ts';

const usages: Readonly<Record<CommandName, (program: string) => string>> = {
  compose: (
    program,
  ) => `  ${program} compose [--config supergraph.yaml] [--output supergraph.graphql] [--release release.json]
      Composes the subgraphs of a configuration in rover's format. Without --output the supergraph goes to the
      standard output; hints and errors go to the standard error, each with file, line and excerpt. --release writes
      the supergraph with each subgraph's own schema, for later checks.
`,
  check: (
    program,
  ) => `  ${program} check --against BASE [--config supergraph.yaml] [--operations FILE]… [--limits gateway.yaml]
      Composes, and compares with BASE: a supergraph, a release, a configuration, the URL of one of these, or git:REVISION
      (git:REVISION:FILE). Breaking and dangerous changes are listed.
      --operations FILE       operations that clients have sent: only what they use breaks (repeatable)
      --limits FILE           the limits of gateway.yaml that costs are compared with
      --limits-against FILE   the gateway.yaml before the change
      --approvals FILE        approvals, excluded clients and contracts (default: checks.yaml beside the configuration)
`,
  lint: (program) => `  ${program} lint [--config supergraph.yaml] [--limits gateway.yaml]
      Composes, and warns of what only the whole graph shows: unprotected root fields, unresolved keys, unbounded lists.
`,
  explain: (
    program,
  ) => `  ${program} explain OPERATION --supergraph FILE [--operation-name NAME] [--variable NAME=NUMBER]…
      Shows how the gateway would run an operation: requests to subgraphs in their order, cost, and what callers need.
      --limits FILE           the limits of gateway.yaml that costs are compared with
      --format text|json|svg  the form of the plan (default: text)
      --json                  the same as --format json
      --output FILE           where it goes (default: the standard output)
`,
};

const COMMON = `
compose, check and lint take:
  --subgraph NAME --schema FILE [--routing-url URL]   in the place of what the configuration has for NAME
  --format text|json|junit|github|sarif|markdown|html|svg
                                                      the form of the report (default: text); svg: the order of deployment
  --json                                              the same as --format json
  --output FILE                                       where the supergraph, or the report of check, goes
  --composers apollo|guild|both|strict                who composes (default: both, of which Apollo's result is taken; where
                                                      the two differ, both warns, and strict fails)
compose and check take:
  --graph NAME@ENVIRONMENT [--registry FOLDER] [--trust FILE]
      compose: the subgraphs of what is published there, --subgraph in its place; check: what is published there as BASE
`;

const ENDING = `
Exit status: 0 all is well (dangerous changes included), 1 it does not compose, a change is breaking, or a file can't be
read or written, 64 the command line is wrong, 69 the verdict is unknown: recorded operations are incomplete, or BASE is
unreachable, 77 a registry has a record or a text that is not trusted.
`;

/** Help of one command where it is named, of all otherwise. @param program as help names it */
export function usage(program: string, [name = '']: readonly string[]): string {
  const chosen = isCommand(name) ? [name] : commandNames;
  const texts = chosen.map((command) => usages[command](program));
  return `Usage:\n${texts.join('')}${name === 'explain' ? '' : COMMON}${ENDING}\n--help shows this text.\nDocumentation: ${pageLink({ page: 'composition.md' })}\n`;
}

/** Two lines of it: what is wrong stands above, and is not to be hidden by a page of help. */
export function briefUsage(program: string, [name = '']: readonly string[]): string {
  const command = isCommand(name) ? `${program} ${name}` : program;
  return `Usage: ${command} [options]\nHelp: ${command} --help\n`;
}
