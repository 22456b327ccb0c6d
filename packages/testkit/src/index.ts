export { freePort } from '@trellis/supervision';
export { createTemporaryDirectory, type TemporaryDirectory } from './temporary-directory.ts';
export { createTestDatabase, type TestDatabase } from './test-database.ts';
export { startTestRedis, type TestRedis } from './test-redis.ts';
export { createTestUserContext, type TestUserContext } from './test-user-context.ts';
