import { runDeployable } from '@trellis/runtime';
import { users } from './program.ts';

await runDeployable(users, process.env);
