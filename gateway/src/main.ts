import { runDeployable } from '@trellis/deployable';
import { gateway } from './gateway.ts';

await runDeployable(gateway, process.env);
