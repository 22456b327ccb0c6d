import { runDeployable } from '@trellis/runtime';
import { comments } from './program.ts';

await runDeployable(comments, process.env);
