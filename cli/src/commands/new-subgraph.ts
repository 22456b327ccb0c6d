import { SupergraphConfigError } from '@trellis/composition';
import { Command } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import { SubgraphRejected, writeNewSubgraph } from '../new-subgraph/new-subgraph.ts';
import { ownVersion } from '../own-version.ts';
import { pageLink } from '../terminal/index.ts';

interface NewSubgraphFlags {
  readonly type?: string;
  readonly port?: string;
  readonly folder?: string;
}

/** `trellis new-subgraph`: the files of a subgraph that compiles, runs and joins a graph. */
export function newSubgraphCommand(): CliCommand {
  const command = new Command('new-subgraph')
    .description(
      'Writes a subgraph: schema, table, resolvers, program. In the repository it joins supergraph.yaml.',
    )
    .argument('<NAME>', 'small letters, digits and _')
    .option('--type <TYPE>', 'its entity; default: made from the name, likes → Like')
    .option('--port <N>', 'where it listens; default: 4021')
    .option('--folder <FOLDER>', 'absent or empty; default: services/NAME in the repository, NAME elsewhere')
    .action((name: string, flags: NewSubgraphFlags) => run(name, flags));
  return { command };
}

async function run(name: string, { type, port, folder }: NewSubgraphFlags): Promise<void> {
  try {
    const { folder: written, isJoined } = await writeNewSubgraph({
      name,
      type,
      folder,
      port: port === undefined ? undefined : Number(port),
      directory: process.cwd(),
      version: ownVersion(),
    });
    const next = isJoined
      ? `It joined supergraph.yaml. Next: npx pnpm install, then the steps of ${pageLink({ page: 'add-a-subgraph.md' })}`
      : `Next: cd ${written} && npm install && npm test && npm run build && DATABASE_URL=… npm start`;
    process.stdout.write(`${written} is written. ${next}\n`);
  } catch (error) {
    const isExpected =
      error instanceof SubgraphRejected || error instanceof SupergraphConfigError || isOfFiles(error);
    if (!isExpected) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

function isOfFiles(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}
