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

/** The schema in which the statements of a package run. */
export function schemaOf(folder: string): string {
  return folder.startsWith('packages/') ? LIBRARIES : basename(folder);
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
  const schema = schemaOf(folder);
  const directory = pathToFileURL(join(repository, folder, 'migrations/'));
  if (folder.startsWith('services/')) await migrateSubgraph({ connectionString, schema, directory });
  else if (schema !== LIBRARIES) await migrate({ connectionString, schema, directory });
  else await migrateLibraries(connectionString);
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
