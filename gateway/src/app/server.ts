import { createHttpServer, setRequestTimeout } from '@trellis/runtime';
import type { FastifyInstance } from 'fastify';
import { createProxyCheck, createProxyTrust } from '../http/message/client-address.ts';
import { answerPreflights } from '../http/message/cross-origin.ts';
import { HttpConnections } from '../http/message/http-connections.ts';
import { connectionRejections, registerConnectionGauge } from '../observability/connection-metrics.ts';
import { explorerOf } from '../http/pages/explorer-routes.ts';
import { addPages, sendMissing } from '../http/pages/page-routes.ts';
import { plainFirst, silentMs } from '../http/fast-path/plain-first.ts';
import {
  GRAPHQL_PATH,
  PLAIN_PATHS,
  prepareServing,
  serveGraph,
  STREAM_PATH,
  type ServerDependencies,
} from './serve-graph.ts';

/** The gateway's HTTP server. It does not listen yet; closing it finishes what is in flight. */
export function buildServer(dependencies: ServerDependencies): FastifyInstance {
  const { logger, settings, services, crossOrigin, hosts, inFlight, issuer, isDevelopment } = dependencies;
  const { timeouts } = settings();
  const serving = prepareServing(dependencies);
  const server = createHttpServer({
    logger,
    readiness: dependencies.readiness,
    healthDetails: () => {
      const { version } = services().supergraphs.current();
      return version === undefined ? {} : { supergraph: version };
    },
    requestTimeoutMs: timeouts.requestMs,
    fastify: {
      trustProxy: createProxyTrust(() => settings().http.trustProxy),
      serverFactory: plainFirst({
        logger,
        connections: openConnections(dependencies),
        inFlight,
        admission: { ...serving.admission, paths: PLAIN_PATHS },
        ...serving.answering,
        crossOrigin,
        hosts,
      }),
    },
  });
  dependencies.follow((changed) => {
    setRequestTimeout(server, changed.timeouts.requestMs);
    server.server.setTimeout(silentMs(changed));
  });
  answerPreflights(server);
  const pages = {
    graphPath: GRAPHQL_PATH,
    streamPath: STREAM_PATH,
    settings,
    services,
    issuer,
    isDevelopment,
  };
  serveGraph(server, dependencies, { ...serving, pageOf: explorerOf(pages) });
  addPages(server, pages);
  server.setNotFoundHandler((request, reply) => sendMissing(request, reply, pages));
  return server;
}

function openConnections({ metrics, settings }: ServerDependencies): HttpConnections {
  const onRejected = connectionRejections(metrics, 'http');
  const opened = new HttpConnections({
    rules: () => settings().http,
    isProxy: createProxyCheck(() => settings().http.trustProxy),
    onRejected,
  });
  registerConnectionGauge(metrics, () => opened.size);
  return opened;
}
