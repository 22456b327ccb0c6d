import type { DeployableProgram } from '@trellis/runtime';
import type { AuthServerConfig } from './auth-server-config.ts';
import { readAuthServerConfig } from './config.ts';
import { explainStartFailure } from './explain-start-failure.ts';
import { startAuthServer } from './start.ts';

/** The auth-server, to be run alone or beside others in one process. */
export const authServer: DeployableProgram<AuthServerConfig> = {
  service: 'auth-server',
  readConfig: readAuthServerConfig,
  start: (config, resources) =>
    startAuthServer(config, resources).catch(async (error: unknown) => {
      throw await explainStartFailure(error, config);
    }),
};
