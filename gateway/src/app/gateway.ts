import type { DeployableProgram } from '@trellis/runtime';
import { readGatewayConfig, type GatewayConfig } from '../config/config.ts';
import { openOperations } from './open-operations.ts';
import { startGateway, type ServingGateway } from './start-gateway.ts';
import { startWorkers } from './worker-pool.ts';

/** The gateway as a deployable: it serves the graph of the supergraph that SUPERGRAPH names. */
export const gateway: DeployableProgram<GatewayConfig, ServingGateway> = {
  service: 'gateway',
  readConfig: readGatewayConfig,
  start: (config, resources) =>
    config.WORKERS > 1 ? startWorkers(config, resources) : startGateway(config, resources),
  operations: openOperations,
};
