import { Command } from 'commander';
import { asStep } from '../supergraph/output.ts';
import { standardOutput } from '../supergraph/standard-output.ts';
import { composersOption } from './composers-option.ts';
import type { CliCommand } from '../cli-command.ts';
import { commandEnvironment } from '../command-environment.ts';
import { collectGarbage } from '../publish/collect-garbage.ts';
import { createKeyCommand, initializeRegistry, replaceKeysCommand } from '../publish/key-commands.ts';
import { promoteCommand, rollbackCommand } from '../publish/move-commands.ts';
import { publishCommand } from '../publish/publish-command.ts';
import { previewTokenCommand } from '../publish/preview-token.ts';
import { diffCommand, historyCommand } from '../publish/history-commands.ts';
import { verifyCommand } from '../publish/verify-command.ts';
import { statusCommand } from '../publish/status-command.ts';
import { removeVariantCommand, setVariantCommand } from '../publish/variant-commands.ts';
import { createLogger, endOnUnhandledError, onStopSignal } from '@trellis/runtime';
import { RegistryError, registryErrors } from '@trellis/registry';
import { serveRegistry, type ServeOptions } from '../registry-server/serve-registry.ts';
import { runRegistryAction, type RegistryAction } from '../publish/run-registry-action.ts';

/** `trellis publish`. */
export function publishingCommand(): CliCommand {
  const command = ofGraph(new Command('publish'))
    .description('Composes, checks against what the graph is now, and appends a release to its log.')
    .option('--subgraph <NAME>', 'the subgraph that changes')
    .option('--schema <FILE>', 'its own schema')
    .option('--routing-url <URL>', 'where gateways send its requests; default: as published before')
    .option('--subscription-url <URL>', 'where gateways subscribe; default: as before, else as for queries')
    .option('--subscription-protocol <NAME>', 'auto, websocket, sse, multipart or callback')
    .option('--version <TEXT>', 'what its team calls this version')
    .option('--commit <SHA>', 'default: the one that CI names')
    .option('--contract <NAME>', 'the contract that changes')
    .option('--include <TAG>', 'it shows only what has one of these tags; may be repeated', collect)
    .option('--exclude <TAG>', 'it hides what has one of these tags; may be repeated', collect)
    .option('--remove', 'the subgraph leaves the graph, or the contract ends')
    .option('--config <FILE>', 'a supergraph.yaml: all of its subgraphs at once, and its contracts')
    .option('--operations <FILE>', 'recorded operations: only what they use breaks; may be repeated', collect)
    .option('--limits <FILE>', 'the gateway.yaml in force')
    .option('--approvals <FILE>', 'default: checks.yaml beside the configuration')
    .addOption(composersOption('both; over HTTP as the registry does'));
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
    .option('--operations <FILE>', 'recorded operations; may be repeated', collect)
    .option('--limits <FILE>', 'the gateway.yaml in force where it goes')
    .option('--approvals <FILE>', 'default: checks.yaml in this folder');
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
  const command = ofRegistry(new Command('status'))
    .description('Lists what each environment serves, and what gateways serve of it.')
    .option('--gateway <URL>', 'asked at /health/ready which record it serves; may be repeated', collect);
  return { command: runs(command, statusCommand) };
}

/** `trellis variant`. */
export function variantCommand(): CliCommand {
  const command = new Command('variant').description(
    'Serves another release to some of the requests: canaries, previews, features.',
  );
  const set = ofGraph(command.command('set').description('starts a variant, or changes it'))
    .argument('<NAME>', 'canary, preview-123')
    .option('--from <ENVIRONMENT>', 'whose newest release it serves; default: the release that it has')
    .option('--percent <N>', 'of callers, by chance')
    .option('--aborts', 'gateways stop it when it is worse than the main version; with --percent')
    .option('--host <HOST>', 'requests to this host')
    .option('--claim <NAME=VALUE>', 'callers whose access token has the value')
    .option('--header <NAME=VALUE>', 'requests with this header, or with a preview token in it')
    .option('--client <ID>', 'an OAuth client that may send the header; may be repeated', collect)
    .option('--limits <FILE>', 'the gateway.yaml in force')
    .option('--approvals <FILE>', 'default: checks.yaml in this folder');
  signing(set).action((name: string, options: object) => run(setVariantCommand, { ...options, name }));
  const remove = ofGraph(command.command('remove').description('ends a variant')).argument('<NAME>');
  signing(remove).action((name: string, options: object) => run(removeVariantCommand, { ...options, name }));
  const token = withOutput(command.command('token').description('prints a preview token of a variant'))
    .argument('<NAME>')
    .option('--graph <NAME@ENVIRONMENT>', 'default: TRELLIS_GRAPH')
    .option(
      '--preview-key <FILE>',
      'private JWK whose public part is in registry.previewKeys; default: TRELLIS_PREVIEW_KEY',
    )
    .option('--hours <N>', 'how long it holds; default: 8');
  token.action((name: string, options: object) => run(previewTokenCommand, { ...options, name }));
  return { command };
}

/** `trellis registry`. */
export function registryCommand(): CliCommand {
  const command = new Command('registry').description('Makes and cleans registries.');
  runs(
    ofRegistry(command.command('init').description('makes an empty registry of a place')),
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
    .option(
      '--public-url <URL>',
      'where clients reach it, behind TLS; default: TRELLIS_REGISTRY_PUBLIC_URL, or as requests say',
    )
    .option(
      '--revocation-seconds <N>',
      'a revoked token is noticed within so many; off: when it expires; default: TRELLIS_REGISTRY_REVOCATION_S, or 10',
    )
    .option(
      '--bound-tokens <WORD>',
      'required: changes take only tokens that are bound to a key (DPoP); off: all; default: TRELLIS_REGISTRY_BOUND_TOKENS, or required',
    )
    .option(
      '--operations <FILE>',
      'recorded operations that checks go by, or the database with them; may be repeated',
      collect,
    )
    .option('--limits <FILE>', 'the gateway.yaml that checks go by')
    .addOption(composersOption());
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
    const { url, close } = await serveRegistry(options, commandEnvironment());
    endOnUnhandledError(createLogger({ service: 'registry' }), close);
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
      .option('--registry <PLACE>', 'a folder, or an address; default: TRELLIS_REGISTRY')
      .option('--trust <FILE>', 'JWK set of the keys that sign; default: TRELLIS_REGISTRY_TRUST'),
  ).option('--key <FILE>', 'private JWK that signs, or several; default: TRELLIS_SIGNING_KEY');
}

function ofGraph(command: Command): Command {
  return ofRegistry(command.option('--graph <NAME@ENVIRONMENT>', 'default: TRELLIS_GRAPH'));
}

function withOutput(command: Command): Command {
  return command
    .option('--format <FORM>', 'text, json, junit, github, sarif, markdown, html or svg; default: text')
    .option('--json', 'the same as --format json')
    .option('--output <FILE>', 'where the result goes; default: the standard output');
}

function signing(command: Command): Command {
  return command.option('--actor <NAME>', 'who does it; default: as CI or the machine says');
}

function running(command: Command): Command {
  return command
    .option('--deployed <NAME=FILE>', 'the schema of a subgraph as it runs; may be repeated', collect)
    .option('--introspect', 'asks the other subgraphs for the schemas that they run with')
    .option(
      '--header <NAME=VALUE>',
      'sent to --introspect-origins with what is asked; may be repeated',
      collect,
    )
    .option(
      '--introspect-origins <ORIGINS>',
      'https://a.example,…: who gets --header and the secret; default: TRELLIS_INTROSPECT_ORIGINS, none',
    );
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
    runRegistryAction(action, chosen, commandEnvironment(), output),
  );
}
