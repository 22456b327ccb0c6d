import { runDeployable } from '@trellis/deployable';
import { authServer } from './auth-server.ts';

await runDeployable(authServer, process.env);
