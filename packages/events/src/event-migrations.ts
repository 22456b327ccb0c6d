import type { LibraryMigrations } from '@trellis/postgres';

/** Creates the outbox and the tables of consumers in the schema of a service; adopts them where the service made them itself. */
export const eventMigrations: LibraryMigrations = {
  name: 'events',
  directory: new URL('../migrations/', import.meta.url),
};
