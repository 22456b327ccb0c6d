import { eventMigrations } from '@trellis/events';
import { migrate, type LibraryMigrations, type MigrateOptions } from '@trellis/postgres';

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
 * @throws Error as {@link migrate} does
 */
export function migrateSubgraph(
  options: Pick<MigrateOptions, 'connectionString' | 'schema' | 'directory'>,
): Promise<readonly string[]> {
  return migrate({ ...options, libraries: [eventMigrations, kitMigrations] });
}
