import { runDeployable } from '@trellis/deployable';
import { posts } from './program.ts';

await runDeployable(posts, process.env);
