import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startEmbeddedPostgres } from '@trellis/dev-stores';
import { migrate } from '@trellis/postgres';
import { migrateSubgraph } from '@trellis/subgraph-kit';
import { Client } from 'pg';

/** The schema of the tables that libraries make in each subgraph. */
const LIBRARIES = 'libraries';

/** A schema of a package that has several, each with migrations of its own. */
interface PartSchema {
  readonly folder: string;
  readonly schema: string;
  /** The folder of its migrations in that of the package. */
  readonly migrations: string;
  /** Where the files stand whose statements run in it, in the folder of the package. */
  readonly sources: string;
}

/** The command line has the tables of a registry, and those of recorded operations. All other statements of it need no table. */
const partSchemas: readonly PartSchema[] = [
  { folder: 'cli', schema: 'registry', migrations: 'migrations/', sources: 'src/registry-server/' },
  { folder: 'cli', schema: 'recorded_usage', migrations: 'usage-migrations/', sources: 'src/recorded/' },
];

/**
 * The schema in which the statements of a file run.
 *
 * @param folder of its package, relative to the repository
 * @param file relative to the repository
 */
export function schemaOf(folder: string, file: string): string {
  if (folder.startsWith('packages/')) return LIBRARIES;
  const part = partsOf(folder).find(({ sources }) => file.startsWith(`${folder}/${sources}`));
  return part?.schema ?? basename(folder);
}

function partsOf(folder: string): readonly PartSchema[] {
  return partSchemas.filter((part) => part.folder === folder);
}

/** Runs `work` on a PostgreSQL of its own, in which the schema of each package is up to date. */
export async function withSchemas<Result>(
  repository: string,
  folders: readonly string[],
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'trellis-generate-'));
  const postgres = await startEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    durability: 'none',
  });
  try {
    const { connectionString } = postgres;
    for (const folder of folders) await migrateProject(repository, folder, connectionString);
    return await withClient(connectionString, work);
  } finally {
    await postgres.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function migrateProject(repository: string, folder: string, connectionString: string): Promise<void> {
  if (folder.startsWith('packages/')) return migrateLibraries(connectionString);
  const run = folder.startsWith('services/') ? migrateSubgraph : migrate;
  const parts = partsOf(folder);
  const whole = { schema: basename(folder), migrations: 'migrations/' };
  for (const { schema, migrations } of parts.length > 0 ? parts : [whole])
    await run({ connectionString, schema, directory: pathToFileURL(join(repository, folder, migrations)) });
}

/** A subgraph without tables of its own. */
async function migrateLibraries(connectionString: string): Promise<void> {
  const empty = await mkdtemp(join(tmpdir(), 'trellis-no-migrations-'));
  await migrateSubgraph({ connectionString, schema: LIBRARIES, directory: pathToFileURL(`${empty}/`) });
  await rm(empty, { recursive: true });
}

async function withClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString, application_name: 'trellis-generate' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
