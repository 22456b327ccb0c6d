import { runDeployable } from '@trellis/runtime';
import { posts } from './program.ts';

await runDeployable(posts, process.env);
