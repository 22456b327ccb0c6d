export { EmbeddedPostgresError } from './embedded-postgres-error.ts';
export {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  type PostgresStep,
} from './start-embedded-postgres.ts';
