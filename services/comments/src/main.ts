import { runDeployable } from '@trellis/deployable';
import { comments } from './program.ts';

await runDeployable(comments, process.env);
