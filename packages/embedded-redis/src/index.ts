export {
  findRedisProgram,
  startRedisServer,
  type RedisProgram,
  type RedisServer,
  type RedisServerOptions,
} from './redis-server-process.ts';
export { startEmbeddedRedis, type EmbeddedRedis, type EmbeddedRedisOptions } from './start-embedded-redis.ts';
