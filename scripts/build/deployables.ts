import { programs } from 'trellis/programs';

/** The folders of what runs as a process of its own: `node <folder>/dist/main.js`. */
export const deployableFolders: readonly string[] = programs.map(({ directory }) => directory);
