export { configSchema } from './config.ts';
export { search } from './program.ts';
export { runSearchCommand } from './rebuild.ts';
export { buildServer } from './server.ts';
