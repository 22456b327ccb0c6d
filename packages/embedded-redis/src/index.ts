export {
  findRedisProgram,
  startRedisServer,
  type RedisProgram,
  type RedisServer,
  type RedisServerOptions,
} from './redis-server-process.ts';
export {
  startInProcessRedis,
  type InProcessRedis,
  type InProcessRedisOptions,
} from './server/in-process-redis.ts';
export { startEmbeddedRedis, type EmbeddedRedis, type EmbeddedRedisOptions } from './start-embedded-redis.ts';
