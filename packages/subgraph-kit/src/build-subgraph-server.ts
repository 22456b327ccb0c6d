import { ApolloServer, type BaseContext } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import { createHttpServer, type Logger, type Metrics, type ReadinessCheck } from '@trellis/runtime';
import type { UserContext, UserContextVerifier } from '@trellis/subgraph-protocol';
import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { respondInGraphShape } from './respond-in-graph-shape.ts';
import { buildExecutableSchema } from './build-executable-schema.ts';
import type { GuardedContext } from './guard-fields.ts';
import { createErrorFormatter, type ErrorFormatter } from './format-graph-error.ts';
import { createUserContextReader } from './read-user-context.ts';
import { serveSubscriptions } from './serve-subscriptions.ts';
import { createSubgraphMetrics, type SubgraphMetrics } from './subgraph-metrics.ts';
import { dropUnread, takeUploads, uploadRulesOf, type UploadOptions } from './uploads.ts';

/** A subgraph's HTTP server. */
export type SubgraphServer = FastifyInstance;

/** What a request brings along beside its operation. */
export interface SubgraphRequest {
  readonly userContext: UserContext;
  /** What makes the request's mutations safe to retry. */
  readonly idempotencyKey?: string | undefined;
  /** For subscriptions: the event that the client has seen last. Absent: it wants what happens from now on. */
  readonly lastEventId?: string | undefined;
}

/** What a subgraph's server is made of. */
export interface SubgraphServerOptions<Context extends BaseContext & GuardedContext> {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Verifies the gateway's signature for this subgraph. */
  readonly verifier: UserContextVerifier;
  /** The subgraph's `schema.graphql`. */
  readonly typeDefs: URL;
  /** Resolvers and scalars by type. */
  readonly resolvers: object;
  /** Makes what resolvers receive, once a request and once an event of a subscription: the caller and fresh loaders. */
  readonly createContext: (request: SubgraphRequest) => Context | Promise<Context>;
  /** Development answers introspection and `_service` to anybody, and shows stack traces. */
  readonly development: boolean;
  /**
   * Secrets of those who may read `_service` in production, in the header `trellis-introspection-secret`: at least 128 random bits each.
   *
   * @default in production only who has a context may
   */
  readonly introspectionSecrets?: readonly string[] | undefined;
  /** What must hold for `/health/ready` to answer 200, by name. */
  readonly readiness?: Readonly<Record<string, ReadinessCheck>>;
  /** Milliseconds that one resolver may take. @default 5_000 */
  readonly resolverTimeoutMs?: number;
  /** How files are taken, by the GraphQL multipart request specification. Absent: not at all. */
  readonly uploads?: UploadOptions;
}

/** Largest request body, bytes. The gateway sends up to a few thousand representations in one request. */
const MAX_BODY_BYTES = 8 * 1_048_576;

/**
 * Builds a subgraph: Apollo Server on Fastify at `POST /graphql`, with health checks, metrics, and nothing for browsers,
 * because only the gateway calls it. Where the schema has subscriptions, they are served on a WebSocket at the same path. It
 * does not listen yet. Closing it finishes what is in flight.
 */
export async function buildSubgraphServer<Context extends BaseContext & GuardedContext>(
  options: SubgraphServerOptions<Context>,
): Promise<SubgraphServer> {
  const metrics = createSubgraphMetrics(options.metrics);
  const uploads = options.uploads && uploadRulesOf(options.uploads);
  const schema = buildExecutableSchema({
    typeDefs: options.typeDefs,
    resolvers: options.resolvers,
    resolverTimeoutMs: options.resolverTimeoutMs ?? 5_000,
    uploadTimeoutMs: uploads?.timeoutMs,
    onTimeout: metrics.countTimeout,
  });
  const formatError = createErrorFormatter(options.logger);
  const apollo = await startApollo(options, { schema, formatError, metrics });
  const readUserContext = createUserContextReader({
    verifier: options.verifier,
    publicOperations: options.development,
    introspectionSecrets: options.introspectionSecrets,
  });
  const server = createHttpServer({
    logger: options.logger,
    maxBodyBytes: MAX_BODY_BYTES,
    // Members named __proto__ or constructor are data like any other: nothing here copies them into an object by name.
    fastify: { onProtoPoisoning: 'ignore', onConstructorPoisoning: 'ignore' },
    ...(options.readiness && { readiness: options.readiness }),
    ...(uploads && { requestTimeoutMs: uploads.timeoutMs }),
  });
  server.setErrorHandler(respondInGraphShape);
  const respond = fastifyApolloHandler(apollo, {
    context: async (request) =>
      options.createContext({
        userContext: await readUserContext(request),
        idempotencyKey: idempotencyKeyOf(request),
      }),
  });
  if (uploads) takeUploads(server, uploads, readUserContext);
  server.post('/graphql', uploads ? withUploads(respond) : respond);
  if (schema.getSubscriptionType()) serveSubscriptions(server, { ...options, schema, formatError });
  server.addHook('onClose', () => apollo.stop());
  return server;
}

/** Whatever becomes of the operation. */
function withUploads(respond: RouteHandlerMethod): RouteHandlerMethod {
  return async function (request, reply) {
    try {
      return await respond.call(this, request, reply);
    } finally {
      dropUnread(request);
    }
  };
}

/** The gateway sends the key of the client's header or `extensions.idempotencyKey` on in this header. */
function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}

interface ServerParts {
  readonly schema: GraphQLSchema;
  readonly formatError: ErrorFormatter;
  readonly metrics: SubgraphMetrics;
}

async function startApollo<Context extends BaseContext & GuardedContext>(
  options: SubgraphServerOptions<Context>,
  { schema, formatError, metrics }: ServerParts,
): Promise<ApolloServer<Context>> {
  const apollo = new ApolloServer<Context>({
    schema,
    logger: options.logger,
    formatError,
    nodeEnv: options.development ? 'development' : 'production',
    introspection: options.development,
    includeStacktraceInErrorResponses: options.development,
    hideSchemaDetailsFromClientErrors: !options.development,
    csrfPrevention: false, // browsers don't reach a subgraph, and a request without a signed context is rejected
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    stopOnTerminationSignals: false, // the deployable drains
    plugins: [
      metrics.plugin,
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(), // the gateway reads @cacheControl from the supergraph
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
  await apollo.start();
  return apollo;
}
