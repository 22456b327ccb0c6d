export { variables as environmentTable } from './config.ts';
export { posts } from './program.ts';
export { buildServer } from './server.ts';
export { createPostStore } from './post-store.ts';
