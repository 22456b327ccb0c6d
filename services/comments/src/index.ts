export { comments } from './program.ts';
export { variables as environmentTable } from './config.ts';
export { buildServer } from './server.ts';
export { createCommentStore } from './comment-store.ts';
