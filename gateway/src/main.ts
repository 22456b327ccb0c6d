import { runDeployable } from '@trellis/deployable';
import { gateway } from './app/gateway.ts';

await runDeployable(gateway, process.env);
