import { Command } from 'commander';
import { asStep } from '../supergraph/output.ts';
import { standardOutput } from '../supergraph/standard-output.ts';
import type { CliCommand } from '../cli-command.ts';
import { collectGarbage } from '../publish/collect-garbage.ts';
import { createKeyCommand, initializeRegistry, replaceKeysCommand } from '../publish/key-commands.ts';
import { promoteCommand, rollbackCommand } from '../publish/move-commands.ts';
import { publishCommand } from '../publish/publish-command.ts';
import { diffCommand, historyCommand, statusCommand, verifyCommand } from '../publish/read-commands.ts';
import { onStopSignal } from '@trellis/runtime';
import { RegistryError, registryErrors } from '@trellis/registry';
import { serveRegistry, type ServeOptions } from '../registry-server/serve-registry.ts';
import { runRegistryAction, type RegistryAction } from '../publish/run-command.ts';

/** `trellis publish`. */
export function publishingCommand(): CliCommand {
  const command = ofGraph(new Command('publish'))
    .description('Composes, checks against what the graph is now, and appends a release to its log.')
    .option('--subgraph <NAME>', 'the subgraph that changes')
    .option('--schema <FILE>', 'its own schema')
    .option('--routing-url <URL>', 'where gateways send its requests; default: as published before')
    .option('--version <TEXT>', 'what its team calls this version')
    .option('--commit <SHA>', 'default: the one that CI names')
    .option('--remove', 'the subgraph leaves the graph')
    .option('--config <FILE>', 'a supergraph.yaml: all of its subgraphs at once')
    .option('--operations <FILE>', 'recorded operations: only what they use breaks; may be repeated', collect)
    .option('--limits <FILE>', 'the gateway.yaml in force')
    .option('--approvals <FILE>', 'default: checks.yaml beside the configuration');
  return { command: runs(signing(running(command)), publishCommand) };
}

/** `trellis history`. */
export function logCommand(): CliCommand {
  const command = ofGraph(new Command('history'))
    .description('Lists the log of a graph, the newest record first.')
    .option('--limit <N>', 'how many; default: 50');
  return { command: runs(command, historyCommand) };
}

/** `trellis diff`. */
export function differenceCommand(): CliCommand {
  const command = ofGraph(new Command('diff'))
    .description('Shows what changes from one record to another, as a check says it.')
    .option('--from <SEQUENCE>', 'default: the record before')
    .option('--to <SEQUENCE>', 'default: the newest record');
  return { command: runs(command, diffCommand) };
}

/** `trellis rollback`. */
export function returningCommand(): CliCommand {
  const command = ofGraph(new Command('rollback'))
    .description('Serves an older release again, if the subgraphs that run still serve it.')
    .option('--to <SEQUENCE>', 'default: the release before');
  return { command: runs(signing(running(command)), rollbackCommand) };
}

/** `trellis promote`. */
export function promotionCommand(): CliCommand {
  const command = ofGraph(new Command('promote'))
    .description('Serves what one environment serves in another: promote content@staging content@production.')
    .argument('<FROM>', 'GRAPH@ENVIRONMENT, or an environment of --graph')
    .argument('<TO>', 'the same')
    .option('--operations <FILE>', 'recorded operations; may be repeated', collect);
  signing(running(command)).action((from: string, to: string, options: object) =>
    run(promoteCommand, { ...options, from, to }),
  );
  return { command };
}

/** `trellis verify`. */
export function verificationCommand(): CliCommand {
  const command = ofGraph(new Command('verify')).description(
    'Verifies signatures, chain and texts of a log, or of all logs without --graph.',
  );
  return { command: runs(command, verifyCommand) };
}

/** `trellis status`. */
export function environmentsCommand(): CliCommand {
  const command = ofRegistry(new Command('status')).description('Lists what each environment serves.');
  return { command: runs(command, statusCommand) };
}

/** `trellis registry`. */
export function registryCommand(): CliCommand {
  const command = new Command('registry').description('Makes and cleans registries.');
  runs(
    ofRegistry(command.command('init').description('makes an empty registry of a folder')),
    initializeRegistry,
  );
  const gc = ofRegistry(command.command('gc').description('deletes texts that no record names'))
    .option('--older-than <HOURS>', 'default: 24')
    .option('--dry-run', 'only counts them');
  runs(gc, collectGarbage);
  const serve = command
    .command('serve')
    .description('serves a registry over HTTP: PostgreSQL at DATABASE_URL, signed with TRELLIS_SIGNING_KEY')
    .exitOverride()
    .option('--port <N>', 'default: 4050')
    .option('--host <HOST>', 'default: 127.0.0.1')
    .option('--issuer <URL>', 'the auth-server whose tokens count; default: TRELLIS_REGISTRY_ISSUER')
    .option('--audience <URI>', 'what tokens have to be for; default: TRELLIS_REGISTRY_AUDIENCE')
    .option('--operations <FILE>', 'recorded operations that checks go by; may be repeated', collect);
  serve.action(serveUntilStopped);
  return { command };
}

/** `trellis keys`. */
export function keysCommand(): CliCommand {
  const command = new Command('keys').description('Makes and replaces the keys that sign records.');
  const create = withOutput(
    command.command('new').description('prints a new signing key, and the trust in it'),
  );
  runs(create.option('--file <FILE>', 'takes the private part; only the trust is printed'), createKeyCommand);
  const replace = ofGraph(
    command.command('replace').description('names the keys that sign from the next record on'),
  );
  runs(signing(replace.requiredOption('--with <FILE>', 'a JWK set of public keys')), replaceKeysCommand);
  return { command };
}

async function serveUntilStopped(options: ServeOptions): Promise<void> {
  try {
    const { url, close } = await serveRegistry(options, process.env);
    process.stdout.write(`The registry listens at ${url}.\n`);
    onStopSignal(() => void close(), { endsWithParent: process.env['npm_lifecycle_event'] !== undefined });
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    process.stderr.write(`${error.code}: ${error.message}\n`);
    process.exitCode = registryErrors[error.code].exit;
  }
}

function ofRegistry(command: Command): Command {
  return withOutput(
    command
      .option('--registry <FOLDER>', 'default: TRELLIS_REGISTRY')
      .option('--trust <FILE>', 'JWK set of the keys that sign; default: TRELLIS_REGISTRY_TRUST'),
  ).option('--key <FILE>', 'private JWK that signs; default: TRELLIS_SIGNING_KEY');
}

function ofGraph(command: Command): Command {
  return ofRegistry(command.option('--graph <NAME@ENVIRONMENT>', 'default: TRELLIS_GRAPH'));
}

function withOutput(command: Command): Command {
  return command
    .option('--format <FORM>', 'text, json, junit, github, sarif or markdown; default: text')
    .option('--json', 'the same as --format json')
    .option('--output <FILE>', 'where the result goes; default: the standard output');
}

function signing(command: Command): Command {
  return command.option('--actor <NAME>', 'who does it; default: as CI or the machine says');
}

function running(command: Command): Command {
  return command
    .option('--deployed <NAME=FILE>', 'the schema of a subgraph as it runs; may be repeated', collect)
    .option('--introspect', 'asks subgraphs for the schema that they run with');
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function runs<Options extends object>(command: Command, action: RegistryAction<Options>): Command {
  return command.action((options: Options) => run(action, options));
}

async function run<Options extends object>(action: RegistryAction<Options>, options: Options): Promise<void> {
  const output = standardOutput();
  const chosen = 'json' in options && options.json === true ? { ...options, format: 'json' } : options;
  process.exitCode = await asStep(output, 'Working with the registry', () =>
    runRegistryAction(action, chosen, process.env, output),
  );
}
