export { becomesReady } from './supervision/become-ready.ts';
export {
  DirectoryInUse,
  lockDirectory,
  ownerOfDirectory,
  type DirectoryLock,
} from './supervision/directory-lock.ts';
export { freePort, freePorts, probePort } from '@trellis/runtime/free-port';
export {
  startGuarded,
  type GuardedProcess,
  type GuardedProcessOptions,
  type ProcessExit,
  type RunAs,
} from './supervision/guarded-process.ts';
export { keepRunning, type KeepRunningOptions, type RunningProcess } from './supervision/keep-running.ts';
export { endLeftovers, type LeftoverOptions } from './supervision/leftovers.ts';
export { startTimeOf } from './supervision/process-identity.ts';
export { EmbeddedPostgresError } from './embedded-postgres/embedded-postgres-error.ts';
export {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  type PostgresStep,
} from './embedded-postgres/start-embedded-postgres.ts';
export { findRedisProgram, type RedisProgram } from './embedded-redis/redis-server-process.ts';
export { findCommand } from './memory-redis/commands/command-table.ts';
export { usesOfRedis, type UsesOfRedis } from './memory-redis/uses-of-redis.ts';
export {
  startEmbeddedRedis,
  type EmbeddedRedis,
  type EmbeddedRedisOptions,
} from './embedded-redis/start-embedded-redis.ts';
