export { comments } from './program.ts';
export { configSchema } from './config.ts';
export { buildServer } from './server.ts';
