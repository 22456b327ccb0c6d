export { createPool, type Pool, type PoolOptions } from './pool.ts';
export { migrate, type LibraryMigrations, type MigrateOptions } from './migrate.ts';
export { inTransaction, type Transaction } from './transaction.ts';
