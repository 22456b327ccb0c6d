export { connectRedis, getTogether, type RedisConnection, type RedisOptions } from './connection.ts';
export { isRedisCluster, problemOfRedisUrl, redisAddresses } from './redis-url.ts';
export { defineItemScript, defineScript, type Script } from './script.ts';
