import { eventMigrations } from '@trellis/events';
import {
  describeUnavailableDatabase,
  migrate,
  type LibraryMigrations,
  type MigrateOptions,
} from '@trellis/postgres';
import { StartupError } from '@trellis/runtime';

/** Creates the table of idempotency records in the schema of a subgraph. */
const kitMigrations: LibraryMigrations = {
  name: 'subgraph_kit',
  directory: new URL('../migrations/', import.meta.url),
};

/**
 * Brings the schema of a subgraph up to date: first the tables that publish and consume events and make mutations
 * idempotent, then those of the subgraph's own `directory`.
 *
 * @returns the migrations that ran now
 * @throws StartupError when the database does not answer, else Error as {@link migrate} does
 */
export async function migrateSubgraph(
  options: Pick<MigrateOptions, 'connectionString' | 'schema' | 'directory'>,
): Promise<readonly string[]> {
  try {
    return await migrate({ ...options, libraries: [eventMigrations, kitMigrations] });
  } catch (error) {
    const problem = await describeUnavailableDatabase(options.connectionString);
    throw problem === undefined ? error : new StartupError(problem, { cause: error });
  }
}
