import { join } from 'node:path';
import { freePort } from '@trellis/dev-stores';
import { FileProblems } from '@trellis/composition';
import { Command, Option } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { standardOutput } from '../supergraph/standard-output.ts';
import { writeProblems } from '../supergraph/write-problems.ts';
import { DevCallProblem, MOCK_ALL, readDevCall, type DevFlags } from '../development/dev-call.ts';
import { followRest, rejectUnknownMocks } from '../development/follow-rest.ts';
import { environmentTable, readDataDirectory } from '../platform/environment-table.ts';
import { openDeveloperKey } from '../development/developer-key.ts';
import { runDevelopment } from '../development/run-development.ts';

/** `trellis dev`: a developer's subgraphs beside the rest of a graph. */
export function devCommand(): CliCommand {
  const command = new Command('dev')
    .description(
      'Serves your subgraphs beside the rest of a graph, and follows each save.\n' +
        'After -- stands the command that runs your subgraph; PORT says where it is to listen.',
    )
    .argument(
      '[command...]',
      'starts your subgraph, as in: trellis dev --subgraph posts=schema.graphql -- npm start',
    )
    .option(
      '--subgraph <NAME=FILE|URL>',
      'your subgraph: the file of its schema, or where it runs; may be repeated',
      collect,
    )
    .option('--url <NAME=URL>', 'where the subgraph of a file runs; may be repeated', collect)
    .option(
      '--rest <FILE|URL|GRAPH@ENVIRONMENT>',
      'the rest of the graph: a supergraph, a release, a supergraph.yaml',
    )
    .option('--registry <FOLDER>', 'where GRAPH@ENVIRONMENT is; default: TRELLIS_REGISTRY')
    .option(
      '--trust <FILE>',
      'public keys of the registry, a JSON Web Key Set; default: TRELLIS_REGISTRY_TRUST',
    )
    .addOption(
      new Option('--mock [NAME]', 'answers for a subgraph of the rest, or for all; may be repeated')
        .preset(MOCK_ALL)
        .argParser(collect),
    )
    .option('--stores', 'runs PostgreSQL and Redis for your command: DATABASE_URL, REDIS_URL')
    .option('--port <N>', 'port of the graph; default: 4000')
    .option('--config <FILE>', 'settings, as in gateway.yaml')
    .option(
      '--key <FILE>',
      `your own key, made the first time; default: developer-key.json in DATA_DIR, or ${environmentTable.DATA_DIR.default}`,
    )
    .option('--print-key', 'prints what operators put into USER_CONTEXT_DEVELOPER_JWKS, and ends')
    .passThroughOptions()
    .action((args: readonly string[], flags: DevFlags) => run(command, args, flags));
  return { command };
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

async function run(command: Command, args: readonly string[], flags: DevFlags): Promise<void> {
  const directory = readDataDirectory(process.env);
  try {
    const key = await openDeveloperKey(flags.key ?? join(directory, 'developer-key.json'));
    if (flags.printKey) return void process.stdout.write(`${key.publicKeys}\n`);
    const call = await readDevCall(flags, args, freePort);
    const rest = flags.rest === undefined ? [] : await followRest(flags.rest, flags);
    await rejectUnknownMocks(call, rest);
    await runDevelopment({ call, flags, key, rest, directory });
  } catch (error) {
    if (error instanceof DevCallProblem) command.error(`error: ${error.message}`);
    if (!(error instanceof FileProblems)) throw error;
    await writeProblems(error, { kind: 'dev', format: 'text' }, standardOutput());
    process.exitCode = 1;
  }
}
