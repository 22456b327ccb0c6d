export { variables as environmentTable } from './config.ts';
export { commentDocuments } from './indexing/comment-documents.ts';
export type { Documents } from './indexing/document-table.ts';
export { postDocuments } from './indexing/post-documents.ts';
export { userDocuments } from './indexing/user-documents.ts';
export { search } from './program.ts';
export { runSearchCommand } from './rebuild.ts';
export { buildServer } from './server.ts';
