import type { Logger, Metrics, OperationsRoutes } from '@trellis/runtime';
import type { GatewayConfig } from '../config/config.ts';
import { renderState } from '../http/pages/state-page.ts';
import { openCacheOperations } from './redis-resources.ts';

/** What operators find at the operations port beside `/metrics`: a page of the gateway's state, and the response cache. */
export function openOperations(config: GatewayConfig, logger: Logger, metrics: Metrics): OperationsRoutes {
  const cache = openCacheOperations(config, logger);
  return {
    secrets: cache?.secrets,
    add: (server) => {
      cache?.add(server);
      server.get('/gateway', async (_request, reply) => {
        const { text, headers } = await renderState(metrics);
        return reply.headers(headers).send(text);
      });
    },
    close: () => cache?.close(),
  };
}
