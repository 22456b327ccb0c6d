/** The folders of what runs as a process of its own: `node <folder>/dist/main.js`. */
export const deployableFolders: readonly string[] = [
  'gateway',
  'auth-server',
  'services/users',
  'services/posts',
  'services/comments',
  'services/search',
];
