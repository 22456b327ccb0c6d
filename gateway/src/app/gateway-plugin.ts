import {
  createLogger,
  createMetrics,
  passWebSocketRequests,
  rejectAmbiguousRequests,
  type Environment,
  type Logger,
  type Metrics,
} from '@trellis/runtime';
import type { FastifyPluginAsync } from 'fastify';
import { readGatewayConfig } from '../config/config.ts';
import { openGateway } from './open-gateway.ts';
import { GRAPHQL_PATH, prepareServing, serveGraph } from './serve-graph.ts';

/** Settings of {@link gatewayPlugin}. */
export interface GatewayPluginOptions {
  /** A path, an http(s) address, or running subgraphs, as SUPERGRAPH has it. @default that variable */
  readonly supergraph?: string;
  /** The path of a gateway.yaml. @default CONFIG of the environment */
  readonly config?: string;
  /**
   * The variables of docs/configuration/gateway.md, often `process.env`. Those of a process have no effect: the server, its address,
   * its processes.
   *
   * @default none
   */
  readonly environment?: Environment;
  /** @default a logger of its own, which writes JSON lines to standard output */
  readonly logger?: Logger;
  /** Where its metrics are registered. @default a registry of its own, which is not read */
  readonly metrics?: Metrics;
}

/**
 * The gateway as a plugin of Fastify 5, in a server with routes of its own: it serves the graph at `/graphql`, and closes with the
 * server. Nothing outside of it changes: its hooks are in a scope of their own. Register it without a prefix, as the addresses of
 * metadata are at the root (RFC 8615).
 *
 * The server is the host's, and so are its time-outs, its TLS, and which proxies it trusts; `@fastify/websocket`, which takes every
 * WebSocket of a server, can't be beside it. Conveniences of development (pages of loopback origins) are off, as it can't know where
 * the server listens.
 *
 * @throws ConfigError with all that is wrong with the configuration; StartupError where the supergraph can't be served
 */
export const gatewayPlugin: FastifyPluginAsync<GatewayPluginOptions> = async (server, options) => {
  if (server.prefix !== '') throw new Error('Register the gateway without a prefix.');
  const config = readGatewayConfig(environmentOf(options));
  const { logger = createLogger({ service: 'gateway', level: config.LOG_LEVEL }) } = options;
  const gateway = await openGateway(config, { logger, metrics: options.metrics ?? createMetrics('gateway') });
  rejectAmbiguousRequests(server);
  passWebSocketRequests(server.server, GRAPHQL_PATH);
  serveGraph(server, gateway.serving, prepareServing(gateway.serving));
  server.addHook('preClose', async () => gateway.stop());
  server.addHook('onClose', () => gateway.close());
};

/** With the prefix, so that what is given here wins over every variable. */
function environmentOf({ supergraph, config, environment }: GatewayPluginOptions): Environment {
  return {
    ...environment,
    ...(supergraph !== undefined && { GATEWAY_SUPERGRAPH: supergraph }),
    ...(config !== undefined && { GATEWAY_CONFIG: config }),
    GATEWAY_HOST: '0.0.0.0',
    GATEWAY_WORKERS: '1',
  };
}
