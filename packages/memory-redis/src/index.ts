export { startMemoryRedis, type MemoryRedis, type MemoryRedisOptions } from './start-memory-redis.ts';
