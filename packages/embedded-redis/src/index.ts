export {
  findRedisProgram,
  startRedisServer,
  type RedisProgram,
  type RedisServer,
  type RedisServerOptions,
} from './redis-server-process.ts';
