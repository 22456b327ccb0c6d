import { type Logger, type Metrics, type ReadinessCheck } from '@trellis/runtime';
import type { FastifyInstance } from 'fastify';
import type { JSONWebKeySet } from 'jose';
import { admitRequests, type RequestAdmission } from '../http/routes/admit-requests.ts';
import { addContextKeysRoute, addResourceMetadataRoute } from '../http/routes/metadata-routes.ts';
import {
  allowCrossOrigin,
  originCheck,
  type CrossOriginRules,
  type HostCheck,
} from '../http/message/cross-origin.ts';
import { rejectOtherHosts } from '../http/message/reject-other-hosts.ts';
import { createAddressReader, createProxyCheck } from '../http/message/client-address.ts';
import { createCertificateReader } from '../http/message/client-certificate.ts';
import { connectionRejections, registerAdmissionMetrics } from '../observability/connection-metrics.ts';
import { boundBodies } from '../http/routes/bound-bodies.ts';
import { addGraphqlRoute } from '../http/routes/graphql-route.ts';
import type { GraphqlRouteOptions } from '../http/routes/respond-on-route.ts';
import { EventStreams } from '../http/event-stream/event-streams.ts';
import { Heartbeats } from '../http/delivery/heartbeats.ts';
import { serveWebSockets } from '../http/websocket/websocket-server.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import type { TransportSettings } from '../settings/settings.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import { createResponseObserver } from '../observability/operation-metrics.ts';
import type { StreamMetrics } from '../observability/traffic-metrics.ts';
import type { Admission } from '../load/admission.ts';
import type { InFlightBytes } from '../load/in-flight-bytes.ts';
import type { UnreadResponses } from '../load/unread-responses.ts';

/** What {@link serveGraph} puts together. */
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
  readonly inFlight: InFlightBytes;
  /** Those in force now. */
  readonly settings: () => TransportSettings;
  /** Has a function called with the settings after each reload. */
  readonly follow: (follower: (settings: TransportSettings) => void) => void;
  /** How pages of other origins are met now; nothing where they may not use the graph. */
  readonly crossOrigin: () => CrossOriginRules | undefined;
  /** Which hosts are served now; nothing where all are. */
  readonly hosts: () => HostCheck | undefined;
  /** Whose tokens are accepted first, now. */
  readonly issuer: () => string | undefined;
  /** Whether a developer's machine alone reaches it, and production was not asked for. */
  readonly isDevelopment: boolean;
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

/** Where the graph is served. */
export const GRAPHQL_PATH = '/graphql';
/** Where every response is a stream. */
export const STREAM_PATH = '/graphql/stream';
/** Those of plain requests. */
export const PLAIN_PATHS: ReadonlySet<string> = new Set([GRAPHQL_PATH]);
const ADMITTED_PATHS: ReadonlySet<string> = new Set([GRAPHQL_PATH, STREAM_PATH]);

/** What requests are let in and answered with: once for each registry of metrics. */
export interface GraphServing {
  readonly admission: RequestAdmission;
  /** Where a browser goes that asks for a page at the address of the graph; absent where there are no pages. */
  readonly pageOf?: GraphqlRouteOptions['pageOf'];
  readonly answering: Pick<GraphqlRouteOptions, 'services' | 'settings' | 'unread' | 'onResponse'>;
}

/** Prepares what both ways of reading requests have in common. */
export function prepareServing(dependencies: ServerDependencies): GraphServing {
  const { logger, services, settings, unread, metrics, admission } = dependencies;
  return {
    answering: {
      services,
      settings,
      unread,
      onResponse: createResponseObserver(metrics, logger, services),
    },
    admission: {
      admission,
      paths: ADMITTED_PATHS,
      isKnown: (authorization) => services().authenticator.isKnown(authorization),
      shareOf: (address) => services().shares.of(undefined, address).keys,
      onRejected: registerAdmissionMetrics(metrics, admission, {
        operations: () => services().executionGate.waiting,
        events: () => services().eventTurns.waiting,
      }),
    },
  };
}

/** Adds the graph to a server: its routes, its streams and WebSockets, and the documents about it. */
export function serveGraph(
  server: FastifyInstance,
  dependencies: ServerDependencies,
  { admission, answering, pageOf }: GraphServing,
): void {
  const { services, settings, contextKeys, crossOrigin, hosts, isAlone, inFlight, streams } = dependencies;
  const { onResponse } = answering;
  const certificateOf = createCertificateReader(
    () => settings().authentication.clientCertificate,
    createProxyCheck(() => settings().http.trustProxy),
  );
  rejectOtherHosts(server, hosts);
  // before admission: a page of another origin may read that it was rejected
  allowCrossOrigin(server, crossOrigin, () => services().headerDisclosure?.names ?? []);
  admitRequests(server, admission);
  const heartbeats = new Heartbeats(() => settings().subscriptions.heartbeatMs);
  dependencies.follow(() => heartbeats.restart());
  const eventStreams = isAlone ? new EventStreams(settings) : undefined;
  addGraphqlRoute(server, {
    path: GRAPHQL_PATH,
    pageOf,
    streamPath: STREAM_PATH,
    certificateOf,
    streams: {
      heartbeats,
      onSlowConsumer: () => streams.metrics.slowConsumer(),
    },
    boundBodies: boundBodies({
      inFlight,
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
    streams.open.drain();
    eventStreams?.close();
  });
  server.addHook('onClose', async () => heartbeats.close());
  addResourceMetadataRoute(server, GRAPHQL_PATH, () => services().protectedResource);
  if (contextKeys) addContextKeysRoute(server, contextKeys);
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
    inFlight,
    settings,
    streams,
    crossOrigin,
    hosts,
  }: ServerDependencies,
  { heartbeats, onResponse, certificateOf }: WebSocketParts,
): void {
  serveWebSockets(server, {
    settings,
    path: GRAPHQL_PATH,
    services,
    admission,
    unread,
    inFlight,
    heartbeats,
    watch: streams.open.watch,
    allowsOrigin: originCheck(crossOrigin),
    hosts,
    addressOf: createAddressReader(() => settings().http.trustProxy),
    certificateOf,
    observer: {
      answered: onResponse,
      slowConsumer: () => streams.metrics.slowConsumer(),
      failed: (error) => logger.error({ err: error }, 'connection failed internally'),
      connections: (change) => streams.metrics.connections(change),
      connectionRejected: connectionRejections(metrics, 'websocket'),
    },
  });
}
