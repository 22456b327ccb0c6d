export { freePort, freePorts } from '@trellis/dev-stores';
export { cpuTimeOf, latencyBudgetMs } from './latency-budget.ts';
export { canMirrorRedis, startMirroredRedis, type MirroredRedis } from './mirrored-redis.ts';
export { partOfCommit, type ProofPart } from './part-of-commit.ts';
export {
  proof,
  proofEnvironment,
  readProofOptions,
  type Proof,
  type ProofOptions,
  type ProofOutcome,
} from './proof.ts';
export { programArguments, programBuild, PROGRAMS_VARIABLE } from './program-arguments.ts';
export {
  createAuthority,
  type CertificateSubject,
  type TestAuthority,
  type TestCertificate,
} from './test-authority.ts';
export { createTemporaryDirectory, type TemporaryDirectory } from './temporary-directory.ts';
export { createTestDatabase, prepareTestTemplate, type TestDatabase } from './test-database.ts';
export { hasObjectStore, startTestObjectStore, type TestObjectStore } from './test-object-store.ts';
export { describeTestRedis, startTestRedis, type TestRedis } from './test-redis.ts';
export { startTestRedisCluster, type TestRedisCluster } from './test-redis-cluster.ts';
export { startSentinelRedis, type SentinelRedis } from './test-sentinel-redis.ts';
export { hasPgBouncer, startTestPgBouncer, type TestPgBouncer } from './test-pgbouncer.ts';
export { startTestReplicatedPostgres, type TestReplicatedPostgres } from './test-replica.ts';
export { createTestUserContext, type TestUserContext } from './test-user-context.ts';
export { until } from './until.ts';
