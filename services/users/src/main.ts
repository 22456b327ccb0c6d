import { runDeployable } from '@trellis/deployable';
import { users } from './program.ts';

await runDeployable(users, process.env);
