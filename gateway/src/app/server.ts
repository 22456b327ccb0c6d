import { createHttpServer, type Logger, type Metrics, type ReadinessCheck } from '@trellis/runtime';
import type { FastifyInstance } from 'fastify';
import type { JSONWebKeySet } from 'jose';
import { admitRequests, type RequestAdmission } from '../http/routes/admit-requests.ts';
import { addContextKeysRoute, addResourceMetadataRoute } from '../http/routes/metadata-routes.ts';
import { allowCrossOrigin, originCheck, type CrossOriginRules } from '../http/message/cross-origin.ts';
import { createAddressReader, createProxyCheck, createProxyTrust } from '../http/message/client-address.ts';
import { createCertificateReader } from '../http/message/client-certificate.ts';
import { HttpConnections } from '../http/message/http-connections.ts';
import {
  connectionRejections,
  registerConnectionGauge,
  registerAdmissionMetrics,
} from '../observability/connection-metrics.ts';
import { addPages } from '../http/pages/page-routes.ts';
import { boundBodies } from '../http/routes/bound-bodies.ts';
import { addGraphqlRoute, type GraphqlRouteOptions } from '../http/routes/graphql-route.ts';
import { EventStreams } from '../http/event-stream/event-streams.ts';
import { Heartbeats } from '../http/delivery/heartbeats.ts';
import { plainFirst } from '../http/fast-path/plain-first.ts';
import { serveWebSockets } from '../http/websocket/websocket-server.ts';
import { clientSoftwareOf } from '../request/client-software.ts';
import { isListed } from '../pipeline/persisted-query.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import type { TransportSettings } from '../settings/settings.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import { createClientMetrics, createOperationMetrics } from '../observability/operation-metrics.ts';
import type { StreamMetrics } from '../observability/graph-metrics.ts';
import type { Admission } from '../load/admission.ts';
import type { UnansweredBytes } from '../load/unanswered-bytes.ts';
import type { UnreadResponses } from '../load/unread-responses.ts';

/** What {@link buildServer} puts together. */
export interface ServerDependencies {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Those of the configuration that is in force now. */
  readonly services: () => PipelineServices;
  /** Says when there are too many requests. */
  readonly admission: Admission;
  /** Bounds what clients leave unread. */
  readonly unread: UnreadResponses;
  /** Bounds what clients have sent and is not answered. */
  readonly unanswered: UnansweredBytes;
  /** Those in force now. */
  readonly settings: () => TransportSettings;
  /** How pages of other origins are met now; nothing where they may not use the graph. */
  readonly crossOrigin: () => CrossOriginRules | undefined;
  /** Whose tokens are accepted first, now. */
  readonly issuer: () => string | undefined;
  /** Whether no other process serves the same port. */
  readonly isAlone: boolean;
  /** The public keys of the user context; absent where none is sent. */
  readonly contextKeys: JSONWebKeySet | undefined;
  readonly readiness: Readonly<Record<string, ReadinessCheck>>;
  readonly streams: StreamDependencies;
}

/** What transports of streams are made of. */
export interface StreamDependencies {
  readonly open: OpenStreams;
  readonly metrics: StreamMetrics;
}

const GRAPHQL_PATH = '/graphql';
const STREAM_PATH = '/graphql/stream';
/** Every response of the other one is a stream. */
const PLAIN_PATHS: ReadonlySet<string> = new Set([GRAPHQL_PATH]);
const ADMITTED_PATHS: ReadonlySet<string> = new Set([GRAPHQL_PATH, STREAM_PATH]);

/** Served at the root path. */
const NOT_FOUND = {
  error: 'Not Found',
  message: `There is nothing at this address. GraphQL is served at ${GRAPHQL_PATH}.`,
};

/** The gateway's HTTP server. It does not listen yet; closing it finishes what is in flight. */
export function buildServer(dependencies: ServerDependencies): FastifyInstance {
  const { logger, services, settings, contextKeys, crossOrigin, isAlone } = dependencies;
  const { timeouts, authentication } = settings(); // what needs a restart
  const certificateOf = createCertificateReader(
    authentication.clientCertificate,
    createProxyCheck(() => settings().http.trustProxy),
  );
  const onResponse = createResponseObserver(dependencies);
  const { unread, unanswered } = dependencies;
  const answering = { services, settings, unread, onResponse };
  const admission: RequestAdmission = {
    admission: dependencies.admission,
    paths: ADMITTED_PATHS,
    isKnown: (authorization) => services().authenticator.isKnown(authorization),
    shareOf: (address) => services().shares.of(undefined, address).keys,
    onRejected: registerAdmissionMetrics(
      dependencies.metrics,
      dependencies.admission,
      () => services().executionGate.waiting,
    ),
  };
  const server = createHttpServer({
    logger,
    readiness: dependencies.readiness,
    requestTimeoutMs: timeouts.requestMs,
    fastify: {
      trustProxy: createProxyTrust(() => settings().http.trustProxy),
      serverFactory: plainFirst({
        logger,
        connections: openConnections(dependencies),
        unanswered,
        admission: { ...admission, paths: PLAIN_PATHS },
        ...answering,
        crossOrigin,
        certificateHeader: authentication.clientCertificate?.header.toLowerCase(),
      }),
    },
  });
  // first: a page of another origin may read that it was rejected
  allowCrossOrigin(server, crossOrigin, () => services().headerDisclosure?.names ?? []);
  admitRequests(server, admission);
  const { metrics } = dependencies.streams;
  const heartbeats = new Heartbeats(() => settings().subscriptions.heartbeatMs);
  const eventStreams = isAlone ? new EventStreams(settings) : undefined;
  addGraphqlRoute(server, {
    path: GRAPHQL_PATH,
    streamPath: STREAM_PATH,
    certificateOf,
    streams: {
      heartbeats,
      onSlowClient: () => metrics.slowClient(),
    },
    boundBodies: boundBodies({
      unanswered,
      maxBytes: () => settings().limits.bodyBytes,
      shareOf: admission.shareOf,
      onRejected: admission.onRejected,
    }),
    allowsOrigin: originCheck(crossOrigin),
    eventStreams,
    ...answering,
  });
  addWebSockets(server, dependencies, { heartbeats, onResponse, certificateOf });
  server.addHook('preClose', async () => {
    dependencies.streams.open.drain();
    eventStreams?.close();
  });
  server.addHook('onClose', async () => heartbeats.close());
  addResourceMetadataRoute(server, GRAPHQL_PATH, () => services().protectedResource);
  addPages(server, { graphPath: GRAPHQL_PATH, settings, services, issuer: dependencies.issuer });
  if (contextKeys) addContextKeysRoute(server, contextKeys);
  server.setNotFoundHandler((_request, reply) => reply.status(404).send(NOT_FOUND));
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

interface WebSocketParts {
  readonly heartbeats: Heartbeats;
  readonly onResponse: GraphqlRouteOptions['onResponse'];
  readonly certificateOf: GraphqlRouteOptions['certificateOf'];
}

function addWebSockets(
  server: FastifyInstance,
  {
    logger,
    metrics,
    services,
    admission,
    unread,
    unanswered,
    settings,
    streams,
    crossOrigin,
  }: ServerDependencies,
  { heartbeats, onResponse, certificateOf }: WebSocketParts,
): void {
  serveWebSockets(server, {
    settings,
    path: GRAPHQL_PATH,
    services,
    admission,
    unread,
    unanswered,
    heartbeats,
    watch: streams.open.watch,
    allowsOrigin: originCheck(crossOrigin),
    addressOf: createAddressReader(() => settings().http.trustProxy),
    certificateOf,
    observer: {
      answered: onResponse,
      slowClient: () => streams.metrics.slowClient(),
      failed: (error) => logger.error({ err: error }, 'connection failed internally'),
      connections: (change) => streams.metrics.connections(change),
      connectionRejected: connectionRejections(metrics, 'websocket'),
    },
  });
}

const MAX_LOGGED_NAME_CHARACTERS = 100;

function createResponseObserver({
  logger,
  metrics,
  services,
}: ServerDependencies): GraphqlRouteOptions['onResponse'] {
  const operations = createOperationMetrics(metrics, (text) => isListed(text, services().persistedQueries));
  const clients = createClientMetrics(metrics);
  return (request, response, durationMs) => {
    const client = clientSoftwareOf(request.headers);
    operations.observe(response, durationMs / 1_000);
    clients.observe(client, response);
    if (!logger.isLevelEnabled('debug')) return;
    const operation = response.admitted?.operation;
    logger.debug(
      {
        requestId: request.id,
        operation: operation?.name?.slice(0, MAX_LOGGED_NAME_CHARACTERS),
        kind: operation?.kind,
        client: client?.name,
        clientVersion: client?.version,
        oauthClient: response.admitted?.caller.context.clientId,
        outcome: response.errors[0]?.extensions?.['code'],
        stage: response.stage,
        durationMs,
      },
      'operation answered',
    );
  };
}
