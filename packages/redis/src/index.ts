export { connectRedis, getTogether, type RedisConnection, type RedisOptions } from './connection.ts';
export { defineScript, type Script } from './script.ts';
