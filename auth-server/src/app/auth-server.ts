import type { DeployableProgram } from '@trellis/runtime';
import type { AuthServerConfig } from './auth-server-config.ts';
import { readAuthServerConfig } from './config.ts';
import { startAuthServer } from './start.ts';

/** The auth-server, to be run alone or beside others in one process. */
export const authServer: DeployableProgram<AuthServerConfig> = {
  service: 'auth-server',
  readConfig: readAuthServerConfig,
  start: startAuthServer,
};
