export { findRedisProgram, type RedisProgram } from './redis-server-process.ts';
export { startEmbeddedRedis, type EmbeddedRedis, type EmbeddedRedisOptions } from './start-embedded-redis.ts';
