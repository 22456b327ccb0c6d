export { configSchema } from './config.ts';
export { users } from './program.ts';
export { buildServer } from './server.ts';
