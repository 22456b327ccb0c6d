export { configSchema } from './config.ts';
export { posts } from './program.ts';
export { buildServer } from './server.ts';
