import type { DeployableProgram, Logger, Metrics, OperationsRoutes } from '@trellis/runtime';
import { readGatewayConfig, type GatewayConfig } from '../config/config.ts';
import { chooseTexts } from '../http/pages/page-texts.ts';
import { renderState } from '../http/pages/state-page.ts';
import { openCacheOperations } from './redis-resources.ts';
import { startGateway } from './start-gateway.ts';
import { startWorkers } from './worker-pool.ts';

/** The gateway as a deployable: it serves the graph of the supergraph that SUPERGRAPH names. */
export const gateway: DeployableProgram<GatewayConfig> = {
  service: 'gateway',
  readConfig: readGatewayConfig,
  start: (config, resources) =>
    config.WORKERS > 1 ? startWorkers(config, resources) : startGateway(config, resources),
  operations: openOperations,
};

/** What operators find at the operations port beside `/metrics`: a page of the gateway's state, and the response cache. */
function openOperations(config: GatewayConfig, logger: Logger, metrics: Metrics): OperationsRoutes {
  const cache = openCacheOperations(config, logger);
  return {
    secrets: cache?.secrets,
    add: (server) => {
      cache?.add(server);
      server.get('/gateway', async (request, reply) => {
        const texts = chooseTexts(request.headers['accept-language']);
        const { text, headers } = await renderState(metrics, texts);
        return reply.headers(headers).send(text);
      });
    },
    close: () => cache?.close(),
  };
}
