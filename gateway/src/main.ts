import { runDeployable } from '@trellis/runtime';
import { gateway } from './app/gateway.ts';

await runDeployable(gateway, process.env);
