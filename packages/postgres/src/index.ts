export { describeUnavailableDatabase } from './describe-unavailable-database.ts';
export { createPool, warnOfLostConnections, type Pool, type PoolOptions } from './pool.ts';
export { migrate, type LibraryMigrations, type MigrateOptions } from './migrate.ts';
export {
  connectReplica,
  type Replica,
  type ReplicaFinding,
  type ReplicaOptions,
  type ReplicaState,
} from './replica.ts';
export { inTransaction, type Transaction } from './transaction.ts';
export { isListedType, type ParametersOf, type StatementDescription } from './sql-types.ts';
export {
  defineStatements,
  execute,
  onlyRow,
  queryChecked,
  queryRows,
  STATEMENTS_DEFINED,
  type Queryable,
  type Statement,
  type StatementRow,
  type StatementsDefined,
} from './statements.ts';
